#include "context_gen.h"

#include "rng.h"

#include <stdlib.h>

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
};

enum { GLOBALS = 6, HELPERS = 5 };

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

/* ---- expressions ----------------------------------------------------------------------------- */

static void expression(struct gen *g, struct strbuf *b, unsigned depth);

static void operand(struct gen *g, struct strbuf *b)
{
	switch (upto(g, 9)) {
	case 0: strbuf_addf(b, "%d", (int)upto(g, 40) - 10); break;
	case 1:
	case 2: strbuf_addf(b, "g%u", upto(g, GLOBALS)); break;
	case 3: strbuf_addf(b, "table[%u]", upto(g, 4)); break;
	case 4: strbuf_adds(b, "own"); break;
	case 5: strbuf_addf(b, "box->f%u", upto(g, 3)); break;
	case 6: strbuf_addf(b, "p->f%u", upto(g, 3)); break;
	default: strbuf_addf(b, "v%u", upto(g, g->vars)); break;
	}
}

static void call_expression(struct gen *g, struct strbuf *b, unsigned depth)
{
	if (!g->helpers) {
		operand(g, b);
		return;
	}
	strbuf_addf(b, "help%u(", upto(g, g->helpers));
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

static void assignment(struct gen *g)
{
	char *e = expr(g);

	switch (upto(g, g->early ? 8 : 12)) {
	case 0: line(g, "g%u = %s;", upto(g, GLOBALS), e); break;
	case 1: line(g, "table[%u] = %s;", upto(g, 4), e); break;
	case 2: line(g, "p->f%u = %s;", upto(g, 3), e); break;
	case 3: line(g, "own = %s;", e); break;
	default: line(g, "v%u = %s;", upto(g, g->vars), e); break;
	}
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

static void locking(struct gen *g)
{
	static const char *const take[] = {"pthread_mutex_lock(&m0);",
		"pthread_mutex_lock(&m1[1]);", "hold(&m1[0]);", "pthread_mutex_lock(&p->m);",
		"pthread_rwlock_rdlock(&rw);", "pthread_rwlock_wrlock(&rw);",
		"if (!pthread_mutex_trylock(&m0)) {"};
	static const char *const give[] = {"pthread_mutex_unlock(&m0);",
		"pthread_mutex_unlock(&m1[1]);", "let_go(&m1[0]);", "pthread_mutex_unlock(&p->m);",
		"pthread_rwlock_unlock(&rw);", "pthread_rwlock_unlock(&rw);",
		"pthread_mutex_unlock(&m0); }"};
	unsigned k = upto(g, ARRAY_SIZE(take));

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

static void statement(struct gen *g)
{
	if (g->budget)
		g->budget--;
	switch (g->budget < 3 ? 0 : upto(g, 8)) {
	case 0:
	case 1:
	case 2: assignment(g); break;
	case 3:
	case 4: branch(g); break;
	case 5:
	case 6: loop(g); break;
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
	g->vars = 4;
	line(g, "int v0 = %u, v1 = %u, v2 = g%u, v3 = p->f%u;", upto(g, 9), upto(g, 9),
		upto(g, GLOBALS), upto(g, 3));
}

static void helper(struct gen *g, unsigned k)
{
	char *e;

	g->helpers = k;
	g->budget = 6;
	g->locked = true; /* it may be called with a lock */
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
}

static void worker(struct gen *g, bool waits)
{
	static const char *const rounds[] = {"3", "rounds", "g0 & 3"};

	g->helpers = HELPERS;
	g->budget = 30;
	line(g, "static void *work(void *arg)\n{");
	g->indent = 1;
	line(g, "struct box *p = arg;");
	locals(g);
	statements(g, 3);
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
	line(g, "}\n");
}

static void declarations(struct gen *g)
{
	line(g, "#include <pthread.h>\n#include <stdlib.h>\n");
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
	line(g, "static void hold(pthread_mutex_t *m)\n{\n\tpthread_mutex_lock(m);\n}\n");
	line(g, "static void let_go(pthread_mutex_t *m)\n{\n\tpthread_mutex_unlock(m);\n}\n");
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
	locals(g);
	if (upto(g, 2))
		line(g, "if (argc > 1)\n\t\trounds = atoi(argv[1]);");
	if (upto(g, 3) == 0)
		line(g, "if (argc > 2)\n\t\tthreads = 3;");
	line(g, "box = make(%u);", upto(g, 9));
	line(g, "for (int i = 0; i < 4; i++)\n\t\tpthread_mutex_init(&boxes[i].m, NULL);");
	g->early = true;
	statements(g, 3);
	g->early = false;
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
	statements(g, 2);
	line(g, "return v0 & 63;");
	g->indent = 0;
	line(g, "}");
}

void context_gen(struct strbuf *out, uint64_t seed)
{
	struct gen g = {.out = out, .rng = rng_seed(seed)};
	bool waits = upto(&g, 3) != 0;

	declarations(&g);
	make_box(&g);
	for (unsigned i = 0; i < HELPERS; i++)
		helper(&g, i);
	worker(&g, waits);
	main_function(&g, waits);
}
