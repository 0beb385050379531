/* What recording logs, on small C programs: every rule of facts/plan.h once. */
#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "facts/plan.h"
#include "import/import.h"
#include "ir/text.h"
#include "llvm_text.h"
#include "log/effects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct made {
	struct ir_program *p;
	struct plan *pl;
};

static const char head[] = "#include <pthread.h>\n#include <setjmp.h>\n#include <signal.h>\n"
			   "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
			   "#include <string.h>\nvoid unknown(void *);\n"
			   "static void *th(void *);\n"
			   "static void go(void *a) { pthread_t t; pthread_create(&t, 0, th, a); }\n";

static struct ir_program *compile(const char *text, const char *passes)
{
	char path[] = "/tmp/heddle-plan-XXXXXX.c";
	FILE *f = fdopen(mkstemps(path, 2), "w");
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	fputs(head, f);
	fputs(text, f);
	fclose(f);
	assert_true(llvm_compile(&bc, path, passes));
	unlink(path);
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	strbuf_release(&bc);
	return p;
}

static struct made make_with(const char *text, const struct plan_options *opt, bool open)
{
	struct made m = {.p = compile(text, "sroa")};

	m.pl = plan_new(m.p, opt, open);
	return m;
}

static struct made make(const char *text)
{
	return make_with(text, NULL, false);
}

static void drop(struct made m)
{
	plan_free(m.pl);
	ir_program_free(m.p);
}

static const struct plan_func *func_of(struct made m, const char *name, uint32_t *id)
{
	vec_each (&m.p->funcs, f)
		if (!strcmp(ir_func_name(m.p, f), name)) {
			*id = f;
			return &m.pl->funcs[f];
		}
	fail_msg("no function '%s'", name);
	return NULL;
}

/* One letter for each instruction that touches memory or calls:
 *	load     L logged event, l logged, e event, . neither
 *	store    S event, s not           atomic   R logged event, r logged, _ neither
 *	alloca   A its address, P private  call     by call_letter
 *	copy, fill: B bulk, I inline, c nothing; then > source event, < destination event
 *	va       V logged, v not
 */
static char call_letter(enum plan_call c)
{
	static const char letters[] = {[CALL_TRACED] = 'T', [CALL_INDIRECT] = 'X', [CALL_SYNC] = 'Y',
		[CALL_SETJMP] = 'J', [CALL_LONGJMP] = 'j', [CALL_PURE] = 'p', [CALL_EFFECT] = 'E',
		[CALL_UNKNOWN] = 'U'};

	return letters[c];
}

static void letter(struct strbuf *b, const struct ir_insn *in, const struct plan_insn *pi)
{
	bool event = pi->flags & PLAN_F_EVENT, logged = pi->what != PLAN_NOTHING;

	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: strbuf_addc(b, ".elL"[2 * logged + event]); break;
	case IR_S_STORE: strbuf_addc(b, event ? 'S' : 's'); break;
	case IR_S_RMW:
	case IR_S_CAS: strbuf_addc(b, "_?rR"[2 * logged + event]); break;
	case IR_S_ALLOCA: strbuf_addc(b, pi->flags & PLAN_F_PRIVATE ? 'P' : logged ? 'A' : '?'); break;
	case IR_S_CALL: strbuf_addc(b, call_letter(pi->call)); break;
	case IR_S_VA:
		if (in->op != IR_VA_END)
			strbuf_addc(b, logged ? 'V' : 'v');
		break;
	case IR_S_BULK:
		strbuf_addc(b, pi->what == PLAN_BULK ? 'B' : pi->what == PLAN_BYTES ? 'I' : 'c');
		if (pi->flags & PLAN_F_READ)
			strbuf_addc(b, '>');
		if (pi->flags & PLAN_F_WRITE)
			strbuf_addc(b, '<');
		break;
	default: break;
	}
}

static void expect_at(struct made m, const char *name, const char *want, int line)
{
	struct strbuf b = {0};
	uint32_t id;
	const struct plan_func *pf = func_of(m, name, &id);

	vec_each (&m.p->funcs.at[id].insns, i)
		letter(&b, &m.p->funcs.at[id].insns.at[i], &pf->insn[i]);
	if (strcmp(b.s ? b.s : "", want))
		fail_msg("line %d: '%s' is %s, not %s", line, name, b.s ? b.s : "", want);
	strbuf_release(&b);
}
#define expect(m, name, want) expect_at(m, name, want, __LINE__)

