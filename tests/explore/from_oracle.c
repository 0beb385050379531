/*
 * from_oracle [--count N] [--seed S] [--spoil] [-v]: runs of random programs held against `heddle explore
 * --from`. A run of the concrete machine is stopped at a random moment; the places where its threads
 * stand then are the context, and the rest of the run, by those threads alone, is one that starts there.
 * It takes certain branches in a certain order and ends in a certain way; among the paths that explore
 * finds from those places, all orders of threads, there must be one with the same branches in the same
 * order and the same end; in every other case with partial-order reduction, and then one with the same
 * branches of each thread and the same end. The programs have mutexes, read locks, barriers, and two of
 * three of them semaphores and condition variables. Other paths are of no interest here: explore is told to leave those
 * whose next branch is another one.
 *
 * A lost path is a failure, and so is an exploration that does not start. If explore reports that it is
 * incomplete, the case is not compared and its reason is printed; 95 of 100 cases must be compared. --spoil
 * replaces the last branch of every run by the other one: then paths must get lost, or this test could
 * not fail.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "machine/code.h"
#include "explore/explore_internal.h"
#include "explore/from.h"
#include "import/import.h"
#include "../unit/context_gen.h"
#include "../unit/llvm_text.h"
#include "../unit/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARE = 95 }; /* per cent of cases that must be compared */
enum { MOST_BRANCHES = 24, MOST_THREADS = 4, MOST_STACK = 12 };

struct edge {
	uint32_t who, func, edge; /* who: position in the context; beyond: threads made since */
};

/*
 * machine.branches of the exploration has the number of branches of each thread, COUNT_BITS each, so
 * that each path has its own numbers.
 */
enum { COUNT_BITS = 6, COUNTS = 64 / COUNT_BITS };

struct rest {                     /* of a concrete run, since it was in the context */
	VEC(struct edge) edges;
	enum explore_end end;
	char *kind;
	uint32_t line;
};

struct trial {
	struct ir_program *p;
	struct rng rng;
	/* the concrete run */
	uint64_t seen, at;        /* instructions of the program; the one to stop before */
	bool taken, useless;
	bool aside;               /* some thread is not in the context, and runs no more */
	struct vec_context_thread threads;
	uint32_t ids[MOST_THREADS]; /* in the concrete machine */
	uint32_t newest;            /* there: threads from this on were made since */
	struct rest rest;
	/* the exploration */
	uint32_t places[MOST_THREADS], made; /* ids there; the first of those made since */
	volatile sig_atomic_t found;
	bool verbose, spoil, racy;
	bool reduced;             /* explored with partial-order reduction */
	uint64_t deepest;         /* branches that some path had in common */
};

static uint32_t upto(struct trial *t, uint32_t n)
{
	return (uint32_t)(rng_u64(&t->rng) % n);
}

/* ---- where the threads stand ----------------------------------------------------------------------- */

static bool of_user(const struct trial *x, const struct frame *f)
{
	return !(x->p->funcs.at[f->func].flags & IR_FN_MODEL);
}

static const char *callee(const struct trial *x, const struct frame *f)
{
	const struct ir_func *fn = &x->p->funcs.at[f->func];
	const struct ir_insn *in = &fn->insns.at[frame_insn(f, false)];

	if (in->op != IR_CALL || !ir_is_const(in->arg[0]) || ir_const(fn, in->arg[0])->kind != IR_C_FUNC)
		return "";
	return ir_func_name(x->p, ir_const(fn, in->arg[0])->id);
}

/* The address of the global variable that is the first argument of the frame's call; or 0. */
static uint64_t object_of_call(const struct trial *x, const struct machine *m, const struct frame *f)
{
	const struct ir_func *fn = &x->p->funcs.at[f->func];
	const struct ir_insn *in = &fn->insns.at[frame_insn(f, false)];
	const struct ir_const *k;

	if (in->op != IR_CALL || !in->arg[2] || !ir_is_const(fn->extra.at[in->arg[1]]))
		return 0;
	k = ir_const(fn, fn->extra.at[in->arg[1]]);
	return k->kind == IR_C_GLOBAL ? m->globals.addr[k->id] + k->lo : 0;
}

