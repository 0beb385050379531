#include "ctp/stutter.h"
#include "extract/extract_internal.h"
#include "extract/extract_pass.h"
#include "trace/trace_validate.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/debug.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/words.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- limits ---------------------------------------------------------------------------------- */

void extract_limit(struct extractor *x, const char *fmt, ...)
{
	struct strbuf b = {0};
	uint64_t *seen;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	seen = map_put(&x->limits, hash_bytes(b.s, b.n));
	if (*seen) {
		strbuf_release(&b);
		return;
	}
	*seen = 1;
	vec_push(&x->c->limits, strbuf_detach(&b));
}

/* ---- events --------------------------------------------------------------------------------- */

enum { MAX_STACK = 64 };

static uint32_t stack_of(struct extractor *x, const struct follow *f, uint32_t func, uint32_t insn)
{
	struct follow_frame frames[MAX_STACK];
	struct stack_entry entries[MAX_STACK];
	uint32_t n;

	if (func == IR_NONE)
		return 0;
	n = MIN(follow_stack(f, frames, MAX_STACK), (uint32_t)MAX_STACK);
	for (uint32_t i = 0; i < n; i++)
		entries[i] = (struct stack_entry){frames[i].func, frames[i].insn};
	if (!n)
		return 0;
	entries[0] = (struct stack_entry){func, insn};
	return stacks_intern(&x->sync->h.threads.at[x->tr->stream].stacks, entries, n).id;
}

static struct ctp_event *add_event(
	struct extractor *x, enum ctp_kind kind, uint32_t func, uint32_t insn)
{
	assert(x->tr && x->rank.n == x->c->events.n);
	if (kind != CTP_HIDDEN)
		hidden_synchronized(x);
	vec_push(&x->c->events, (struct ctp_event){.kind = kind,
					.thread = x->tr->thread,
					.func = func,
					.insn = insn,
					.point = x->tr->points,
					.index = x->tr->insns,
					.link.none = CTP_NONE,
					.region = CTP_NONE,
					.block = CTP_NONE,
					.rank = UINT32_MAX});
	vec_push(&x->rank, 0);
	return &vec_last(&x->c->events);
}

struct ctp_event *extract_event(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn)
{
	struct ctp_event *e = add_event(x, kind, func, insn);

	if (ctp_is_access(kind) || (ctp_is_guard(kind) && kind != CTP_BRANCH) || kind == CTP_FAIL)
		e->stack = stack_of(x, f, func, insn);
	return e;
}

struct ctp_event *extract_guard(struct extractor *x, enum ctp_kind kind, const struct follow *f,
	uint32_t func, uint32_t insn, term_t cond)
{
	uint64_t *known;
	struct ctp_event *e;
	u128 v;

	assert(ctp_is_guard(kind) && term_width(x->ts, cond) == 1);
	if (term_is_const(x->ts, cond, &v))
		return NULL;
	known = map_put(&x->tr->known, cond.id);
	if (*known)
		return NULL;
	*known = 1;
	x->c->nfixed += kind == CTP_FIX;
	e = extract_event(x, kind, f, func, insn);
	e->cond = cond;
	return e;
}

void extract_fix(struct extractor *x, const struct follow *f, uint32_t func, uint32_t insn,
	term_t t, u128 value)
{
	struct ctp_event *e = extract_guard(x, CTP_FIX, f, func, insn,
		term_eq(x->ts, t, term_const(x->ts, term_width(x->ts, t), value)));

	if (e)
		e->of.decided = (uint64_t)value;
}

uint32_t extract_block(struct extractor *x, uint64_t addr)
{
	uint32_t b = extract_block_of(x, touched_generation_ever(x->tr->touched, addr));

	return b != CTP_NONE && x->c->blocks.at[b].stack ? CTP_NONE : b;
}