/* ---- loads ------------------------------------------------------------------------------------------ */

static void early_memory(void **state)
{
	struct made m = make("static int early, late, both; static struct { int a, b; } s;\n"
			     "static void *th(void *x) { (void)x; late++; both++; s.b++;\n"
			     "	return (void *)(long)(early + s.a); }\n"
			     "static int init(void) { early = 1; s.a = 2; both = 3; return both; }\n"
			     "int main(void) { init(); go(0); return both + early; }\n");

	(void)state;
	expect(m, "init", "sss.");
	/* late, both, s.b, each loaded and stored; early, s.a */
	expect(m, "th", "LSLSLS..");
	expect(m, "main", "TTL.");
	assert_true(m.pl->nloads == 8 && m.pl->nlogged == 4);
	drop(m);
}

static void early_functions(void **state)
{
	struct made m = make("static int g; int h;\n"
			     "static void *th(void *x) { g++; return x; }\n"
			     "static void twice(void) { h++; }\n"
			     "static void once(void) { g = 1; }\n"
			     "__attribute__((constructor)) static void first(void) { g = 2; }\n"
			     "int main(void) { once(); twice(); go(0); twice(); }\n");
	uint32_t id;

	(void)state;
	func_of(m, "once", &id);
	assert_true(bitset_has(&m.pl->early, id));
	func_of(m, "first", &id);
	assert_true(bitset_has(&m.pl->early, id));
	func_of(m, "twice", &id);
	assert_false(bitset_has(&m.pl->early, id));
	func_of(m, "main", &id);
	assert_false(bitset_has(&m.pl->early, id));
	expect(m, "twice", "LS");
	drop(m);
}

/* a loop comes back to what was before the thread was started; and so does longjmp */
static void early_ends(void **state)
{
	struct made m = make("static int g[8];\n"
			     "static void *th(void *x) { return (void *)(long)g[(long)x]; }\n"
			     "int main(void) { for (int i = 0; i < 8; i++) { g[i] = i; go(0); } }\n");

	(void)state;
	expect(m, "th", "L");
	expect(m, "main", "ST");
	drop(m);
	m = make("static int g; static jmp_buf b;\n"
		 "static void *th(void *x) { (void)x; return (void *)(long)g; }\n"
		 "int main(void) { if (!setjmp(b)) { go(0); longjmp(b, 1); } g = 1; }\n");
	expect(m, "th", "L");
	drop(m);
}

static void signals_end_it(void **state)
{
	struct made m = make("static int g; static _Thread_local int t;\n"
			     "static void *th(void *x) { return x; }\n"
			     "static void on(int s) { t = s; g++; }\n"
			     "int main(void) { signal(SIGPIPE, SIG_IGN); g = 1; signal(SIGINT, on);\n"
			     "	g++; t++; return t; }\n");

	(void)state;
	expect(m, "on", "SLS");
	expect(m, "main", "YsYLSLSL");
	drop(m);
	/* nobody else: thread-local memory is not even looked at */
	m = make("static int g; static _Thread_local int t;\n"
		 "static void *th(void *x) { g++; t++; return x; }\n"
		 "int main(void) { signal(SIGPIPE, SIG_IGN); g = 1; go(0); g++; t++; return t; }\n");
	expect(m, "main", "YsTLS.s.");
	drop(m);
}

static void unknown_code_ends_it(void **state)
{
	/* it could start threads, but they would have nothing of ours to run */
	struct made m = make("static int g; static void *th(void *x) { return x; }\n"
			     "int main(void) { unknown(0); g = 1; return g; }\n");

	(void)state;
	expect(m, "main", "Us.");
	drop(m);
	m = make("static int g; static void *th(void *x) { return x; }\n"
		 "int main(void) { unknown((void *)th); g = 1; return g; }\n");
	expect(m, "main", "USL");
	drop(m);
}