/* Whether a wake-up is on its way: some waiter is going to take it, which no place shows. */
static bool has_offers(const struct machine *m)
{
	vec_each (&m->queue, i)
		if (m->queue.at[i].thread == WAITER_OFFER)
			return true;
	return false;
}

enum standing { STANDS, WAITS, ASIDE, NOWHERE };

/*
 * STANDS before an instruction of the program (a call of the library that has done nothing but give way
 * to others is one), WAITS in such a call, or is ASIDE: not started yet, or the main thread that waits for
 * others to end. NOWHERE: in the middle of the library.
 */
static enum standing standing(struct trial *x, const struct machine *m, struct thread *t, uint32_t *low,
	uint32_t *high)
{
	uint32_t i = t->frames.n;
	const char *name;

	while (i && !of_user(x, &t->frames.at[i - 1]))
		i--;
	*high = i;
	while (i && of_user(x, &t->frames.at[i - 1]))
		i--;
	*low = i;
	if (*low == *high)
		return t->state == THREAD_READY ? ASIDE : NOWHERE;
	if (*high == t->frames.n)
		return STANDS;
	name = callee(x, &t->frames.at[*high - 1]);
	if (t->state == THREAD_WAITING && !strcmp(name, "pthread_join"))
		return ASIDE;
	if (t->state == THREAD_WAITING) /* NOWHERE: a waiter that was woken waits for the mutex */
		return strncmp(name, "pthread_cond", 12) ||
				       t->wait_on == object_of_call(x, m, &t->frames.at[*high - 1])
			       ? WAITS
			       : NOWHERE;
	return *high + 1 == t->frames.n && t->state == THREAD_READY && t->resumed &&
		       top(t)->func == ir_find_func(x->p, name) && !strcmp(callee(x, top(t)), "__heddle_sync")
		       ? STANDS
		       : NOWHERE;
}

static void list(struct trial *x, struct thread *t, uint32_t low, uint32_t high, bool waits)
{
	struct context_thread ct = {.id = t->id, .waiting = waits};

	if (upto(x, 3) == 0 && high - low > 1) /* who called is not given */
		low += 1 + upto(x, high - low - 1);
	if (high - low > MOST_STACK)
		low = high - MOST_STACK;
	for (uint32_t i = low; i < high; i++) {
		const struct frame *f = &t->frames.at[i];

		vec_push(&ct.stack, (struct context_place){f->func,
					    frame_insn(f, i + 1 == t->frames.n)});
	}
	x->ids[x->threads.n] = t->id;
	vec_push(&x->threads, ct);
}

/* The thread runs no more. */
static void set_aside(struct machine *m, struct thread *t)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < m->queue.n; i++)
		if (m->queue.at[i].thread != t->id)
			m->queue.at[k++] = m->queue.at[i];
	m->queue.n = k;
	t->state = THREAD_LEFT;
	m->nlive--;
}

/* Who starts where the user's frames do ends there, as the explored thread does. */
static void mark_outermost(struct trial *x, struct machine *m, const struct context *c)
{
	vec_each (&x->threads, k) {
		struct thread *t = m->threads.at[x->ids[k]];
		uint32_t high = t->frames.n;

		while (!of_user(x, &t->frames.at[high - 1]))
			high--;
		if (!context_thread_complete(c, k))
			t->frames.at[high - x->threads.at[k].stack.n].initial = true;
	}
}

static void mark_context(struct trial *x, struct machine *m)
{
	struct points_to *pt = points_to_new(x->p, NULL);
	struct terms *ts = terms_new();
	struct context *c = context_new(x->p, pt, ts, x->threads.at, x->threads.n, NULL);

	mark_outermost(x, m, c);
	context_free(c);
	terms_free(ts);
	points_to_free(pt);
}

