/* Places as users write them, and what a context says of small programs: lines that must be there. */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "context/context.h"
#include "import/import.h"
#include "llvm_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct setup {
	struct ir_program *p;
	struct points_to *pt;
	struct terms *ts;
	struct strbuf said, printed; /* by the parser; of the context */
	struct context *c;
};

static void take_message(void *ctx, const char *message)
{
	strbuf_addf(ctx, "%s\n", message);
}

static void setup(struct setup *s, const char *text)
{
	char path[] = "/tmp/heddle-context-XXXXXX.c";
	struct strbuf bc = {0};
	int fd = mkstemps(path, 2);

	*s = (struct setup){.p = ir_program_new(), .ts = terms_new()};
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_true(llvm_compile(&bc, path, "sroa,early-cse,instsimplify"));
	assert_int_equal(import_bitcode(s->p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(s->p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED), 0);
	strbuf_release(&bc);
	unlink(path);
	s->pt = points_to_new(s->p, NULL);
}

static void put_away(struct setup *s)
{
	context_free(s->c);
	points_to_free(s->pt);
	terms_free(s->ts);
	ir_program_free(s->p);
	strbuf_release(&s->said);
	strbuf_release(&s->printed);
}

static int parse(struct setup *s, const char *places, struct vec_context_thread *v)
{
	int rc;

	strbuf_clear(&s->said);
	diag_set_sink(take_message, &s->said);
	rc = context_parse(s->p, places, v);
	diag_set_sink(NULL, NULL);
	return rc;
}

static void stand(struct setup *s, const char *places, const struct context_options *opt)
{
	struct vec_context_thread v = {0};

	assert_int_equal(parse(s, places, &v), 0);
	context_free(s->c);
	s->c = context_new(s->p, s->pt, s->ts, v.at, v.n, opt);
	strbuf_clear(&s->printed);
	context_print(s->c, &s->printed);
	context_threads_release(&v);
}

/* is there a line with all of these in it, in this order? */
static bool has_line(const struct setup *s, const char *a, const char *b, const char *c)
{
	const char *line = s->printed.s;

	while (line && *line) {
		const char *end = strchr(line, '\n'), *at;
		char *copy = strndup(line, (size_t)(end - line));
		bool found = (at = strstr(copy, a)) && (at = strstr(at, b)) && strstr(at, c);

		free(copy);
		if (found)
			return true;
		line = end + 1;
	}
	return false;
}

static void expect(const struct setup *s, const char *a, const char *b, const char *c)
{
	if (!has_line(s, a, b, c))
		fail_msg("no line with '%s', '%s', '%s' in\n%s", a, b, c, s->printed.s);
}

static void expect_not(const struct setup *s, const char *a, const char *b, const char *c)
{
	if (has_line(s, a, b, c))
		fail_msg("a line with '%s', '%s', '%s' in\n%s", a, b, c, s->printed.s);
}

/* ---- places ---------------------------------------------------------------------------------- */

static const char pool[] =
	"#include <pthread.h>\n"                                          /* 1 */
	"#include <stdlib.h>\n"
	"struct queue { pthread_mutex_t m; pthread_cond_t c; int n, cap; };\n"
	"struct config { int size; struct queue *q; };\n"
	"static struct config cfg;\n"                                     /* 5 */
	"static int sum, untouched = 9;\n"
	"static struct queue *make(int cap)\n"
	"{\n"
	"	struct queue *q = malloc(sizeof *q);\n"
	"	if (!q) abort();\n"                                       /* 10 */
	"	pthread_mutex_init(&q->m, NULL);\n"
	"	pthread_cond_init(&q->c, NULL);\n"
	"	q->n = 0;\n"
	"	q->cap = cap;\n"
	"	return q;\n"                                              /* 15 */
	"}\n"
	"static void lock(struct queue *q) { pthread_mutex_lock(&q->m); }\n"
	"static void unlock(struct queue *q) { pthread_mutex_unlock(&q->m); }\n"
	"static int get(struct queue *q)\n"
	"{\n"                                                             /* 20 */
	"	lock(q);\n"
	"	while (!q->n)\n"
	"		pthread_cond_wait(&q->c, &q->m);\n"
	"	q->n--;\n"
	"	unlock(q);\n"                                             /* 25 */
	"	return 1;\n"
	"}\n"
	"static void *worker(void *arg)\n"
	"{\n"
	"	struct config *c = arg;\n"                                /* 30 */
	"	int limit = c->size * 2, got = 0;\n"
	"\n"
	"	for (int i = 0; i < limit; i++) {\n"
	"		got += get(c->q);\n"
	"		sum += got;\n"                                    /* 35 */
	"	}\n"
	"	return (void *)(long)got;\n"
	"}\n"
	"static void setup(struct config *c)\n"
	"{\n"                                                             /* 40 */
	"	c->size = 10;\n"
	"	c->q = make(c->size);\n"
	"}\n"
	"int main(void)\n"
	"{\n"                                                             /* 45 */
	"	pthread_t t[2];\n"
	"	setup(&cfg);\n"
	"	pthread_create(&t[0], NULL, worker, &cfg);\n"
	"	pthread_create(&t[1], NULL, worker, &cfg);\n"
	"	lock(cfg.q);\n"                                           /* 50 */
	"	cfg.q->n = 40;\n"
	"	pthread_cond_broadcast(&cfg.q->c);\n"
	"	unlock(cfg.q);\n"
	"	pthread_join(t[0], NULL);\n"
	"	pthread_join(t[1], NULL);\n"                              /* 55 */
	"	return sum + untouched;\n"
	"}\n";

static void places(void **state)
{
	struct setup s;
	struct vec_context_thread v = {0};

	(void)state;
	setup(&s, pool);
	assert_int_equal(parse(&s, "worker>get:24@T1,main:54@T0,worker:34>get:23@T2@wait", &v), 0);
	assert_int_equal(v.n, 3);
	assert_int_equal(v.at[0].stack.n, 2);
	assert_string_equal(ir_func_name(s.p, v.at[0].stack.at[0].func), "worker");
	assert_string_equal(ir_func_name(s.p, v.at[0].stack.at[1].func), "get");
	assert_true(v.at[0].complete && v.at[1].complete && v.at[2].complete);
	assert_true(!v.at[0].waiting && v.at[2].waiting);
	assert_int_equal(v.at[1].id, 0);
	context_threads_release(&v);
	assert_int_equal(parse(&s, "get@T3", &v), 0);
	assert_int_equal(v.at[0].stack.at[0].insn, 0);
	assert_false(v.at[0].complete);
	context_threads_release(&v);
	put_away(&s);
}

static void wrong_places(void **state)
{
	static const struct {
		const char *places, *said;
	} wrong[] = {
		{"worke@T1", "did you mean 'worker'"},
		{"nothing_like_it@T1", "no function 'nothing_like_it'"},
		{"worker:32@T1", "nearest lines with code are 31 and 33"},
		{"worker:99@T1", "last line with code is"},
		{"worker", "write FUNCTION[:LINE]@T1"},
		{"worker@", "write FUNCTION[:LINE]@T1"},
		{"worker@X", "is not a thread"},
		{"worker:x@T1", "is not a line"},
		{"worker@T1@sleep", "only '@wait'"},
		{"worker@T1,main@T1", "two places"},
		{"main>get@T1", "it is called at 'worker:34'"},
		{"main>lock@T0", NULL}, /* right */
		{"worker>get:24@T1@wait", "no call on line 24"},
	};
	struct vec_context_thread v = {0};
	struct setup s;

	(void)state;
	setup(&s, pool);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		int rc = parse(&s, wrong[i].places, &v);

		assert_int_equal(rc, wrong[i].said ? -1 : 0);
		if (wrong[i].said && !strstr(s.said.s, wrong[i].said))
			fail_msg("'%s' says: %s", wrong[i].places, s.said.s);
		context_threads_release(&v);
	}
	put_away(&s);
}

