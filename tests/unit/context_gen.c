#include "context_gen.h"

#include "rng.h"

#include <stdlib.h>

enum { GLOBALS = 6, HELPERS = 5 };

struct gen {
	struct strbuf *out;
	struct rng rng;
	int indent;
	unsigned vars;    /* v0 .. of the function at hand */
	unsigned loops;   /* around the statement */
	unsigned next;    /* for names of counters */
	bool locked;      /* inside a lock: no second one */
	bool early;       /* before the threads */
	unsigned helpers; /* that may be called here: 0 .. helpers - 1 */
	unsigned budget;
	bool disciplined;
	bool alone;       /* no threads, or no more */
	unsigned holding; /* bits of enum guard */
	struct {
		unsigned needs; /* held by whoever calls it */
		bool gap;       /* lets go of it in the middle */
	} of[HELPERS];
	bool *caller_gaps; /* of the helper at hand */
	bool signals;     /* semaphores and condition variables too */
	bool in_worker;
};

/* Locks of disciplined programs, in the order in which they nest. G0 and g1 belong to the first, g2
 * and g3 to the second, g4 to the third; what is in boxes to the lock of the box. G5 and the table
 * are not written any more. */
enum guard {
	GUARD_M0 = 1,
	GUARD_M1 = 2,
	GUARD_READ = 4,
	GUARD_WRITE = 8,
	GUARD_P = 16,
	GUARD_BOX = 32,
};

static unsigned upto(struct gen *g, unsigned n)
{
	return (unsigned)(rng_u64(&g->rng) % n);
}

static void line(struct gen *g, const char *fmt, ...) PRINTF(2, 3);
static void line(struct gen *g, const char *fmt, ...)
{
	va_list ap;

	for (int i = 0; i < g->indent; i++)
		strbuf_addc(g->out, '\t');
	va_start(ap, fmt);
	strbuf_vaddf(g->out, fmt, ap);
	va_end(ap);
	strbuf_addc(g->out, '\n');
}

/* ---- discipline ------------------------------------------------------------------------------ */

static bool may_use_global(const struct gen *g, unsigned k, bool write)
{
	static const unsigned guards[GLOBALS] = {
		GUARD_M0, GUARD_M0, GUARD_M1, GUARD_M1, GUARD_READ | GUARD_WRITE, 0};

	if (!g->disciplined || g->alone)
		return true;
	if (k == 5)
		return !write;
	return g->holding & guards[k] & (write ? ~(unsigned)GUARD_READ : ~0u);
}

static bool may_use(const struct gen *g, unsigned guard)
{
	return !g->disciplined || g->alone || g->holding & guard;
}