/* The machine stands before an instruction of t: the context, or nothing of use. */
static void take(struct trial *x, struct machine *m, struct thread *t)
{
	uint32_t low, high;

	x->taken = true;
	x->useless = true;
	x->newest = m->threads.n;
	if (has_offers(m) || standing(x, m, t, &low, &high) != STANDS)
		return;
	list(x, t, low, high, false);
	vec_each (&m->threads, i) {
		struct thread *u = m->threads.at[i];

		if (u == t || u->state == THREAD_DONE)
			continue;
		switch (standing(x, m, u, &low, &high)) {
		case NOWHERE: return;
		case ASIDE:
			set_aside(m, u);
			x->aside = true;
			continue;
		case STANDS: list(x, u, low, high, false); break;
		case WAITS: list(x, u, low, high, true); break;
		}
		if (x->threads.n == MOST_THREADS)
			return;
	}
	mark_context(x, m);
	x->useless = false;
}

/* ---- the concrete run -------------------------------------------------------------------------------- */

static void observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct trial *x = ctx;

	(void)in;
	if (of_user(x, top(t)) && !t->resumed && x->seen++ == x->at)
		take(x, m, t);
}

static bool stop_when_useless(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct trial *x = ctx;

	(void)t, (void)in;
	if (x->useless)
		m->instructions = UINT32_MAX; /* beyond the limit */
	return x->useless;
}

static uint32_t pick(void *ctx, struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why)
{
	struct trial *x = ctx;

	return why == EXEC_PICK_SLICE ? m->current : ready[upto(x, n)];
}

static bool record(void *ctx, struct machine *m, struct thread *t, uint32_t edge)
{
	struct trial *x = ctx;
	uint32_t k = 0;

	(void)m;
	if (!x->taken)
		return true;
	while (k < x->threads.n && x->ids[k] != t->id)
		k++;
	if (t->id >= x->newest)
		k = x->threads.n + t->id - x->newest;
	vec_push(&x->rest.edges, (struct edge){k, top(t)->func, edge});
	return x->rest.edges.n <= MOST_BRANCHES;
}

static uint32_t line_of(const struct exec_result *res)
{
	const char *title = fault_words[res->fault].title;
	const char *s = res->report.s ? strstr(res->report.s, "SUMMARY: heddle: ") : NULL;
	char place[512];
	char *colon;

	if (!s || !(s = strstr(s, title)) || sscanf(s + strlen(title), " %511s", place) != 1 ||
		!(colon = strstr(place, ".c:")))
		return 0;
	return (uint32_t)strtoul(colon + 3, NULL, 10);
}

static bool set_end(struct rest *r, const struct exec_result *res)
{
	r->kind = xstrdup(exec_word(res) ? exec_word(res) : "");
	r->line = res->fate == EXEC_FAULT ? line_of(res) : 0;
	switch (res->fate) {
	case EXEC_EXITED: r->end = END_EXIT; return true;
	case EXEC_FAULT: r->end = END_FAULT; return true;
	case EXEC_DEADLOCK: r->end = END_DEADLOCK; return true;
	case EXEC_STOPPED: break;
	}
	r->end = END_RETURNED;
	return !strcmp(r->kind, "returned");
}

/* A run up to the moment `at` and on from there; false if it is of no use. */
static bool run(struct trial *x, uint64_t at, enum exec_switch switches)
{
	char name[] = "program", *argv[] = {name, NULL};
	struct exec_options opt = {.slow = true, .switches = switches, .max_instructions = 2000000,
		.observe = observe, .observe_ctx = x, .pause = stop_when_useless, .pause_ctx = x,
		.pick = pick, .pick_ctx = x, .branch = record, .branch_ctx = x};
	struct exec_result res;
	bool ok;

	x->seen = 0;
	x->at = at;
	x->taken = x->useless = x->aside = false;
	if (exec_run(x->p, 1, argv, &opt, &res))
		return false;
	ok = x->taken && !x->useless && set_end(&x->rest, &res);
	exec_result_release(&res);
	return ok;
}

/* ---- the exploration ---------------------------------------------------------------------------------- */

/* The position of the explored thread, as in struct edge; COUNTS - 1 for those that cannot be. */
static uint32_t who_is(const struct trial *x, uint32_t id)
{
	vec_each (&x->threads, k)
		if (x->places[k] == id)
			return k;
	return id < x->made ? COUNTS - 1 : MIN(x->threads.n + id - x->made, (uint32_t)COUNTS - 1);
}

static uint32_t count_of(uint64_t branches, uint32_t who)
{
	return (uint32_t)(branches >> (COUNT_BITS * who)) & ((1u << COUNT_BITS) - 1);
}