uint32_t extract_block_of(struct extractor *x, uint32_t gen)
{
	const struct generation *g = &x->sync->g.at.at[gen];
	uint64_t *at = map_get(&x->block_of, gen);

	assert(gen < x->sync->g.at.n);
	if (at)
		return (uint32_t)*at - 1;
	if (!x->chunk || !gen || g->kind != GEN_HEAP)
		return CTP_NONE;
	vec_push(&x->c->blocks,
		(struct ctp_block){g->base, g->size, CTP_NONE, CTP_NONE, gen, false});
	*map_put(&x->block_of, gen) = x->c->blocks.n;
	return x->c->blocks.n - 1;
}

/* ---- registers that are not read ------------------------------------------------------------ */

static void use(void *ctx, ir_ref r)
{
	uint8_t *used = ctx;

	if (r != IR_NONE && ir_is_reg(r))
		used[r] = 1;
}

static uint8_t *find_uses(const struct ir_func *fn)
{
	uint8_t *used = xcalloc(fn->regs.n + 1, 1);

	vec_each (&fn->insns, i)
		ir_insn_each_use(fn, &fn->insns.at[i], use, used);
	vec_each (&fn->edges, i)
		for (uint32_t k = 0; k < fn->edges.at[i].ncopies; k++)
			use(used, fn->extra.at[fn->edges.at[i].copies + 2 * k + 1]);
	return used;
}

bool extract_unused(struct extractor *x, uint32_t func, const struct ir_insn *in)
{
	uint32_t n = ir_insn_ndst(in);

	if (!n)
		return true;
	if (!x->used[func])
		x->used[func] = find_uses(&x->p->funcs.at[func]);
	for (uint32_t i = 0; i < n; i++)
		if (x->used[func][in->dst + i])
			return false;
	return true;
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* The event that took the lock which the event at `unlock` releases; CTP_NONE. */
static uint32_t lock_of(const struct ctp *c, uint32_t unlock, const struct bitset *dead)
{
	for (uint32_t i = unlock; i-- > 0;) {
		const struct ctp_event *e = ctp_at(c, i);

		if ((e->kind == CTP_LOCK || e->kind == CTP_RDLOCK) &&
			e->object == ctp_at(c, unlock)->object && !bitset_has(dead, i))
			return i;
	}
	return CTP_NONE;
}

/* The order of events before the first creation of a thread cannot change. Drops the locks and
 * unlocks among them, except the locks that the main thread still holds, and all waits. */
static void drop_early(struct extractor *x)
{
	struct ctp *c = x->c;
	struct bitset dead = {0};
	uint32_t n = 0;

	vec_each (&c->events, i) {
		const struct ctp_event *e = ctp_at(c, i);
		uint32_t lock = e->kind == CTP_UNLOCK ? lock_of(c, i, &dead) : CTP_NONE;

		if (e->kind == CTP_UNLOCK || ctp_has_mutex(e->kind))
			bitset_add(&dead, i);
		if (lock != CTP_NONE)
			bitset_add(&dead, lock);
	}
	vec_each (&c->events, i)
		if (!bitset_has(&dead, i)) {
			x->rank.at[n] = x->rank.at[i];
			c->events.at[n++] = c->events.at[i];
		}
	c->events.n = x->rank.n = n;
	bitset_release(&dead);
}

void extract_first_values(
	struct extractor *x, const struct follow *f, uint32_t stream, uint32_t event)
{
	struct ctp *c = x->c;

	for (uint32_t i = 0; !x->begun && i < c->cells.n; i++) {
		struct ctp_cell *cell = &c->cells.at[i];
		const struct generation *g = &x->sync->g.at.at[cell->gen];
		uint32_t now = sync_order_first(&x->sync->o, stream, event);
		bool there =
			!cell->gen || (g->kind == GEN_STACK ? g->thread == stream : g->from < now);
		u128 v = 0;

		if (there && follow_memory(f, cell->addr, &v, cell->size)) {
			cell->initial = v;
			cell->known = true;
		}
	}
}

void extract_begins(struct extractor *x, struct follow *f)
{
	drop_early(x);
	extract_first_values(x, f, x->tr->stream, x->tr->touched->events);
	x->tr->on = true;
}

/* ---- the end of a thread -------------------------------------------------------------------- */

static bool has_crashed(const struct extractor *x, uint32_t stream)
{
	const struct store_meta *m = trace_meta(x->t);
	bool crashed = false;

	vec_each (&m->crashes, i)
		crashed |= m->crashes.at[i].thread == trace_thread(x->t, stream)->id;
	return crashed;
}

/* Adds a FAIL event at the end of the log of a thread that died of a signal. */
static void note_crash(struct extractor *x)
{
	const struct ctp_event *last = x->c->events.n ? &vec_last(&x->c->events) : NULL;

	if (has_crashed(x, x->tr->stream) && !x->tr->cut && last && last->kind != CTP_FAIL &&
		!(last->flags & CTP_PENDING))
		add_event(x, CTP_FAIL, x->tr->func, x->tr->insn);
}

void extract_thread_ends(struct extractor *x)
{
	if (x->tr->on && trace_thread(x->t, x->tr->stream)->result.status == FOLLOW_CUT) {
		sync_ends(x);
		note_crash(x);
	} else if (x->tr->on && x->merge && has_crashed(x, x->tr->stream)) {
		note_crash(x);
	}
}

/* ---- before the careful pass ---------------------------------------------------------------- */

/* Chooses the threads that the program creates. Not modelled: signal handlers, threads of
 * libraries. */
static void choose_threads(struct extractor *x, struct bitset *model)
{
	uint32_t n = trace_nthreads(x->t);

	x->thread_of = xcalloc(n + 1, sizeof *x->thread_of);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t kind = trace_thread(x->t, i)->kind;

		x->thread_of[i] = CTP_NONE;
		if (kind == LOG_T_SIGNAL)
			extract_limit(x, "signal handlers are not modelled");
		if (kind == LOG_T_FOREIGN)
			extract_limit(x, "threads that libraries create are not modelled");
		if (kind != LOG_T_MAIN && kind != LOG_T_CREATED)
			continue;
		x->thread_of[i] = x->c->threads.n;
		bitset_add(model, i);
		vec_push(&x->c->threads, (struct ctp_thread){.id = i,
						 .parent = CTP_NONE,
						 .create = CTP_NONE,
						 .begin = CTP_NONE,
						 .end = CTP_NONE,
						 .start_func = IR_NONE});
	}
}