static void local_memory(void **state)
{
	struct made m = make("static void *th(void *x) { char b[99]; int i = *(int *)x, *h = malloc(8);\n"
			     "	snprintf(b, 99, \"%d\", i); h[0] = b[i]; return (void *)(long)(h[0] + b[0]); }\n"
			     "int main(void) { int a = 1; go(&a); a = 2; return a; }\n");

	(void)state;
	/* a is shared and written late; b and the block are the thread's */
	expect(m, "th", "ALYE.s..");
	expect(m, "main", "AsTSL");
	drop(m);
	m = make("static void *th(void *x) { char b[99]; unknown(b); return (void *)(long)b[(long)x]; }\n"
		 "int main(void) { go(0); }\n");
	expect(m, "th", "AUL");
	drop(m);
}

static void thread_local_variables(void **state)
{
	struct made m = make("static _Thread_local int own, told; static int *p;\n"
			     "static void *th(void *x) { own++; told++; p = &told; return x; }\n"
			     "int main(void) { own = told = 1; go(0); return own + *p; }\n");

	(void)state;
	expect(m, "th", ".sLSS");
	expect(m, "main", "ssT.LL");
	drop(m);
}

static void constants(void **state)
{
	struct made m = make("static const int c[4] = {1, 2, 3}; extern const int d;\n"
			     "static void *th(void *x) { unknown((void *)c); return (void *)(long)(c[(long)x] + d); }\n"
			     "int main(void) { go(0); }\n");

	(void)state;
	expect(m, "th", "U.L");
	drop(m);
}

static void memory_of_the_library(void **state)
{
	/* what is inside of a FILE, a block from an unknown allocator, argv */
	struct made m = make("void *my_alloc(int); static void *th(void *x) { return x; }\n"
			     "static void *wrap(int n) { void *p = malloc(n); if (!p) abort(); return p; }\n"
			     "int main(int argc, char **argv) { int *f = (int *)fopen(argv[0], \"r\"), *g = my_alloc(4),\n"
			     "	*h = wrap(4); *h = 1; return *f + *g + *h; }\n");

	(void)state;
	expect(m, "main", "lEUTsll.");
	drop(m);
}

/* code outside changes a mutex, and says nothing about it */
static void memory_of_synchronization(void **state)
{
	struct made m = make("struct s { pthread_mutex_t m; int n; };\n"
			     "static void *th(void *x) { return x; }\n"
			     "int main(void) { struct s a = {.n = 1}, b; pthread_mutex_init(&a.m, 0); memcpy(&b, &a.n, 4);\n"
			     "	memcpy(&b, &a, 8); return a.n; }\n");

	(void)state;
	expect(m, "main", "APcsYcI.");
	drop(m);
}

static void sorting(void **state)
{
	struct made m = make("static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
			     "static int find(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
			     "static void *th(void *x) { int a[4] = {3, 1, 2}, k = 2; qsort(a, 4, 4, cmp);\n"
			     "	int b[2] = {1, 2}; bsearch(&k, b, 2, 4, find); return x; }\n"
			     "int main(void) { go(0); }\n");

	(void)state;
	expect(m, "cmp", "ll");
	expect(m, "find", "..");
	drop(m);
}

static void through_pointers(void **state)
{
	/* what a library function does is logged only where it is called by name */
	struct made m = make("static void *(*volatile copy)(void *, const void *, size_t) = memcpy;\n"
			     "static void *th(void *x) { char a[8], b[8] = \"1234567\"; copy(a, b, 8);\n"
			     "	return (void *)(long)a[(long)x]; }\n"
			     "int main(void) { go(0); }\n");

	(void)state;
	expect(m, "th", "AAc<LXL");
	drop(m);
}

