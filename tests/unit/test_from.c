/*
 * Initial states of explorations from the middle of a program: symbols are named by what they stand
 * for, so that each path has the same ones, and a thread that is joined and is none of the given
 * ones has ended if the given ones are all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/strbuf.h"
#include "cli/models.h"
#include "explore/explore_internal.h"
#include "explore/from.h"
#include "import/import.h"
#include "llvm_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
	"#include <pthread.h>\n"
	"#include <semaphore.h>\n"
	"#include <stdlib.h>\n"
	"struct node { struct node *next; int key; sem_t s; pthread_mutex_t m; };\n"
	"static struct node *list;\n"
	"static pthread_t other;\n"
	"static pthread_barrier_t b;\n"
	"static int n;\n"
	"static void *work(void *arg)\n"
	"{\n"
	"	struct node *p = list, *q = arg;\n"
	"	if (n) { struct node *r = p; p = q; q = r; }\n"
	"	if (p->key > 3)\n"
	"		sem_wait(&q->s);\n"
	"	if (q->next->key)\n"
	"		sem_post(&p->s);\n"
	"	if (p->next->key > 7)\n"
	"		pthread_barrier_wait(&b);\n"
	"	pthread_mutex_lock(&q->m);\n"
	"	pthread_mutex_unlock(&q->m);\n"
	"	return arg;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	pthread_t t;\n"
	"	n = argc;\n"
	"	for (int i = 0; i < argc; i++) {\n"
	"		struct node *p = calloc(1, sizeof *p);\n"
	"		p->next = list;\n"
	"		list = p;\n"
	"	}\n"
	"	pthread_barrier_init(&b, 0, argc);\n"
	"	pthread_create(&other, 0, work, list);\n"
	"	pthread_create(&t, 0, work, list->next);\n"
	"	pthread_join(argc > 5 ? t : other, 0);\n"
	"	return 0;\n"
	"}\n";

static struct ir_program *make_program(void)
{
	char path[] = "/tmp/heddle-test-from-XXXXXX.c";
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};
	int fd = mkstemps(path, 2);

	assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
	close(fd);
	assert_true(llvm_compile(&bc, path, "sroa"));
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED),
		0);
	unlink(path);
	strbuf_release(&bc);
	return p;
}

/* Whether term_fresh() made the symbol: its name ends with !NUMBER. */
static bool is_fresh(const char *name)
{
	const char *s = strrchr(name, '!');

	return s && s[1] && !s[1 + strspn(s + 1, "0123456789")];
}

struct count {
	uint64_t paths, ends[EXPLORE_N_ENDS], fresh, symbols;
};

static struct count explore(const char *places, const struct from_options *fo)
{
	char name[] = "program", *argv[] = {name, NULL}, *envp[] = {NULL};
	struct ir_program *p = make_program();
	struct inputs inputs;
	struct explore_options opt = {.search = EXPLORE_DFS,
		.max_paths = 40,
		.max_instructions = 20000,
		.max_memory = 1 << 28,
		.preemptions = UINT32_MAX,
		.inputs = &inputs,
		.tests = EXPLORE_TESTS_NONE,
		.seed = 1,
		.solver_seconds = 10};
	struct count c = {0};
	struct explore *ex;

	inputs_init(&inputs);
	opt.from = from_new(p, places, fo);
	assert_non_null(opt.from);
	ex = explore_new(p, 1, argv, envp, &opt);
	assert_non_null(ex);
	assert_int_equal(explore_run(ex), 0);
	c.paths = explore_stats(ex)->paths;
	memcpy(c.ends, explore_stats(ex)->ends, sizeof c.ends);
	c.symbols = terms_n_syms(ex->ts);
	for (uint32_t i = 0; i < c.symbols; i++)
		c.fresh += is_fresh(term_name(ex->ts, terms_sym_at(ex->ts, i)));
	explore_free(ex);
	from_free(opt.from);
	inputs_release(&inputs);
	ir_program_free(p);
	return c;
}

/* Several paths use pointers, semaphores and the barrier after other branches; none has symbols of
 * its own. */
static void symbols_have_names(void **state)
{
	static const struct from_options options[] = {
		{0}, {.no_reach = true, .no_invariants = true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct count c = explore("work@T1,work@T2", &options[i]);

		assert_true(c.paths > 10);
		assert_true(c.symbols > 10);
		assert_int_equal(c.fresh, 0);
	}
}

static void all_threads_are_given(void **state)
{
	struct count some = explore("main:35@T0", &(struct from_options){0});
	struct count all = explore("main:35@T0", &(struct from_options){.all_threads = true});

	(void)state;
	assert_true(some.ends[END_EXIT] > 0);
	assert_true(
		some.paths > some.ends[END_EXIT]); /* the thread runs: the join does not return */
	assert_int_equal(all.ends[END_EXIT], some.ends[END_EXIT]);
	assert_int_equal(all.paths, all.ends[END_EXIT]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_have_names),
		cmocka_unit_test(all_threads_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