/* Adds a variable that other threads use, if its function returns. */
static void find_variable(struct extractor *x, uint32_t gen)
{
	const struct generation *g = &x->sync->g.at.at[gen];

	if (!bitset_has(&x->cells.returned, gen))
		return;
	vec_push(&x->c->blocks, (struct ctp_block){.addr = g->base,
					.size = g->size,
					.alloc = CTP_NONE,
					.free = CTP_NONE,
					.gen = gen,
					.stack = true});
	*map_put(&x->block_of, gen) = x->c->blocks.n;
}

/* Adds the blocks of the heap. Allocation and free of a block are events if the block has shared
 * cells, or if another thread frees it. */
static void find_blocks(struct extractor *x)
{
	const struct generations *g = &x->sync->g;
	const struct sync_order *o = &x->sync->o;

	for (uint32_t i = 1; i < g->at.n; i++) {
		const struct generation *gen = &g->at.at[i];

		find_variable(x, i);
		if (gen->kind != GEN_HEAP)
			continue;
		vec_push(&x->c->blocks,
			(struct ctp_block){gen->base, gen->size, CTP_NONE, CTP_NONE, i, false});
		*map_put(&x->block_of, i) = x->c->blocks.n;
		*map_put(&x->gen_of_alloc, (uint64_t)gen->thread << 32 | gen->event) = i;
		if (x->merge || bitset_has(&x->cells.gens, i) ||
			(gen->to < o->n && o->at[gen->to].thread != gen->thread))
			bitset_add(&x->kept_blocks, i);
	}
}