static void variable_arguments(void **state)
{
	struct made m = make("static int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int s = 0;\n"
			     "	for (; n; n--) s += va_arg(a, int); va_end(a); va_end(b); return s; }\n"
			     "static void *th(void *x) { return x; }\n"
			     "int main(void) { return sum(2, 3, 4); }\n");
	struct strbuf b = {0};
	uint32_t id, logged = 0, i4 = 0;
	const struct plan_func *pf = func_of(m, "sum", &id);

	(void)state;
	vec_each (&m.p->funcs.at[id].insns, i) {
		const struct ir_insn *in = &m.p->funcs.at[id].insns.at[i];

		if (in->op == IR_VA_START)
			assert_true(pf->insn[i].what == PLAN_VA && pf->insn[i].bytes == 24);
		if (in->op == IR_VA_COPY)
			assert_int_equal(pf->insn[i].what, PLAN_NOTHING);
		if (in->op == IR_LOAD && pf->insn[i].what == PLAN_VALUES)
			logged++;
		i4 += in->op == IR_LOAD && pf->insn[i].what == PLAN_VALUES && in->type == 32;
	}
	/* the argument itself, and nothing of the va_list */
	assert_true(logged >= 1 && logged == i4);
	strbuf_release(&b);
	drop(m);
}

/* ---- other instructions ------------------------------------------------------------------------------- */

static void private_variables(void **state)
{
	struct made m = make("struct s { int a[4]; };\n"
			     "static void *th(void *x) { volatile int v = 1; volatile struct s s; struct s t;\n"
			     "	int w[4]; s.a[2] = v; memset(&t, 0, sizeof t); w[(long)x] = t.a[1];\n"
			     "	return (void *)(long)(s.a[2] + w[0]); }\n"
			     "int main(void) { int a; unknown(&a); go(0); }\n");
	uint32_t id, flagged = 0;
	const struct plan_func *pf = func_of(m, "th", &id);

	(void)state;
	/* v and s are; t would be, but sroa has made registers of it; w is indexed */
	vec_each (&m.p->funcs.at[id].insns, i) {
		const struct ir_insn *in = &m.p->funcs.at[id].insns.at[i];

		flagged += (in->op == IR_LOAD || in->op == IR_STORE) &&
			   pf->insn[i].flags & PLAN_F_PRIVATE;
	}
	assert_int_equal(flagged, 4);
	expect(m, "main", "AUT");
	drop(m);
}

/* Unreachable code may add to a pointer in a cycle. */
static void cycle_of_additions(void **state)
{
	static const char text[] = "heddle-ir 1\n"
				   "func @main() -> i32 {\n"
				   "	local l0 size 4 align 4\n"
				   "b0:\n"
				   "	%r0:ptr = alloca l0\n"
				   "	store.i32 %r0, 1\n"
				   "	ret i32 0\n"
				   "b1:\n"
				   "	%r1:ptr = padd %r2 + 4\n"
				   "	%r2:ptr = padd %r1 + 4\n"
				   "	store.i32 %r2, 1\n"
				   "	br b1\n"
				   "}\n";
	struct made m = {.p = ir_parse("cycle.ir", text, strlen(text))};
	uint32_t id;

	(void)state;
	assert_non_null(m.p);
	m.pl = plan_new(m.p, NULL, false);
	assert_true(func_of(m, "main", &id)->insn[1].flags & PLAN_F_PRIVATE);
	assert_false(func_of(m, "main", &id)->insn[5].flags & PLAN_F_PRIVATE);
	drop(m);
}

static void copies(void **state)
{
	struct made m = make("static char g[500], h[500];\n"
			     "static void *th(void *x) { char a[100]; memcpy(a, g, 64); memcpy(a, g, 65); memcpy(g, a, 100);\n"
			     "	memcpy(h, g, (size_t)x); memset(g, 0, 8); memmove(a, a + 1, (size_t)x); return x; }\n"
			     "int main(void) { memcpy(g, h, 500); go(0); }\n");
	uint32_t id, nbreaks = 0, bytes = 0;
	const struct plan_func *pf = func_of(m, "th", &id);

	(void)state;
	expect(m, "th", "AI>B>c<B><c<c");
	expect(m, "main", "cT");
	vec_each (&m.p->funcs.at[id].insns, i)
		if (ir_ops[m.p->funcs.at[id].insns.at[i].op].shape == IR_S_BULK) {
			nbreaks += (pf->insn[i].flags & PLAN_F_BREAK) != 0;
			bytes += pf->insn[i].bytes;
		}
	assert_int_equal(nbreaks, 2);
	assert_int_equal(bytes, 64);
	drop(m);
}