static uint32_t count_all(uint64_t branches)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < COUNTS; i++)
		n += count_of(branches, i);
	return n;
}

/* Branch n of the thread in the run, or of all threads (who IR_NONE); NULL: it has fewer. */
static const struct edge *edge_at(const struct trial *x, uint32_t who, uint32_t n)
{
	vec_each (&x->rest.edges, i)
		if ((who == IR_NONE || x->rest.edges.at[i].who == who) && !n--)
			return &x->rest.edges.at[i];
	return NULL;
}

/* With the reduction, paths stand for those that differ in the order of independent steps: each thread
 * has the same branches. A run that ends by one thread does not have the later branches of the others. */
static bool follow(void *ctx, struct machine *m, struct thread *t, uint32_t edge)
{
	struct trial *x = ctx;
	uint32_t who = who_is(x, t->id), n = count_of(m->branches, who);
	const struct edge *e = x->reduced ? edge_at(x, who, n) : edge_at(x, IR_NONE, count_all(m->branches));

	x->deepest = MAX(x->deepest, count_all(m->branches));
	if (n + 1 == 1u << COUNT_BITS)
		return false;
	if (e ? e->who != who || e->func != top(t)->func || e->edge != edge
	      : !x->reduced || x->rest.end == END_DEADLOCK || x->rest.end == END_RETURNED)
		return false;
	m->branches += (1ull << (COUNT_BITS * who)) - 1; /* the machine adds one */
	return true;
}

/* Whether the path has all branches of the run; if one thread ended it, all of that thread. */
static bool has_all(const struct trial *x, const struct machine *m)
{
	bool by_one = x->rest.end == END_FAULT || x->rest.end == END_EXIT;
	uint32_t last = who_is(x, m->current);

	if (!x->reduced)
		return count_all(m->branches) == x->rest.edges.n;
	for (uint32_t who = 0; who < COUNTS; who++)
		if ((!by_one || who == last) && edge_at(x, who, count_of(m->branches, who)))
			return false;
	return true;
}

static void ended(void *ctx, struct explore *ex, const struct explore_path *path)
{
	struct trial *x = ctx;
	const struct rest *r = &x->rest;

	if (!has_all(x, ex->m))
		return;
	/* of threads that wait for one that was not given nobody can tell */
	if (x->aside && r->end == END_RETURNED && path->end == END_DEADLOCK)
		x->found = 1;
	if (path->end == r->end && !strcmp(path->kind ? path->kind : "", r->kind) &&
		(path->end != END_FAULT || path->line == r->line))
		x->found = 1;
}

static void copy_threads(const struct vec_context_thread *from, struct vec_context_thread *to)
{
	vec_each (from, i) {
		struct context_thread t = from->at[i];

		memset(&t.stack, 0, sizeof t.stack);
		vec_each (&from->at[i].stack, k)
			vec_push(&t.stack, from->at[i].stack.at[k]);
		vec_push(to, t);
	}
}

enum verdict { FOUND, UNFINISHED, LOST };

static enum verdict explore_from(struct trial *x, enum exec_switch switches, struct strbuf *why)
{
	char name[] = "program", *argv[] = {name, NULL}, *envp[] = {NULL};
	struct inputs inputs;
	struct from_options fo = {.races = x->racy};
	struct vec_context_thread threads = {0};
	struct explore_options opt = {.search = EXPLORE_DFS, .switches = switches, .seconds = x->spoil ? 3 : 30,
		.max_instructions = 1000000, .max_memory = 1 << 28, .preemptions = UINT32_MAX,
		.all_orders = !x->reduced, .inputs = &inputs, .tests = EXPLORE_TESTS_NONE,
		.interrupted = &x->found, .ended = ended, .branch = follow, .ctx = x, .seed = 1,
		.solver_seconds = 2};
	const struct explore_reason *r;
	struct explore *ex;
	uint32_t n, id = 0;
	enum verdict v = LOST;