static void find_traits(struct extractor *x)
{
	x->traits = xcalloc(x->p->funcs.n + 1, sizeof *x->traits);
	vec_each (&x->p->funcs, i) {
		const char *name = ir_func_name(x->p, i);
		const struct log_sync_fn *fn = log_sync_find(name);
		bool timed = strstr(name, "timed") || strstr(name, "clock");
		bool c11 = !strncmp(name, "mtx_", 4) || !strncmp(name, "cnd_", 4) ||
			   !strncmp(name, "thrd_", 5);

		x->traits[i] =
			(uint16_t)((prints_name(name) ? FUNC_PRINTS : 0) |
				   (fails_name(name) ? FUNC_FAILS : 0) | modelled_traits(name) |
				   (!strcmp(name, "__heddle_hidden_version") ? FUNC_VERSION : 0));
		if (!fn)
			continue;
		x->traits[i] |=
			(uint16_t)(FUNC_SYNC | (timed ? FUNC_TIMED : 0) | (c11 ? FUNC_C11 : 0) |
				   (!strcmp(name, "calloc") ? FUNC_ZEROS : 0) |
				   (fn->kind == LOG_S_FREE || fn->kind == LOG_S_REALLOC ? FUNC_FREES
											: 0) |
				   (fn->kind == LOG_S_JOIN && strstr(name, "try") ? FUNC_TRIES
										  : 0) |
				   (!strcmp(name, "sem_close") ? FUNC_CLOSES : 0) |
				   (fn->kind == LOG_S_EXIT ? FUNC_EXITS : 0) |
				   (!strcasecmp(name, "_exit") ? FUNC_QUITS : 0) |
				   (fn->kind >= LOG_S_USER_ATOMIC_BEGIN ? FUNC_TELLS : 0));
	}
}

/* ---- after the careful pass ----------------------------------------------------------------- */

/* The last event of the thread is the end of the process. */
static bool ends_process(const struct extractor *x, uint32_t thread)
{
	const struct ctp_thread *th = &x->c->threads.at[thread];

	return th->exits && th->n && ctp_at(x->c, th->first + th->n - 1)->kind == CTP_END;
}

static void note_fates(struct extractor *x)
{
	uint32_t n = 0;

	vec_each (&x->c->threads, i) {
		struct ctp_thread *th = &x->c->threads.at[i];
		const struct trace_thread *t = trace_thread(x->t, th->id);

		th->first = n;
		n += th->n;
		th->cut |= !t->followed || (t->result.status != FOLLOW_DONE && !ends_process(x, i));
		if (t->followed &&
			(t->result.status == FOLLOW_DONE || t->result.status == FOLLOW_CUT ||
				(x->merge && has_crashed(x, th->id))))
			continue;
		extract_limit(x, "thread %u is modelled up to where it could be re-executed%s%s", i,
			t->result.reason.n ? ": " : "",
			t->result.reason.n ? t->result.reason.s : "");
	}
	if (x->cells.nforeign)
		extract_limit(x,
			"%llu bytes that are written by code that is not modelled are assumed "
			"as recorded",
			(unsigned long long)x->cells.nforeign);
}

void extract_close(struct extractor *x)
{
	map_release(&x->block_of);
	map_release(&x->objects);
	map_release(&x->limits);
	map_release(&x->states);
	bitset_release(&x->unseen);
	vec_release(&x->rank);
	vec_release(&x->late);
	vec_release(&x->results);
	map_release(&x->handles);
	map_release(&x->closed);
	vec_release(&x->closed_streams);
	map_release(&x->early_bytes);
	vec_release(&x->hidden_objects);
	cells_release(&x->cells);
	if (x->chunk)
		return;
	cells_release_tables(&x->cells);
	vec_each (&x->p->funcs, i)
		if (x->used)
			free(x->used[i]);
	free(x->used);
	free(x->traits);
	free(x->hidden);
	free(x->thread_of);
	free(x->lives);
	fails_release(&x->fails);
	locksets_release(&x->sets);
	map_release(&x->gen_of_alloc);
	map_release(&x->robust);
	bitset_release(&x->kept_blocks);
	map_release(&x->selves);
}