static void atomics(void **state)
{
	struct made m = make("static _Atomic int g; static _Thread_local _Atomic int t;\n"
			     "static void *th(void *x) { int e = 1; g++; t++; __atomic_compare_exchange_n((int *)&g, &e, 2, 0, 5, 5);\n"
			     "	return (void *)(long)e; }\n"
			     "int main(void) { g = 1; go(0); }\n");
	uint32_t id;
	const struct plan_func *pf = func_of(m, "th", &id);

	(void)state;
	vec_each (&m.p->funcs.at[id].insns, i) {
		const struct ir_insn *in = &m.p->funcs.at[id].insns.at[i];

		if (in->op == IR_CAS)
			assert_true(pf->insn[i].bytes == 5 && pf->insn[i].flags & PLAN_F_EVENT);
		if (in->op == IR_RMW_ADD)
			assert_true(pf->insn[i].bytes == 4 || pf->insn[i].bytes == 0);
	}
	drop(m);
}

static void calls(void **state)
{
	struct made m = make("static jmp_buf b; static void f(void) {} void (*p)(void) = f;\n"
			     "static void *th(void *x) { f(); p(); pthread_self(); malloc(1); if (setjmp(b)) longjmp(b, 1);\n"
			     "	strlen(x); puts(x); unknown(x); return x; }\n"
			     "int main(void) { go(0); }\n");
	uint32_t id, seen = 0;
	const struct plan_func *pf = func_of(m, "th", &id);

	(void)state;
	expect(m, "th", effects_find("pthread_self").kind == EFFECTS_PURE ? "T.XpYJjpEU"
									   : "T.XUYJjpEU");
	vec_each (&m.p->funcs.at[id].insns, i) {
		const struct plan_insn *pi = &pf->insn[i];

		if (pi->call == CALL_NONE)
			continue;
		seen++;
		assert_int_equal((pi->flags & PLAN_F_BREAK) != 0, pi->call != CALL_PURE);
		if (pi->call == CALL_EFFECT)
			assert_true(pi->bytes == 4 && pi->effect == effects_find("puts").number);
		if (pi->call == CALL_INDIRECT || pi->call == CALL_SYNC || pi->call == CALL_TRACED)
			assert_int_equal(pi->bytes, 0);
	}
	assert_int_equal(seen, 9);
	drop(m);
}

/* ---- segments ------------------------------------------------------------------------------------------- */

/* every rule of segments, held against the instructions */
static void check_segments(const struct ir_func *f, const struct plan_func *pf)
{
	uint32_t s = 0;

	vec_each (&f->blocks, b) {
		uint32_t i = f->blocks.at[b].first, end = i + f->blocks.at[b].n, carried = 0;

		while (i < end) {
			const struct plan_segment *sg = &pf->segment[s++];
			uint32_t bytes = carried, order = 0;

			assert_true(s <= pf->nsegments && sg->first == i && sg->n && i + sg->n <= end);
			assert_ptr_equal(plan_segment_at(pf, i), sg);
			carried = 0;
			for (uint32_t k = i; k < i + sg->n; k++) {
				const struct plan_insn *pi = &pf->insn[k];
				bool last = k + 1 == i + sg->n;
				uint32_t both = PLAN_F_READ | PLAN_F_WRITE;

				assert_true(last || !(pi->flags & PLAN_F_BREAK));
				assert_true(k == i || !plan_segment_at(pf, k));
				assert_int_equal(pi->order, order & 255);
				if (pi->flags & PLAN_F_EVENT)
					order += (pi->flags & both) == both ? 2 : 1;
				if (pi->flags & PLAN_F_BREAK && pi->call)
					carried = pi->bytes;
				else
					bytes += pi->bytes;
			}
			assert_int_equal(sg->bytes, bytes);
			assert_true(bytes <= 32 << 10);
			i += sg->n;
		}
		assert_int_equal(carried, 0);
	}
	assert_int_equal(s, pf->nsegments);
}