/* ---- what is known --------------------------------------------------------------------------- */

static void memory_of_before(void **state)
{
	struct setup s;

	(void)state;
	setup(&s, pool);
	stand(&s, "worker>get:24@T1,main:54@T0", NULL);
	expect(&s, "T1 worker.limit", "= #x00000014", "");
	expect(&s, "T1 get.q", "= |block", "");
	expect(&s, "memory |cfg", "+8 = |block", "");
	expect(&s, "memory |block", "= #x0000000a", ""); /* cap */
	expect(&s, "T1 holds |block", "", "");
	expect(&s, "holds (bvslt |worker.i", "#x00000014)", "");
	expect_not(&s, "memory |sum", "", "");
	/* nobody knows who called it, but all do it with the same queue */
	stand(&s, "get:24@T1", NULL);
	expect(&s, "T1 get.q", "= |block", "");
	expect(&s, "T1 holds |block", "", "");
	put_away(&s);
}

static uint32_t global_named(const struct ir_program *p, const char *name)
{
	vec_each (&p->globals, g)
		if (!strcmp(ir_str(p, p->globals.at[g].name), name))
			return g;
	return IR_NONE;
}

static void untouched_globals(void **state)
{
	struct setup s;

	(void)state;
	setup(&s, pool);
	stand(&s, "worker>get:24@T1,main:54@T0", NULL);
	assert_true(context_untouched(s.c, global_named(s.p, "untouched"), 0, 4));
	assert_false(context_untouched(s.c, global_named(s.p, "sum"), 0, 4));
	assert_false(context_untouched(s.c, global_named(s.p, "cfg"), 0, 4));
	/* before anything is done, everything is as it was */
	stand(&s, "main:47@T0", NULL);
	assert_true(context_untouched(s.c, global_named(s.p, "sum"), 0, 4));
	assert_true(context_untouched(s.c, global_named(s.p, "cfg"), 0, 16));
	/* past the end is not inside */
	assert_false(context_untouched(s.c, global_named(s.p, "cfg"), 8, 16));
	put_away(&s);
}

