/*
 * Saved states: programs run on the machine are saved at random moments, go on, and are taken back.
 * The slow twin of a save is a text of the whole state, compared byte by byte; and from every save on
 * the program must end as it did the first time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "import/import.h"
#include "llvm_text.h"
#include "machine/save.h"
#include "memory/mem_page.h"
#include "rng.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_KEPT = 12 };

/* ---- the twin ----------------------------------------------------------------------------------
 * `all`: what lies in bytes and registers that were never written counts too. So it is between a save
 * and its restore, but not between two runs. */

static void add(struct strbuf *b, const void *p, size_t n)
{
	if (n)
		strbuf_add(b, p, n);
}

static void add_page(struct strbuf *b, uint64_t no, const struct mem_page *p, bool all)
{
	add(b, &no, sizeof no);
	add(b, &p->nvalid, sizeof p->nvalid);
	add(b, &p->readonly, sizeof p->readonly);
	add(b, p->valid, MEM_PAGE / 8);
	add(b, p->init, MEM_PAGE / 8);
	for (unsigned i = 0; i < MEM_PAGE; i++) {
		const struct mem_cell *c;

		if (!bit(p->valid, i))
			continue;
		if (all || bit(p->init, i))
			add(b, &p->bytes[i], 1);
		c = bit(p->init, i) ? NULL : cells_find(p, i);
		if (c)
			add(b, c, sizeof *c);
	}
}

static void add_memory(struct strbuf *b, struct mem *m, bool all)
{
	struct vec_u64 nos = {0};

	map_each (&m->pages, i)
		vec_push(&nos, m->pages.slots[i].key);
	sort_u64(nos.at, nos.n);
	vec_each (&nos, i)
		add_page(b, nos.at[i], page_find(m, nos.at[i]), all);
	add(b, &m->npages, sizeof m->npages);
	vec_release(&nos);
}

static void add_thread(struct strbuf *b, const struct thread *t, bool all)
{
	struct thread copy = *t;

	copy.frames.at = NULL;
	copy.vars.at = NULL;
	copy.frames.cap = copy.vars.cap = copy.cap = 0;
	copy.slots = copy.shadow = NULL;
	copy.terms = NULL;
	add(b, &copy, sizeof copy);
	if (!all)
		return;
	add(b, t->frames.at, t->frames.n * sizeof *t->frames.at);
	add(b, t->vars.at, t->vars.n * sizeof *t->vars.at);
	add(b, t->slots, t->nslots * sizeof *t->slots);
	vec_each (&t->frames, i) /* who is not careful has no shadow */
		if (t->frames.at[i].careful) {
			uint32_t from = t->frames.at[i].base;
			uint32_t to = i + 1 < t->frames.n ? t->frames.at[i + 1].base : t->nslots;

			add(b, t->shadow + from, (to - from) * sizeof *t->shadow);
		}
}

static struct strbuf text_of(struct machine *m, bool all)
{
	const uint8_t *out;
	const uint32_t *terms;
	struct strbuf b = {0};
	uint64_t n;

	add_memory(&b, &m->mem, all);
	add(&b, m->heap.blocks.at, m->heap.blocks.n * sizeof *m->heap.blocks.at);
	add(&b, &m->heap.next, sizeof m->heap.next);
	add(&b, &m->heap.live, sizeof m->heap.live);
	vec_each (&m->threads, i)
		add_thread(&b, m->threads.at[i], all);
	add(&b, m->queue.at, m->queue.n * sizeof *m->queue.at);
	add(&b, &m->nlive, sizeof m->nlive);
	add(&b, &m->rng, sizeof m->rng);
	add(&b, &m->serial, sizeof m->serial);
	add(&b, &m->instructions, sizeof m->instructions);
	add(&b, &m->fuel, sizeof m->fuel);
	add(&b, &m->skipped_ns, sizeof m->skipped_ns);
	add(&b, &m->current, sizeof m->current);
	for (int fd = 1; fd <= 2; fd++) {
		n = world_stream(m, fd, &out, &terms);
		add(&b, out, n);
	}
	return b;
}

static bool same_text(const struct strbuf *a, const struct strbuf *b)
{
	return a->n == b->n && !memcmp(a->s, b->s, a->n);
}

/* ---- a run ------------------------------------------------------------------------------------- */

struct kept {
	struct saved *saved;
	enum step st; /* why the thread stopped there */
	struct strbuf text;
};

struct end { /* how a run ends */
	enum exec_fate fate;
	int status;
	char *kind;
	struct strbuf text;
};

struct walk {
	struct machine *m;
	struct exec_result res;
	struct rng r;    /* of the test, not of the machine */
	uint32_t one_in; /* of so many moments one is saved */
	uint32_t slice;  /* greatest */
	struct kept kept[MAX_KEPT];
	uint32_t saves;
	bool keep_all;   /* in `all`, without twins */
	VEC(struct kept) all;
};