static void segments(void **state)
{
	struct strbuf text = {0};
	struct made m;
	uint32_t id, most = 0;

	(void)state;
	strbuf_adds(&text, "static volatile long g; long f(long);\n"
			   "static void *th(void *x) { long s = 0; g++; s = f(g) + f(g) + g;\n");
	for (int i = 0; i < 9000; i++)
		strbuf_adds(&text, "s += g;");
	strbuf_adds(&text, "return (void *)(s + (long)x); }\nint main(void) { go(0); g++; }\n");
	m = make(text.s);
	vec_each (&m.p->funcs, f)
		if (m.pl->funcs[f].traced)
			check_segments(&m.p->funcs.at[f], &m.pl->funcs[f]);
	func_of(m, "th", &id);
	for (uint32_t i = 0; i < m.pl->funcs[id].nsegments; i++)
		most = MAX(most, m.pl->funcs[id].segment[i].bytes);
	assert_int_equal(most, 32 << 10);
	assert_int_equal(m.pl->funcs[id].nsegments, 5);
	drop(m);
	strbuf_release(&text);
}

/* does the other target of the branch tell which way it went? */
static bool other_tells(const struct ir_func *f, const struct plan_func *pf, const struct ir_insn *t,
	uint32_t b)
{
	uint32_t x, y, other;

	if (t->op != IR_CBR)
		return false;
	x = f->edges.at[t->arg[1]].to;
	y = f->edges.at[t->arg[2]].to;
	other = x == b ? y : x;
	return other != b && pf->block_hash[other];
}

static void block_hashes(void **state)
{
	struct made m = make("static void *th(void *x) { return x; }\n"
			     "int main(int n, char **v) { (void)v; int s = 0; while (n--) { if (n & 1) s += n; else s ^= 3; }\n"
			     "	switch (s) { case 1: return 5; case 2: return 7; } return s; }\n");
	uint32_t id;
	const struct plan_func *pf = func_of(m, "main", &id);
	const struct ir_func *f = &m.p->funcs.at[id];
	struct map seen = {0};

	(void)state;
	assert_true(pf->block_hash[0]);
	vec_each (&f->blocks, b) {
		uint32_t from = 0, jumps = 0, told = 0;

		vec_each (&f->blocks, a)
			for (uint32_t k = 0; k < ir_insn_nedges(ir_terminator(f, a)); k++)
				if (f->edges.at[ir_insn_edge(f, ir_terminator(f, a), k)].to == b) {
					from++;
					jumps += ir_terminator(f, a)->op == IR_BR;
					told += other_tells(f, pf, ir_terminator(f, a), b);
				}
		if (from == 1 && jumps == 1)
			assert_int_equal(pf->block_hash[b], 0);
		else if (!pf->block_hash[b])
			assert_true(from == 1 && told == 1);
		assert_true(pf->block_hash[b] <= INT32_MAX);
		if (pf->block_hash[b])
			assert_int_equal((*map_put(&seen, pf->block_hash[b]))++, 0);
	}
	map_release(&seen);
	drop(m);
}

/* ---- functions -------------------------------------------------------------------------------------------- */

static const char many[] =
	"static int g, h; struct big { char c[40]; };\n"
	"static void a(void) { h++; } static void b(void) { g++; h++; } static void c(void) { b(); }\n"
	"static void d(void) {} void (*table[])(void) = {d}; int by(struct big x) { return x.c[3]; }\n"
	"void seen(void) { a(); } static void *th(void *x) { c(); a(); return x; }\n"
	"int main(void) { struct big x = {{1}}; go(0); h = 1; seen(); return by(x); }\n";

static bool thunk(struct made m, const char *name)
{
	uint32_t id;

	return func_of(m, name, &id)->thunk;
}

static void thunks(void **state)
{
	static const char *const exclude[] = {"c", "se*", NULL};
	struct plan_options opt = {.exclude = exclude};
	struct made m = make(many);
	uint32_t id;

	(void)state;
	assert_true(thunk(m, "main") && thunk(m, "d") && thunk(m, "th"));
	assert_false(thunk(m, "a") || thunk(m, "b") || thunk(m, "seen") || thunk(m, "by"));
	assert_int_equal(func_of(m, "by", &id)->entry_bytes, 48);
	drop(m);
	m = make_with(many, NULL, true);
	assert_true(thunk(m, "seen") && thunk(m, "by"));
	assert_false(thunk(m, "a"));
	drop(m);
	m = make_with(many, &opt, false);
	assert_true(thunk(m, "a") && thunk(m, "b"));
	assert_false(func_of(m, "c", &id)->traced || func_of(m, "seen", &id)->traced);
	assert_false(thunk(m, "c") || thunk(m, "seen"));
	drop(m);
}