static void waiting_threads(void **state)
{
	struct setup s;

	(void)state;
	setup(&s, pool);
	stand(&s, "worker>get:23@T1@wait", NULL);
	expect_not(&s, "T1 holds |block", "", "");
	stand(&s, "worker>get:23@T1", NULL);
	expect(&s, "T1 holds |block", "", "");
	put_away(&s);
}

static void options(void **state)
{
	struct context_options reach = {.no_reach = true}, both = {.no_reach = true, .no_invariants = true};
	struct setup s;
	uint32_t n;

	(void)state;
	setup(&s, pool);
	stand(&s, "worker>get:24@T1", &reach);
	expect_not(&s, "worker.limit", "#x", "");
	assert_true(context_memory(s.c, &n) == NULL || n == 0);
	stand(&s, "worker>get:24@T1", &both);
	expect_not(&s, "T1 ", "hold", "");
	put_away(&s);
}

/* ---- interference-free regions --------------------------------------------------------------- */

static const char shared[] =
	"#include <pthread.h>\n"                                          /* 1 */
	"#include <stdio.h>\n"
	"static int a = 3, b, sink, bytes;\n"
	"static volatile int flag;\n"
	"static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n" /* 5 */
	"static pthread_cond_t c;\n"
	"static void breathe(void)\n"
	"{\n"
	"	pthread_mutex_unlock(&m);\n"
	"	pthread_mutex_lock(&m);\n"                                /* 10 */
	"}\n"
	"static void set(int v)\n"
	"{\n"
	"	breathe();\n"
	"	a = v;\n"                                                 /* 15 */
	"}\n"
	"static int get(void) { return a; }\n"
	"static void *work(void *arg)\n"
	"{\n"
	"	int x, y;\n"                                              /* 20 */
	"	pthread_mutex_lock(&m);\n"
	"	x = a;\n"
	"	sink = x;\n"
	"	b = 7;\n"
	"	pthread_mutex_lock(&n);\n"                                /* 25 */
	"	y = get() + 1;\n"
	"	sink = y;\n"
	"	pthread_mutex_unlock(&n);\n"
	"	sink = 1;\n"
	"	a = 11;\n"                                                /* 30 */
	"	sink = 2;\n"
	"	breathe();\n"
	"	sink = 3;\n"
	"	set(12);\n"
	"	sink = 4;\n"                                              /* 35 */
	"	while (!b)\n"
	"		pthread_cond_wait(&c, &m);\n"
	"	sink = 5;\n"
	"	a = 13;\n"
	"	for (int i = 0; i < y; i++)\n"                            /* 40 */
	"		sink += i;\n"
	"	sink = 6;\n"
	"	for (int i = 0; i < y; i++)\n"
	"		breathe();\n"
	"	sink = 7;\n"                                              /* 45 */
	"	a = 14;\n"
	"	flag = 1;\n"
	"	sink = 8;\n"
	"	a = 15;\n"
	"	puts(\"x\");\n"                                           /* 50 */
	"	sink = 9;\n"
	"	a = 16;\n"
	"	__atomic_store_n(&bytes, 1, __ATOMIC_RELAXED);\n"
	"	sink = 10;\n"
	"	do {\n"                                                   /* 55 */
	"		a = 17;\n"
	"		sink = 11;\n"
	"		breathe();\n"
	"	} while (b);\n"
	"	sink = 12;\n"                                             /* 60 */
	"	pthread_mutex_unlock(&m);\n"
	"	return arg;\n"
	"}\n"
	"int main(void)\n"
	"{\n"                                                             /* 65 */
	"	pthread_t t[2];\n"
	"	pthread_create(&t[0], NULL, work, NULL);\n"
	"	pthread_create(&t[1], NULL, work, NULL);\n"
	"	pthread_join(t[0], NULL);\n"
	"	pthread_join(t[1], NULL);\n"                              /* 70 */
	"	return sink + a;\n"
	"}\n";