static void keep(struct walk *w, enum step st)
{
	struct kept *k = &w->kept[rng_below(&w->r, MAX_KEPT)];

	w->saves++;
	if (w->keep_all) {
		vec_push(&w->all, (struct kept){machine_save(w->m), st, {0}});
		return;
	}
	if (k->saved) {
		saved_free(k->saved);
		strbuf_release(&k->text);
	}
	k->saved = machine_save(w->m);
	k->text = text_of(w->m, true);
	k->st = st;
}

/* To the end; the slices are short, so that there are many moments to save. Their lengths are the
 * machine's own dice: part of the state. */
static struct end run(struct walk *w, enum step st)
{
	struct machine *m = w->m;
	struct thread *t = m->threads.at[m->current];
	struct end e;

	for (;;) {
		if (st == STEP_SWITCH || st == STEP_AGAIN) {
			if (rng_below(&w->r, w->one_in) == 0)
				keep(w, st);
			t = sched_pick(m, t, st == STEP_AGAIN);
			if (!t)
				break;
			m->fuel = 1 + (int64_t)(sched_random(m) % w->slice);
		}
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		if (st == STEP_STOP)
			break;
	}
	e = (struct end){w->res.fate, w->res.status, xstrdup(exec_word(&w->res) ? exec_word(&w->res) : ""),
		text_of(m, false)};
	exec_result_release(&w->res);
	w->res = (struct exec_result){0};
	return e;
}

static void end_release(struct end *e)
{
	free(e->kind);
	strbuf_release(&e->text);
}

static void check_end(const struct end *first, struct end e, const char *path)
{
	if (e.fate != first->fate || e.status != first->status || strcmp(e.kind, first->kind) ||
		!same_text(&e.text, &first->text))
		fail_msg("%s: ended %d/%d '%s' the first time, %d/%d '%s' after it was taken back",
			path, first->fate, first->status, first->kind, e.fate, e.status, e.kind);
	end_release(&e);
}

/* Of who waits for a time nothing is said. */
static bool sleeps(const struct machine *m)
{
	bool any = false;

	vec_each (&m->threads, i)
		any |= m->threads.at[i]->deadline != 0;
	return any;
}

/* Goes back to what is kept, in any order, and saves on the way; often looks at all of it first. */
static void go_back(struct walk *w, const struct end *first, uint32_t times, const char *path)
{
	while (times--) {
		struct kept *k = &w->kept[rng_below(&w->r, MAX_KEPT)];
		struct strbuf now;
		enum step st;

		if (!k->saved)
			continue;
		machine_restore(w->m, k->saved);
		if (!machine_same(w->m, k->saved) && !sleeps(w->m))
			fail_msg("%s: a restored state is not the same", path);
		st = k->st;
		if (rng_chance(&w->r, 50)) {
			now = text_of(w->m, true);
			if (!same_text(&now, &k->text))
				fail_msg("%s: a restored state is another one", path);
			strbuf_release(&now);
		}
		check_end(first, run(w, st), path);
	}
}

static struct ir_program *compile(const char *path)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	assert_true(llvm_compile(&bc, path, "sroa"));
	assert_int_equal(import_bitcode(p, path, bc.s, bc.n, 0), 0);
	assert_int_equal(import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				 IMPORT_MODEL | IMPORT_NEEDED), 0);
	strbuf_release(&bc);
	return p;
}

static uint32_t try_program(const char *path, uint64_t seed)
{
	struct exec_options opt = {.seed = seed, .max_instructions = 300000};
	struct ir_program *p = compile(path);
	struct walk w = {.r = rng_seed(seed), .one_in = 8, .slice = 60};
	char *argv[] = {(char *)"program", NULL};
	struct end first;

	w.m = machine_new(p, 1, argv, &opt, &w.res);
	assert_non_null(w.m);
	world_attach(w.m, world_new(&(struct world_options){0}));
	keep(&w, STEP_SWITCH);
	first = run(&w, STEP_SWITCH);
	go_back(&w, &first, 6, path);
	w.one_in = 2;
	go_back(&w, &first, 1, path);
	for (int i = 0; i < MAX_KEPT / 2; i++)
		if (w.kept[i].saved)
			saved_free(w.kept[i].saved);
	world_free(w.m->world);
	machine_free(w.m);
	for (int i = 0; i < MAX_KEPT; i++) { /* a save may outlive its machine */
		if (w.kept[i].saved && i >= MAX_KEPT / 2)
			saved_free(w.kept[i].saved);
		strbuf_release(&w.kept[i].text);
	}
	end_release(&first);
	ir_program_free(p);
	return w.saves;
}