static void excluded_functions(void **state)
{
	static const char *const exclude[] = {"out*", NULL};
	struct plan_options opt = {.exclude = exclude};
	static const char text[] = "static int g, k; static void out(void) { g++; }\n"
				   "static void *th(void *x) { return x; }\n"
				   "int main(void) { g = 1; k = 1; out(); return g + k; }\n";
	/* the same, with `out` in a file of its own */
	static const char *const by_file[] = {"*/lib/*", "out.c", NULL};
	static const char lines[] = "static int g, k;\n"
				    "# 1 \"src/lib/counter.c\"\n"
				    "static void out(void) { g++; }\n"
				    "# 9 \"src/outer.c\"\n"
				    "static void *th(void *x) { return x; }\n"
				    "int main(void) { g = 1; k = 1; out(); return g + k; }\n";
	struct made m = make(text);

	(void)state;
	expect(m, "main", "ssT..");
	drop(m);
	m = make_with(text, &opt, false);
	expect(m, "main", "ssUl.");
	drop(m);
	opt.exclude = by_file;
	m = make_with(lines, &opt, false);
	expect(m, "main", "ssUl.");
	drop(m);
}

static void whole_and_hash(void **state)
{
	static const char *const exclude[] = {"d", NULL};
	struct plan_options whole = {.whole = true}, without = {.exclude = exclude};
	struct made plain = make(many), again = make(many), all = make_with(many, &whole, false),
		    less = make_with(many, &without, false);

	(void)state;
	assert_true(plain.pl->hash == again.pl->hash);
	assert_true(plain.pl->hash != all.pl->hash && plain.pl->hash != less.pl->hash);
	assert_int_equal(all.pl->nlogged, all.pl->nloads);
	assert_true(plain.pl->nlogged < plain.pl->nloads);
	vec_each (&plain.p->funcs, f)
		if (plain.pl->funcs[f].traced)
			vec_each (&plain.p->funcs.at[f].insns, i) {
				const struct plan_insn *x = &plain.pl->funcs[f].insn[i],
						       *y = &all.pl->funcs[f].insn[i];

				assert_int_equal(x->flags & PLAN_F_EVENT, y->flags & PLAN_F_EVENT);
				assert_false(y->flags & PLAN_F_PRIVATE);
				if (plain.p->funcs.at[f].insns.at[i].op == IR_ALLOCA)
					assert_int_equal(y->bytes, 8);
			}
	drop(plain);
	drop(again);
	drop(all);
	drop(less);
}

/* a library may call what has a name that it knows */
static void own_library_functions(void **state)
{
	struct made m = make("static int g; static void *th(void *x) { return x; }\n"
			     "void *malloc(size_t n) { g++; return (void *)n; }\n"
			     "int main(void) { g = 1; return (int)(long)malloc(3) + g; }\n");

	(void)state;
	assert_true(thunk(m, "malloc"));
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_memory),
		cmocka_unit_test(early_functions),
		cmocka_unit_test(early_ends),
		cmocka_unit_test(signals_end_it),
		cmocka_unit_test(unknown_code_ends_it),
		cmocka_unit_test(local_memory),
		cmocka_unit_test(thread_local_variables),
		cmocka_unit_test(constants),
		cmocka_unit_test(memory_of_the_library),
		cmocka_unit_test(memory_of_synchronization),
		cmocka_unit_test(sorting),
		cmocka_unit_test(through_pointers),
		cmocka_unit_test(variable_arguments),
		cmocka_unit_test(private_variables),
		cmocka_unit_test(cycle_of_additions),
		cmocka_unit_test(copies),
		cmocka_unit_test(atomics),
		cmocka_unit_test(calls),
		cmocka_unit_test(segments),
		cmocka_unit_test(block_hashes),
		cmocka_unit_test(thunks),
		cmocka_unit_test(excluded_functions),
		cmocka_unit_test(whole_and_hash),
		cmocka_unit_test(own_library_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