static void interference_free_regions(void **state)
{
	static const struct {
		const char *at, *what, *is; /* NULL: not known */
	} facts[] = {
		{"work:22@T1", "memory |a", NULL},
		{"work:23@T1", "memory |a", "= |work."},
		{"work:25@T1", "memory |b", "#x00000007"},
		/* taking a lock ends nothing, nor does a call that only reads */
		{"work:27@T1", "memory |a", "= |work."},
		{"work:27@T1", "memory |b", "#x00000007"},
		{"work>get:17@T1", "memory |b", "#x00000007"},
		{"work:25@T1@wait", "memory |b", "#x00000007"},
		{"work:29@T1", "memory |a", NULL},
		{"work:29@T1", "memory |b", NULL},
		{"work:31@T1", "memory |a", "#x0000000b"},
		/* a call that releases, and one that defines after it has */
		{"work:33@T1", "memory |a", NULL},
		{"work:32>breathe:10@T1", "memory |a", NULL},
		{"work:32>breathe:9@T1", "memory |a", "#x0000000b"},
		{"work:35@T1", "memory |a", "#x0000000c"},
		/* the last thing on every way was to look at it */
		{"work:38@T1", "memory |b", "= |work."},
		{"work:38@T1", "memory |a", NULL},
		{"work:37@T1", "memory |b", "= |work."},
		{"work:37@T1@wait", "memory |b", NULL},
		/* loops */
		{"work:41@T1", "memory |a", "#x0000000d"},
		{"work:42@T1", "memory |a", "#x0000000d"},
		{"work:44@T1", "memory |a", NULL},
		{"work:45@T1", "memory |a", NULL},
		{"work:57@T1", "memory |a", "#x00000011"},
		{"work:60@T1", "memory |a", NULL},
		/* volatile, library, atomic */
		{"work:47@T1", "memory |a", "#x0000000e"},
		{"work:48@T1", "memory |a", NULL},
		{"work:48@T1", "memory |flag", NULL},
		{"work:51@T1", "memory |a", NULL},
		{"work:54@T1", "memory |a", NULL},
		{"work:54@T1", "memory |bytes", NULL},
	};
	struct context_options races = {.races = true};
	struct setup s;

	(void)state;
	setup(&s, shared);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		stand(&s, facts[i].at, NULL);
		if (has_line(&s, facts[i].what, facts[i].is ? facts[i].is : "=", "") !=
			!!facts[i].is)
			fail_msg("at %s, '%s' '%s':\n%s", facts[i].at, facts[i].what,
				facts[i].is ? facts[i].is : "", s.printed.s);
		stand(&s, facts[i].at, &races);
		expect_not(&s, facts[i].what, "=", "");
	}
	put_away(&s);
}

static const char handler[] =
	"#include <pthread.h>\n"                                          /* 1 */
	"#include <signal.h>\n"
	"static int a;\n"
	"static void handle(int s) { a = s; }\n"
	"static void *work(void *arg)\n"                                  /* 5 */
	"{\n"
	"	a = 5;\n"
	"	return arg;\n"
	"}\n"
	"int main(void)\n"                                                /* 10 */
	"{\n"
	"	pthread_t t;\n"
	"	SET;\n"
	"	pthread_create(&t, NULL, work, NULL);\n"
	"	a = 6;\n"                                                 /* 15 */
	"	pthread_join(t, NULL);\n"
	"	handle(1);\n"
	"	return a;\n"
	"}\n";