	vec_each (&x->threads, k)
		x->places[k] = x->threads.at[k].id ? ++id : 0;
	x->made = id + 1;
	inputs_init(&inputs);
	copy_threads(&x->threads, &threads);
	opt.from = from_new_at(x->p, &threads, &fo);
	ex = explore_new(x->p, 1, argv, envp, &opt);
	if (ex && !explore_run(ex)) {
		r = explore_reasons(ex, &n);
		if (x->found)
			v = FOUND;
		else if (explore_stopped(ex) || n || explore_stats(ex)->ends[END_STOPPED])
			v = UNFINISHED;
		strbuf_addf(why, "# %s\n", n ? r[0].why : explore_stopped(ex) ? explore_stopped(ex) : "");
		strbuf_adds(why, "# paths end:");
		for (int i = 0; i < EXPLORE_N_ENDS; i++)
			strbuf_addf(why, " %llu", (unsigned long long)explore_stats(ex)->ends[i]);
		strbuf_addc(why, '\n');
		from_print(opt.from, why);
	}
	if (ex)
		explore_free(ex);
	from_free(opt.from);
	inputs_release(&inputs);
	return v;
}

/* ---- programs ------------------------------------------------------------------------------------------ */

/* Now and then an assertion on what was just computed. */
static void add_assertions(struct trial *x, const char *text, struct strbuf *out)
{
	strbuf_adds(out, "#include <assert.h>\n");
	while (*text) {
		size_t n = strcspn(text, "\n"), tabs = strspn(text, "\t");

		strbuf_add(out, text, n);
		if (tabs && text[tabs] == 'v' && text[tabs + 2] == ' ' && text[n - 1] == ';' && upto(x, 5) == 0)
			strbuf_addf(out, " assert(v%c %s %u);", text[tabs + 1], upto(x, 4) ? "!=" : "<",
				upto(x, 30));
		strbuf_addc(out, '\n');
		text += n + (text[n] == '\n');
	}
}

static struct ir_program *make_program(struct trial *x, uint64_t seed, struct strbuf *source)
{
	static const char *const pipelines[] = {"sroa", "default<O1>", NULL, "sroa,early-cse,instsimplify"};
	char path[] = "/tmp/heddle-from-XXXXXX.c";
	struct strbuf text = {0}, bc = {0};
	struct ir_program *p = ir_program_new();
	int fd = mkstemps(path, 2);

	x->racy = seed % 2;
	context_gen(&text, seed, !x->racy, seed % 3 != 0);
	add_assertions(x, text.s, source);
	if (fd < 0 || write(fd, source->s, source->n) != (ssize_t)source->n)
		BUG("temporary file");
	close(fd);
	if (!llvm_compile(&bc, path, pipelines[seed % 4]) || import_bitcode(p, path, bc.s, bc.n, 0) ||
		import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
			IMPORT_MODEL | IMPORT_NEEDED))
		BUG("the program of seed %llu", (unsigned long long)seed);
	unlink(path);
	strbuf_release(&text);
	strbuf_release(&bc);
	return p;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

struct tally {
	uint64_t cases, found, unfinished, lost, threads, waiting, branches, faults, programs;
};

static void tell(struct trial *x, uint64_t seed, const struct strbuf *source, enum verdict v,
	const struct strbuf *why)
{
	static const char *const verdicts[] = {"found", "unfinished", "lost"};

	printf("# seed %llu%s: %s after %llu of %u branches, end %d %s line %u\n", (unsigned long long)seed,
		x->reduced ? " with the reduction" : "", verdicts[v], (unsigned long long)x->deepest, x->rest.edges.n, x->rest.end, x->rest.kind, x->rest.line);
	vec_each (&x->threads, k)
		vec_each (&x->threads.at[k].stack, i) {
			struct context_place at = x->threads.at[k].stack.at[i];
			struct diag_pos pos = ir_diag_pos(x->p, x->p->funcs.at[at.func].insns.at[at.insn].pos);

			printf("#   T%u%s %s:%u insn %u\n", x->threads.at[k].id,
				x->threads.at[k].waiting ? " waits" : "", ir_func_name(x->p, at.func),
				pos.line, at.insn);
		}
	vec_each (&x->rest.edges, i)
		printf("#     %u %s edge %u\n", x->rest.edges.at[i].who,
			ir_func_name(x->p, x->rest.edges.at[i].func), x->rest.edges.at[i].edge);
	printf("%s\n%s\n", why->s ? why->s : "", source->s);
}