static bool may_call(const struct gen *g, unsigned helper)
{
	if (g->of[helper].gap) /* taking it again inside of others, it might wait for ever */
		return g->of[helper].needs == g->holding;
	return !g->disciplined || g->alone || !(g->of[helper].needs & ~g->holding);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void expression(struct gen *g, struct strbuf *b, unsigned depth);

static void read_global(struct gen *g, struct strbuf *b)
{
	unsigned k = upto(g, GLOBALS);

	strbuf_addf(b, "g%u", may_use_global(g, k, false) ? k : 5);
}

static void operand(struct gen *g, struct strbuf *b)
{
	switch (upto(g, 9)) {
	case 0: strbuf_addf(b, "%d", (int)upto(g, 40) - 10); return;
	case 1:
	case 2: read_global(g, b); return;
	case 3: strbuf_addf(b, "table[%u]", upto(g, 4)); return;
	case 4: strbuf_adds(b, "own"); return;
	case 5:
		if (!may_use(g, GUARD_BOX))
			break;
		strbuf_addf(b, "box->f%u", upto(g, 3));
		return;
	case 6:
		if (!may_use(g, GUARD_P))
			break;
		strbuf_addf(b, "p->f%u", upto(g, 3));
		return;
	default: break;
	}
	strbuf_addf(b, "v%u", upto(g, g->vars));
}

static void call_expression(struct gen *g, struct strbuf *b, unsigned depth)
{
	unsigned k = g->helpers ? upto(g, g->helpers) : 0;

	if (!g->helpers || !may_call(g, k)) {
		operand(g, b);
		return;
	}
	if (g->of[k].gap && g->caller_gaps)
		*g->caller_gaps = true;
	strbuf_addf(b, "help%u(", k);
	expression(g, b, depth);
	strbuf_adds(b, ", ");
	expression(g, b, depth);
	strbuf_adds(b, ", p)");
}

static void expression(struct gen *g, struct strbuf *b, unsigned depth)
{
	static const char *const ops[] = {"+", "-", "*", "&", "|", "^", "<", "==", ">="};

	if (!depth || upto(g, 3) == 0) {
		operand(g, b);
	} else if (upto(g, 8) == 0 && g->budget > 1) {
		g->budget--;
		call_expression(g, b, 0);
	} else if (upto(g, 8) == 0) {
		strbuf_adds(b, "(");
		expression(g, b, depth - 1);
		strbuf_adds(b, " ? ");
		expression(g, b, depth - 1);
		strbuf_adds(b, " : ");
		expression(g, b, depth - 1);
		strbuf_adds(b, ")");
	} else {
		strbuf_adds(b, "(");
		expression(g, b, depth - 1);
		strbuf_addf(b, " %s ", ops[upto(g, ARRAY_SIZE(ops))]);
		expression(g, b, depth - 1);
		strbuf_adds(b, ")");
	}
}

static char *expr(struct gen *g)
{
	struct strbuf b = {0};

	expression(g, &b, 2);
	return strbuf_detach(&b);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void statements(struct gen *g, unsigned n);

static bool assign_shared(struct gen *g, const char *e)
{
	unsigned k;

	/* inside a lock that is what they are for */
	switch (upto(g, g->early || (g->disciplined && g->holding) ? 8 : 12)) {
	case 0:
		k = upto(g, GLOBALS);
		if (may_use_global(g, k, true))
			line(g, "g%u = %s;", k, e);
		return may_use_global(g, k, true);
	case 1:
		if (!g->disciplined || g->alone)
			line(g, "table[%u] = %s;", upto(g, 4), e);
		return !g->disciplined || g->alone;
	case 2:
		if (may_use(g, GUARD_P))
			line(g, "p->f%u = %s;", upto(g, 3), e);
		return may_use(g, GUARD_P);
	case 3: line(g, "own = %s;", e); return true;
	case 4: /* the variables of the lock, more often */
		if (!g->disciplined || !(g->holding & (GUARD_M0 | GUARD_M1)))
			return false;
		line(g, "g%u = %s;", g->holding & GUARD_M1 ? 2 + upto(g, 2) : upto(g, 2), e);
		return true;
	default: return false;
	}
}

static void assignment(struct gen *g)
{
	char *e = expr(g);

	if (!assign_shared(g, e))
		line(g, "v%u = %s;", upto(g, g->vars), e);
	free(e);
}

static void loop(struct gen *g)
{
	static const int steps[] = {1, 1, 1, 2, 3, 4};
	unsigned i = g->next++, n = 1 + upto(g, 5);
	int step = steps[upto(g, ARRAY_SIZE(steps))];
	char *e = expr(g);

	if (g->loops > 1 || g->budget < 4) {
		free(e);
		assignment(g);
		return;
	}
	switch (upto(g, 4)) {
	case 0: line(g, "for (int i%u = %u; i%u > 0; i%u -= 1) {", i, n, i, i); break;
	case 1:
		line(g, "for (int i%u = %u; i%u < (%s & 7); i%u++) {", i, upto(g, 3), i, e, i);
		break;
	default: line(g, "for (unsigned i%u = 0; i%u < %u; i%u += %d) {", i, i, n, i, step); break;
	}
	g->loops++;
	g->indent++;
	line(g, "v%u = v%u + (int)i%u;", upto(g, g->vars), upto(g, g->vars), i);
	statements(g, 2);
	if (upto(g, 4) == 0)
		line(g, "if (v%u == %u)\n\t\t\tbreak;", upto(g, g->vars), upto(g, 9));
	g->indent--;
	g->loops--;
	line(g, "}");
	free(e);
}

static void branch(struct gen *g)
{
	char *e = expr(g);

	if (upto(g, 4) == 0) {
		line(g, "switch (%s & 3) {", e);
		line(g, "case 0:");
		g->indent++;
		statements(g, 1);
		line(g, "break;");
		g->indent--;
		line(g, "case 2:");
		g->indent++;
		statements(g, 1);
		line(g, "break;");
		g->indent--;
		line(g, "default:");
		g->indent++;
		statements(g, 1);
		g->indent--;
	} else {
		line(g, "if (%s) {", e);
		g->indent++;
		statements(g, 2);
		g->indent--;
		if (upto(g, 2)) {
			line(g, "} else {");
			g->indent++;
			statements(g, 1);
			g->indent--;
		}
	}
	line(g, "}");
	free(e);
}

static void gap(struct gen *g)
{
	const char *m = g->holding & GUARD_M1 ? "m1[1]" : "m0";

	if (upto(g, 2))
		line(g, "breathe(&%s);", m);
	else
		line(g, "pthread_mutex_unlock(&%s); pthread_mutex_lock(&%s);", m, m);
	if (g->caller_gaps)
		*g->caller_gaps = true;
}

/* a lock that may be taken inside of those that are held */
static void nest(struct gen *g)
{
	static const struct {
		enum guard guard;
		const char *take, *give;
	} locks[] = {
		{GUARD_M0, "pthread_mutex_lock(&m0);", "pthread_mutex_unlock(&m0);"},
		{GUARD_M0, "if (!pthread_mutex_trylock(&m0)) {", "pthread_mutex_unlock(&m0); }"},
		{GUARD_M0, "hold(&m0);", "let_go(&m0);"},
		{GUARD_M1, "pthread_mutex_lock(&m1[1]);", "let_go(&m1[1]);"},
		{GUARD_M1, "hold(&m1[1]);", "pthread_mutex_unlock(&m1[1]);"},
		{GUARD_READ, "pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"},
		{GUARD_READ, "pthread_rwlock_rdlock(&rw); read_again(&rw);",
			"pthread_rwlock_unlock(&rw); pthread_rwlock_unlock(&rw);"},
		{GUARD_WRITE, "pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"},
		{GUARD_P, "pthread_mutex_lock(&p->m);", "pthread_mutex_unlock(&p->m);"},
		{GUARD_BOX, "hold(&box->m);", "let_go(&box->m);"},
	};
	unsigned k = upto(g, ARRAY_SIZE(locks)), held = g->holding, level = locks[k].guard;

	if (level == GUARD_WRITE || level == GUARD_BOX)
		level >>= 1; /* it may be the same lock as the one before */
	if (g->early || g->locked || held >= level || g->budget < 2) {
		assignment(g);
		if (held == GUARD_M0 || held == GUARD_M1) {
			gap(g);
			assignment(g);
		}
		return;
	}
	g->holding |= locks[k].guard;
	line(g, "%s", locks[k].take);
	assignment(g);
	statements(g, 4);
	line(g, "%s", locks[k].give);
	g->holding = held;
}

static void locking(struct gen *g)
{
	static const char *const take[] = {"pthread_mutex_lock(&m0);",
		"pthread_mutex_lock(&m1[1]);", "hold(&m1[0]);", "pthread_mutex_lock(&p->m);",
		"pthread_rwlock_rdlock(&rw);", "pthread_rwlock_wrlock(&rw);",
		"pthread_rwlock_rdlock(&rw); read_again(&rw);", "if (!pthread_mutex_trylock(&m0)) {"};
	static const char *const give[] = {"pthread_mutex_unlock(&m0);",
		"pthread_mutex_unlock(&m1[1]);", "let_go(&m1[0]);", "pthread_mutex_unlock(&p->m);",
		"pthread_rwlock_unlock(&rw);", "pthread_rwlock_unlock(&rw);",
		"pthread_rwlock_unlock(&rw); pthread_rwlock_unlock(&rw);",
		"pthread_mutex_unlock(&m0); }"};
	unsigned k = upto(g, ARRAY_SIZE(take));

	if (g->disciplined) {
		nest(g);
		return;
	}
	if (g->locked || g->early) {
		assignment(g);
		return;
	}
	g->locked = true;
	line(g, "%s", take[k]);
	statements(g, 2);
	line(g, "%s", give[k]);
	g->locked = false;
}

/* Semaphores and condition variables: a token, a post that some thread takes, a wait for the next
 * thread. Some runs end in a deadlock. */
static void signalling(struct gen *g)
{
	switch (upto(g, 4)) {
	case 0:
		line(g, "sem_wait(&token);");
		assignment(g);
		line(g, "sem_post(&token);");
		break;
	case 1:
		line(g, "sem_post(&posted);");
		assignment(g);
		line(g, upto(g, 3) ? "sem_wait(&posted);" : "sem_trywait(&posted);");
		break;
	default:
		line(g, "pthread_mutex_lock(&turn_lock);");
		line(g, "if (turn++ & 1)\n\t\tpthread_cond_%s(&turned);\n\telse\n\t\tpthread_cond_wait(&turned, "
			"&turn_lock);",
			upto(g, 2) ? "signal" : "broadcast");
		line(g, "pthread_mutex_unlock(&turn_lock);");
	}
}

static void statement(struct gen *g)
{
	if (g->budget)
		g->budget--;
	if (g->signals && g->in_worker && !g->locked && !g->holding && !g->loops && upto(g, 2)) {
		signalling(g);
		return;
	}
	switch (g->budget < 3 ? 0 : upto(g, 8)) {
	case 0:
	case 1:
	case 2: assignment(g); break;
	case 3:
	case 4: branch(g); break;
	case 5: loop(g); break;
	case 6:
		if (!g->disciplined) {
			loop(g);
			break;
		} /* fallthrough */
	default: locking(g); break;
	}
}

static void statements(struct gen *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		statement(g);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void locals(struct gen *g)
{
	unsigned k;

	g->vars = 4;
	line(g, "int v0 = %u, v1 = %u, v2, v3;", upto(g, 9), upto(g, 9));
	k = upto(g, GLOBALS);
	line(g, "v2 = g%u;", may_use_global(g, k, false) ? k : 5);
	k = upto(g, 3);
	if (may_use(g, GUARD_P))
		line(g, "v3 = p->f%u;", k);
	else
		line(g, "v3 = table[%u];", k);
}

static void helper(struct gen *g, unsigned k)
{
	static const unsigned needs[] = {0, GUARD_M0, GUARD_M1, GUARD_M0};
	char *e;

	g->helpers = k;
	g->budget = 6;
	g->locked = true; /* it may be called with a lock */
	g->caller_gaps = &g->of[k].gap;
	if (g->disciplined)
		g->of[k].needs = g->holding = needs[upto(g, ARRAY_SIZE(needs))];
	line(g, "static int help%u(int a, int b, struct box *p)\n{", k);
	g->indent = 1;
	locals(g);
	line(g, "v0 += a;");
	line(g, "v1 ^= b;");
	if (upto(g, 3) == 0)
		line(g, "if (a > b)\n\t\treturn %u;", upto(g, 5));
	statements(g, upto(g, 3));
	e = expr(g);
	line(g, "return %s;", upto(g, 3) ? e : "a + 1");
	free(e);
	g->indent = 0;
	line(g, "}\n");
	g->locked = false;
	g->holding = 0;
	g->caller_gaps = NULL;
}

static void worker(struct gen *g, bool waits)
{
	static const char *const rounds[] = {"3", "rounds", "g0 & 3"};

	g->helpers = HELPERS;
	g->budget = g->disciplined ? 60 : 30;
	line(g, "static void *work(void *arg)\n{");
	g->indent = 1;
	g->in_worker = true;
	line(g, "struct box *p = arg;");
	locals(g);
	statements(g, g->disciplined ? 6 : 3);
	if (waits) {
		unsigned each = 1 + upto(g, 2);

		if (upto(g, 2))
			line(g, "pthread_barrier_wait(&bar);");
		line(g, "for (int k = %u; k < %s; k++) {", upto(g, 2), rounds[upto(g, 2)]);
		g->indent++;
		g->loops++;
		g->budget += 12;
		for (unsigned i = 0; i < each; i++) {
			statements(g, 2);
			line(g, upto(g, 3) ? "pthread_barrier_wait(&bar);" : "meet();");
		}
		statements(g, 1);
		g->loops--;
		g->indent--;
		line(g, "}");
	}
	g->budget += 12;
	statements(g, 2);
	line(g, "return (void *)(long)v%u;", upto(g, g->vars));
	g->indent = 0;
	g->in_worker = false;
	line(g, "}\n");
}

static void declarations(struct gen *g)
{
	line(g, "#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n");
	line(g, "struct box {\n\tint f0, f1, f2;\n\tpthread_mutex_t m;\n};\n");
	for (unsigned i = 0; i < GLOBALS; i++)
		line(g, "static int g%u = %u;", i, upto(g, 9));
	line(g, "static int table[4] = {1, 2, 3}, rounds = 2, threads = 2;");
	line(g, "static __thread int own = 7;");
	line(g, "static struct box *box, boxes[4], first = {1, 2, 3, PTHREAD_MUTEX_INITIALIZER};");
	line(g, "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;");
	line(g, "static pthread_mutex_t m1[2] = {PTHREAD_MUTEX_INITIALIZER, "
		"PTHREAD_MUTEX_INITIALIZER};");
	line(g, "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;");
	line(g, "static pthread_barrier_t bar;\n");
	if (g->signals) {
		line(g, "static sem_t token, posted;\nstatic int turn;");
		line(g, "static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;");
		line(g, "static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;\n");
	}
	line(g, "static void hold(pthread_mutex_t *m)\n{\n\tpthread_mutex_lock(m);\n}\n");
	line(g, "static void let_go(pthread_mutex_t *m)\n{\n\tpthread_mutex_unlock(m);\n}\n");
	line(g, "static void read_again(pthread_rwlock_t *l)\n{\n\tpthread_rwlock_rdlock(l);\n}\n");
	line(g, "static void breathe(pthread_mutex_t *m)\n{\n\tlet_go(m);\n\thold(m);\n}\n");
	line(g, "static void meet(void)\n{\n\tpthread_barrier_wait(&bar);\n}\n");
}

static void make_box(struct gen *g)
{
	line(g, "static struct box *make(int a)\n{");
	line(g, "\tstruct box *b = %s;\n",
		upto(g, 2) ? "malloc(sizeof *b)" : "calloc(1, sizeof *b)");
	line(g, "\tif (!b)\n\t\tabort();\n\tb->f0 = a;\n\tb->f1 = 2;\n\tb->f2 = a + 1;");
	line(g, "\tpthread_mutex_init(&b->m, NULL);\n\treturn b;\n}\n");
}

static void main_function(struct gen *g, bool waits)
{
	bool joins_in = upto(g, 2), counted = upto(g, 2);
	static const char *const args[] = {"box", "&boxes[i]", "&first"};
	const char *arg = args[upto(g, 3)];

	g->helpers = HELPERS;
	g->budget = 20;
	line(g, "int main(int argc, char **argv)\n{");
	g->indent = 1;
	line(g, "struct box *p = &first;");
	line(g, "pthread_t t[4];");
	g->alone = true;
	locals(g);
	if (upto(g, 2))
		line(g, "if (argc > 1)\n\t\trounds = atoi(argv[1]);");
	if (upto(g, 3) == 0)
		line(g, "if (argc > 2)\n\t\tthreads = 3;");
	line(g, "box = make(%u);", upto(g, 9));
	line(g, "for (int i = 0; i < 4; i++)\n\t\tpthread_mutex_init(&boxes[i].m, NULL);");
	g->early = true;
	statements(g, 3);
	g->early = g->alone = false;
	if (g->signals)
		line(g, "sem_init(&token, 0, 1);\n\tsem_init(&posted, 0, %u);", upto(g, 2));
	if (waits)
		line(g, "pthread_barrier_init(&bar, NULL, %s%s);", counted ? "threads" : "2",
			joins_in ? " + 1" : "");
	line(g, "for (int i = 0; i < %s; i++)\n\t\tpthread_create(&t[i], NULL, work, %s);",
		counted ? "threads" : "2", arg);
	g->budget += 10;
	statements(g, 1);
	if (joins_in || !waits)
		line(g, "v0 += (int)(long)work(%s);", upto(g, 2) ? "&first" : "box");
	statements(g, 1);
	line(g, "for (int i = 0; i < %s; i++)\n\t\tpthread_join(t[i], NULL);",
		counted ? "threads" : "2");
	g->alone = true;
	statements(g, 2);
	line(g, "return v0 & 63;");
	g->indent = 0;
	line(g, "}");
}

void context_gen(struct strbuf *out, uint64_t seed, bool disciplined, bool signals)
{
	struct gen g = {.out = out, .rng = rng_seed(seed), .disciplined = disciplined, .signals = signals};
	bool waits = upto(&g, 3) != 0;

	declarations(&g);
	make_box(&g);
	for (unsigned i = 0; i < HELPERS; i++)
		helper(&g, i);
	worker(&g, waits);
	main_function(&g, waits);
}