static int prepare_pass(struct extractor *x, const struct extract_options *opt)
{
	struct bitset model = {0};
	int status;

	choose_threads(x, &model);
	vec_each (&x->c->threads, t)
		x->begun |= !trace_thread(x->t, x->c->threads.at[t].id)->begins;
	if (trace_gap(x->t))
		extract_limit(x, "%s", trace_gap(x->t));
	if (x->begun)
		extract_limit(x,
			"only the last part of the run was recorded: memory that is not written "
			"in it has unknown values");
	x->max_accesses = (opt->max_events ? opt->max_events : 4000000) / MAX(x->c->threads.n, 1u);
	status = cells_build(&x->cells, x->c, x->t, x->sync, &model, opt);
	vec_resize(&x->results, x->c->threads.n + 1);
	bitset_release(&model);
	if (status)
		return status;
	find_blocks(x);
	find_traits(x);
	hidden_find(x);
	modelled_check(x);
	state_prepare(x);
	fails_build(&x->fails, x->p);
	x->used = xcalloc(x->p->funcs.n + 1, sizeof *x->used);
	touched_fixed_range(&x->fixed, x->t);
	return 0;
}

int extract_open(struct extractor *x, struct trace *t, const struct extract_options *opt)
{
	*x = (struct extractor){.c = ctp_new(),
		.t = t,
		.sync = xcalloc(1, sizeof *x->sync),
		.p = trace_program(t),
		.pl = trace_plan(t),
		.merge = opt->merge,
		.cut_rank = UINT32_MAX};
	locksets_init(&x->sets);
	x->c->trace = t;
	if (opt->ts) {
		terms_free(x->c->ts);
		x->c->ts = opt->ts;
		x->c->shared_terms = true;
	}
	x->ts = x->c->ts;
	if (collect(x->sync, t, opt->jobs)) {
		free(x->sync);
		return -1;
	}
	x->c->sync = x->sync;
	if (trace_validate_order(t, &x->sync->o))
		return -1;
	return prepare_pass(x, opt);
}

int extract_finish(struct extractor *x)
{
	note_fates(x);
	hidden_settle(x);
	extract_drop_blocks(x);
	x->c->all_events = x->cells.accesses;
	if (!x->merge)
		extract_put_results(x);
	if (x->begun)
		begun_cut(x);
	link_events(x);
	return order_events(x);
}

/* Makes the events of all threads: a whole run is one extraction, with one part for each thread. */
static int make_events(struct extractor *x)
{
	struct pass p;
	int status;

	pass_init(&p, x, false);
	vec_each (&x->c->threads, t)
		pass_add(&p, x->c->threads.at[t].id,
			&(struct pass_part){.x = x, .from = UINT64_MAX, .to = UINT64_MAX});
	status = pass_run(&p);
	pass_release(&p);
	return status;
}

const struct ctp *extract(struct trace *t, const struct extract_options *opt)
{
	struct extractor x;
	int status = extract_open(&x, t, opt);

	if (!status) {
		LOG(extract, "prepared: %u threads, %u cells, %u blocks", x.c->threads.n,
			x.c->cells.n, x.c->blocks.n);
		status = make_events(&x);
	}
	if (!status) {
		LOG(extract, "re-executed: %u events, %u accesses", x.c->events.n, x.c->accesses.n);
		status = extract_finish(&x);
	}
	if (!status)
		LOG(extract, "linked and ordered: %u events, order %s, %u limits", x.c->order.n,
			x.c->order_exact ? "exact" : "not exact", x.c->limits.n);
	extract_close(&x);
	if (status) {
		ctp_free(x.c);
		return NULL;
	}
	if (opt->reduce)
		stutter_remove(x.c, opt->spins);
	return ctp_finish(x.c);
}