static void programs(void **state)
{
	static const char *const names[] = {"cond_pipeline", "mutex_bank", "stdio_from_threads",
		"thread_tree", "libc_stdio", "bug_heap_overflow", "bug_two_locks",
		"bug_uninitialized_branch", "cancel_points", "tls_counters", "libc_string",
		"malloc_across_threads", "sem_timedwait", "wide_integers"};

	uint32_t saves = 0;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("tests/programs/%s.c", names[i]);

		saves += try_program(path, i + 1);
		free(path);
	}
	print_message("# %u saves\n", saves);
	assert_true(saves > 300);
}

/* ---- many at once -------------------------------------------------------------------------------- */

static void thousands(void **state)
{
	struct exec_options opt = {.seed = 3, .max_instructions = 2000000};
	struct ir_program *p = compile("tests/programs/thread_quicksort.c");
	char *argv[] = {(char *)"program", NULL};
	struct walk w = {.r = rng_seed(9), .one_in = 1, .slice = 30, .keep_all = true};
	struct end first;
	uint32_t i;

	(void)state;
	w.m = machine_new(p, 1, argv, &opt, &w.res);
	world_attach(w.m, world_new(&(struct world_options){0}));
	first = run(&w, STEP_SWITCH);
	print_message("# %u states\n", w.all.n);
	assert_true(w.all.n > 1000);
	w.one_in = 1u << 31;
	/* some are run once more, all go in any order */
	while (w.all.n) {
		i = rng_below(&w.r, w.all.n);
		if (w.all.n % 200 == 0) {
			machine_restore(w.m, w.all.at[i].saved);
			check_end(&first, run(&w, w.all.at[i].st), "thousands");
		}
		saved_free(w.all.at[i].saved);
		w.all.at[i] = vec_pop(&w.all);
	}
	vec_release(&w.all);
	end_release(&first);
	world_free(w.m->world);
	machine_free(w.m);
	ir_program_free(p);
}

/* ---- the same again ------------------------------------------------------------------------------ */

static uint32_t pick_last(void *ctx, struct machine *m, const uint32_t *ready, uint32_t n,
	enum exec_pick why)
{
	(void)ctx, (void)m, (void)why;
	return ready[n - 1];
}

/* So many times the machine asks who is next. */
static void run_rounds(struct machine *m, int n)
{
	struct thread *t = sched_pick(m, m->threads.at[0], false);

	while (n--) {
		enum step st = STEP_JUMPED;

		while (st == STEP_JUMPED || st == STEP_NEXT)
			st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		assert_true(st == STEP_SWITCH || st == STEP_AGAIN);
		t = sched_pick(m, t, st == STEP_AGAIN);
	}
}

/* A waiting loop comes back to where it was; a byte, a register, or what was printed makes it another
 * state. */
static void waiting_loops(void **state)
{
	static const struct {
		const char *body;
		bool same;
	} cases[] = {
		{"while (!flag) sched_yield();", true},
		{"for (;;) { sched_yield(); count++; }", false},
		{"for (int i = 0;; i++) { sched_yield(); if (i < 0) return 1; }", false},
		{"for (;;) { sched_yield(); write(1, \"x\", 1); }", false},
		{"for (;;) { sched_yield(); count ^= 1; count ^= 1; }", true},
	};
	char path[] = "/tmp/heddle-save-XXXXXX.c";

	(void)state;
	close(mkstemps(path, 2));
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct exec_options opt = {.pick = pick_last};
		char *argv[] = {(char *)"program", NULL};
		FILE *f = fopen(path, "w");
		struct exec_result res;
		struct ir_program *p;
		struct machine *m;
		struct saved *s;
		bool same = false;

		fprintf(f, "#include <pthread.h>\n#include <unistd.h>\n"
			   "pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
			   "volatile int flag, count;\n"
			   "static void *other(void *x) { pthread_mutex_lock(&lock); return x; }\n"
			   "int main(void) { pthread_t t; pthread_mutex_lock(&lock);\n"
			   "pthread_create(&t, NULL, other, NULL); %s return 0; }\n",
			cases[i].body);
		fclose(f);
		p = compile(path);
		m = machine_new(p, 1, argv, &opt, &res);
		world_attach(m, world_new(&(struct world_options){0}));
		run_rounds(m, 20);
		s = machine_save(m);
		for (int k = 0; k < 12; k++) {
			run_rounds(m, 1);
			same |= machine_same(m, s);
		}
		if (same != cases[i].same)
			fail_msg("%s: expected %d", cases[i].body, cases[i].same);
		saved_free(s);
		world_free(m->world);
		machine_free(m);
		ir_program_free(p);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(thousands),
		cmocka_unit_test(waiting_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