/* A handler runs in the middle of the thread's own way: no race, and no region. */
static void regions_and_handlers(void **state)
{
	static const char *const set[] = {"", "signal(SIGINT, handle)"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct strbuf b = {0};
		struct setup s;

		strbuf_addf(&b, "#define SET %s\n#line 1\n%s", set[i], handler);
		setup(&s, b.s);
		stand(&s, "work:8@T1", NULL);
		(i ? expect_not : expect)(&s, "memory |a", "#x00000005", "");
		put_away(&s);
		strbuf_release(&b);
	}
}

/* ---- barriers -------------------------------------------------------------------------------- */

static const char stencil[] =
	"#include <pthread.h>\n"
	"#include <stdlib.h>\n"
	"static int n = 8, threads = 2, next;\n"
	"static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
	"static pthread_barrier_t bar;\n" /* 5 */
	"static void meet(void) { pthread_barrier_wait(&bar); }\n"
	"static void *work(void *arg)\n"
	"{\n"
	"	int id;\n"
	"	pthread_mutex_lock(&m);\n" /* 10 */
	"	id = next++;\n"
	"	pthread_mutex_unlock(&m);\n"
	"	for (int k = 0; k < n; k++) {\n"
	"		meet();\n"
	"		id += k;\n" /* 15 */
	"		meet();\n"
	"		id ^= k;\n"
	"	}\n"
	"	return (void *)(long)id;\n"
	"}\n" /* 20 */
	"int main(int argc, char **argv)\n"
	"{\n"
	"	pthread_t t[8];\n"
	"	if (argc > 1) n = atoi(argv[1]);\n"
	"	if (argc > 2) threads = atoi(argv[2]);\n" /* 25 */
	"	pthread_barrier_init(&bar, NULL, THREADS);\n"
	"	for (int i = 0; i < threads; i++)\n"
	"		pthread_create(&t[i], NULL, work, NULL);\n"
	"	for (int i = 0; i < threads; i++)\n"
	"		pthread_join(t[i], NULL);\n" /* 30 */
	"	return next;\n"
	"}\n";

static char *with_threads(const char *count)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "#define THREADS %s\n#line 1\n%s", count, stencil);
	return strbuf_detach(&b);
}

static void matching(void **state)
{
	char *right = with_threads("threads"), *wrong = with_threads("4");
	struct setup s;

	(void)state;
	setup(&s, right);
	stand(&s, "work:15@T1,work:15@T2", NULL);
	expect(&s, "holds (= |work.k", "|work.k", "");
	expect(&s, "barrier |bar", " of |main", "");
	/* the first half of a round after the second half of the one before */
	stand(&s, "work:17@T1,work:17@T2", NULL);
	expect(&s, "holds (= |work.k", "|work.k", "");
	stand(&s, "work:15@T1,work:17@T2", NULL);
	expect_not(&s, "holds (= |work.k", "|work.k", "");
	put_away(&s);
	/* perhaps more threads than the barrier counts */
	setup(&s, wrong);
	stand(&s, "work:15@T1,work:15@T2", NULL);
	expect_not(&s, "holds (= |work.k", "|work.k", "");
	expect(&s, "barrier |bar", " of #x00000004", "");
	put_away(&s);
	free(right);
	free(wrong);
}

/* HEDDLE_CONTEXT="FILE.c PLACES" prints, for whoever wants to see */
static void show(void **state)
{
	char *file = strdup(getenv("HEDDLE_CONTEXT")), *at = strchr(file, ' ');
	struct strbuf text = {0};
	struct setup s;

	(void)state;
	assert_non_null(at);
	*at++ = 0;
	assert_int_equal(strbuf_read_file(&text, file), 0);
	setup(&s, text.s);
	stand(&s, at, NULL);
	puts(s.printed.s);
	put_away(&s);
	strbuf_release(&text);
	free(file);
}

int main(void)
{
	const struct CMUnitTest shown[] = {cmocka_unit_test(show)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(wrong_places),
		cmocka_unit_test(memory_of_before),
		cmocka_unit_test(untouched_globals),
		cmocka_unit_test(waiting_threads),
		cmocka_unit_test(options),
		cmocka_unit_test(interference_free_regions),
		cmocka_unit_test(regions_and_handlers),
		cmocka_unit_test(matching),
	};

	return getenv("HEDDLE_CONTEXT") ? cmocka_run_group_tests(shown, NULL, NULL)
					: cmocka_run_group_tests(tests, NULL, NULL);
}