static void other_edge(struct trial *x, struct edge *e)
{
	const struct ir_func *fn = &x->p->funcs.at[e->func];

	vec_each (&fn->insns, i) {
		const struct ir_insn *in = &fn->insns.at[i];

		if (ir_ops[in->op].shape == IR_S_CBR && (in->arg[1] == e->edge || in->arg[2] == e->edge)) {
			e->edge = in->arg[1] == e->edge ? in->arg[2] : in->arg[1];
			return;
		}
	}
}

static void one_case(struct trial *x, uint64_t seed, uint64_t total, const struct strbuf *source,
	struct tally *t)
{
	enum exec_switch sw = upto(x, 4) ? EXEC_SWITCH_SYNC : EXEC_SWITCH_ACCESS;
	struct strbuf why = {0};
	enum verdict v;

	x->found = 0;
	x->deepest = 0;
	x->reduced = upto(x, 2);
	if (run(x, rng_u64(&x->rng) % total, sw)) {
		if (x->spoil && x->rest.edges.n) {
			other_edge(x, &vec_last(&x->rest.edges));
			/* other threads would run on, in many ways */
			x->reduced &= x->rest.end == END_DEADLOCK || x->rest.end == END_RETURNED;
		}
		v = explore_from(x, sw, &why);
		t->cases++;
		t->found += v == FOUND;
		t->unfinished += v == UNFINISHED;
		t->lost += v == LOST;
		t->threads += x->threads.n;
		t->branches += x->rest.edges.n;
		t->faults += x->rest.end == END_FAULT;
		vec_each (&x->threads, k)
			t->waiting += x->threads.at[k].waiting;
		if (v == UNFINISHED)
			printf("# not compared: seed %llu: %.*s\n", (unsigned long long)seed,
				(int)strcspn(why.s + 2, "\n"), why.s + 2);
		if ((v == LOST && !x->spoil) || (x->verbose && v == UNFINISHED))
			tell(x, seed, source, v, &why);
	}
	strbuf_release(&why);
	context_threads_release(&x->threads);
	vec_release(&x->rest.edges);
	free(x->rest.kind);
	x->rest = (struct rest){0};
}

static void one_program(uint64_t seed, uint64_t wanted, struct trial how, struct tally *t)
{
	struct trial x = {.rng = rng_seed(seed), .verbose = how.verbose, .spoil = how.spoil};
	struct strbuf source = {0};
	uint64_t total;

	x.p = make_program(&x, seed, &source);
	t->programs++;
	run(&x, UINT64_MAX, EXEC_SWITCH_SYNC);
	total = x.seen + 1;
	for (int i = 0; i < 12 && t->cases < wanted; i++)
		one_case(&x, seed, total, &source, t);
	ir_program_free(x.p);
	strbuf_release(&source);
}

int main(int argc, char **argv)
{
	uint64_t count = 300, seed = 1;
	struct trial how = {0};
	bool ok;
	struct tally t = {0};

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--count") && i + 1 < argc)
			count = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "-v"))
			how.verbose = true;
		else if (!strcmp(argv[i], "--spoil"))
			how.spoil = true;
	for (; t.cases < count && !t.lost; seed++)
		one_program(seed, count, how, &t);
	printf("# %llu cases of %llu programs: %llu found, %llu unfinished, %llu lost; %llu threads (%llu wait), %llu "
	       "branches, %llu faults\n",
		(unsigned long long)t.cases, (unsigned long long)t.programs, (unsigned long long)t.found,
		(unsigned long long)t.unfinished, (unsigned long long)t.lost, (unsigned long long)t.threads,
		(unsigned long long)t.waiting, (unsigned long long)t.branches, (unsigned long long)t.faults);
	ok = how.spoil ? t.lost > 0 : !t.lost && t.found * 100 >= t.cases * SHARE;
	printf("1..1\n%s 1 - paths from the middle of a program, %llu of %llu compared\n",
		ok ? "ok" : "not ok", (unsigned long long)(t.found + t.lost),
		(unsigned long long)t.cases);
	return !ok;
}
