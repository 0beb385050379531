/*
 * Locks that threads hold at their places: relative locksets (RELAY; paper 001, 4.4),
 * flow-sensitive inside functions, over the frames of the context and the calls that have returned.
 *
 * A lock is a term over the registers of the current frame. When one of these registers is set
 * again the term no longer denotes the lock: the lock becomes *stale*, and only the call that took
 * it is known. Two stale locks of the same call (a loop that takes a lock in each round and keeps
 * it) cannot be told apart: the thread may then hold locks that are not in the list.
 *
 * The holder of a read lock may take it again, so the number of times is counted; up to 7.
 *
 * Held locks (L+) are computed as may and must in one pass: a lock is a must if all paths took it
 * and no operation since may have released it. Released locks (L-) are those that a function
 * releases on every path without having taken them; its callers do not hold them afterwards.
 */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "log/words.h"

#include <string.h>

struct held {
	term_t lock;    /* TERM_NONE: stale */
	struct site at; /* the call that took it */
	bool reader;
	uint32_t least, most; /* times that it is held: up to 1, a read lock up to CONTEXT_MANY, which
	                         means any number. Held in every run if least > 0 */
};

struct state {
	bool reached;
	bool unknown; /* the thread may hold locks that are not in the list */
	VEC(struct held) held;
	VEC(term_t) released;  /* on every path since the entry */
	struct bitset perhaps; /* of search.releases: executed on some path */
};

struct search {
	struct context *c;
	VEC(struct site) releases; /* all calls that release a lock */
	struct bitset *closure; /* by function: the releases that a call of it may execute */
	uint8_t *takes;         /* by function: 1 + whether a call of it may take a lock */
	VEC(struct state *) exits; /* by frame; NULL = not computed */
	struct bitset entering;    /* functions whose callers are being computed */
	bool robust;               /* robust mutexes: a lock call may return without the lock */
};

enum lock_op { OP_NONE, OP_TAKE, OP_TRY, OP_RELEASE };

/* ---- states ---------------------------------------------------------------------------------- */

static void state_release(struct state *s)
{
	vec_release(&s->held);
	vec_release(&s->released);
	bitset_release(&s->perhaps);
}

static void state_copy(struct state *to, const struct state *from)
{
	vec_clear(&to->held);
	vec_clear(&to->released);
	bitset_clear(&to->perhaps);
	to->reached = from->reached;
	to->unknown = from->unknown;
	vec_each (&from->held, i)
		vec_push(&to->held, from->held.at[i]);
	vec_each (&from->released, i)
		vec_push(&to->released, from->released.at[i]);
	bitset_or(&to->perhaps, &from->perhaps);
}

/* The entry of a read lock that the thread takes again: the same lock, taken by any call. */
static struct held *find_read(struct state *s, const struct held *h)
{
	vec_each (&s->held, i)
		if (h->reader && s->held.at[i].reader && h->lock.id &&
			term_same(s->held.at[i].lock, h->lock))
			return &s->held.at[i];
	return NULL;
}

static struct held *find_held(struct state *s, const struct held *h)
{
	vec_each (&s->held, i)
		if (term_same(s->held.at[i].lock, h->lock) && s->held.at[i].at.func == h->at.func &&
			s->held.at[i].at.insn == h->at.insn)
			return &s->held.at[i];
	return NULL;
}

static bool has_released(const struct state *s, term_t t)
{
	vec_each (&s->released, i)
		if (term_same(s->released.at[i], t))
			return true;
	return false;
}

/* Adds a lock that was taken after those of the state. */
static void add_held(struct state *s, const struct held *h)
{
	struct held *read = find_read(s, h), *same = read ? read : find_held(s, h);

	if (read) {
		read->least = MIN(read->least + h->least, CONTEXT_MANY - 1);
		read->most = MIN(read->most + h->most, CONTEXT_MANY);
	} else if (same) {
		same->least |= h->least;
	} else {
		vec_push(&s->held, *h);
		same = &vec_last(&s->held);
	}
	BUG_ON(same->least > same->most);
}

/* A lock is held in every run if it is so in both states. True if `to` changed. */
static bool merge_held(struct state *to, const struct state *from)
{
	bool grown = false;

	vec_each (&to->held, i) {
		struct held *other = find_held((struct state *)from, &to->held.at[i]);

		uint32_t least = other ? other->least : 0, most = other ? other->most : 0;

		grown |= least < to->held.at[i].least || most > to->held.at[i].most;
		to->held.at[i].least = MIN(least, to->held.at[i].least);
		to->held.at[i].most = MAX(most, to->held.at[i].most);
		BUG_ON(to->held.at[i].least > to->held.at[i].most);
	}
	vec_each (&from->held, i)
		if (!find_held(to, &from->held.at[i])) {
			vec_push(&to->held, from->held.at[i]);
			vec_last(&to->held).least = 0;
			grown = true;
		}
	return grown;
}

/* Merges the states of two paths. True if `to` changed. */
static bool merge_state(struct state *to, const struct state *from)
{
	bool grown;
	uint32_t n = 0;

	if (!from->reached)
		return false;
	if (!to->reached) {
		state_copy(to, from);
		return true;
	}
	grown = merge_held(to, from);
	vec_each (&to->released, i)
		if (has_released(from, to->released.at[i]))
			to->released.at[n++] = to->released.at[i];
	grown |= n < to->released.n || (from->unknown && !to->unknown);
	to->released.n = n;
	to->unknown |= from->unknown;
	return bitset_or(&to->perhaps, &from->perhaps) || grown;
}

/* ---- operations ------------------------------------------------------------------------------ */

static enum lock_op classify_sync(int sync, bool *reader)
{
	*reader = sync == LOG_S_RDLOCK || sync == LOG_S_TRYRDLOCK;
	switch (sync) {
	case LOG_S_LOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK: return OP_TAKE;
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK: return OP_TRY;
	case LOG_S_UNLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_RW_UNLOCK: return OP_RELEASE;
	default: return OP_NONE;
	}
}

static ir_ref get_lock_operand(const struct context *c, struct site at)
{
	return code_arg(&c->code, at.func, at.insn, 0);
}

static bool may_be_same(const struct context *c, struct site a, struct site b)
{
	ir_ref x = get_lock_operand(c, a), y = get_lock_operand(c, b);

	return x == IR_NONE || y == IR_NONE ||
	       points_to_may_alias(c->pt, a.func, x, 1, b.func, y, 1);
}

/* Does the call always return with the lock held? Not one with a timeout, or that may fail. */
static bool takes_for_sure(const struct search *s, const struct state *st, struct site at, int sync)
{
	const char *name = ir_func_name(s->c->p, code_direct(&s->c->code, at.func, at.insn));

	if (log_sync_find(name)->timed)
		return false;
	if (sync == LOG_S_LOCK)
		return !s->robust;
	if (sync == LOG_S_SPIN_LOCK)
		return true;
	vec_each (&st->held, i) /* it fails if the thread holds the lock, except if both read */
		if (!(sync == LOG_S_RDLOCK && st->held.at[i].reader) &&
			may_be_same(s->c, st->held.at[i].at, at))
			return false;
	return !st->unknown;
}

static void take_lock(struct search *s, uint32_t frame, uint32_t insn, int sync, struct state *st)
{
	struct held h = {.at = {frame_at(s->c, frame)->func, insn}, .most = 1};
	ir_ref r = get_lock_operand(s->c, h.at);
	enum lock_op op = classify_sync(sync, &h.reader);

	if (r == IR_NONE)
		return;
	h.lock = reach_ref(s->c, frame, r);
	h.least = op == OP_TAKE && takes_for_sure(s, st, h.at, sync);
	add_held(st, &h);
	for (uint32_t i = 0; i < st->released.n; i++)
		if (term_same(st->released.at[i], h.lock))
			st->released.at[i--] = vec_pop(&st->released);
}

/* The release may have released these locks; drop_lock() has done so with `dropped`. */
static void lose_must(struct search *s, struct state *st, struct site release, term_t dropped)
{
	vec_each (&st->held, i)
		if (!(dropped.id && term_same(st->held.at[i].lock, dropped)) &&
			may_be_same(s->c, st->held.at[i].at, release))
			st->held.at[i].least = 0;
}

static bool drop_lock(struct state *st, term_t lock)
{
	bool any = false;

	for (uint32_t i = 0; i < st->held.n; i++) {
		if (!st->held.at[i].lock.id || !term_same(st->held.at[i].lock, lock))
			continue;
		any = true;
		st->held.at[i].least -= st->held.at[i].least > 0;
		st->held.at[i].most -= st->held.at[i].most < CONTEXT_MANY;
		if (!st->held.at[i].most)
			st->held.at[i--] = vec_pop(&st->held);
	}
	return any;
}

static uint32_t find_release(const struct search *s, struct site at)
{
	vec_each (&s->releases, i)
		if (s->releases.at[i].func == at.func && s->releases.at[i].insn == at.insn)
			return i;
	BUG("an unlock that find_releases() did not collect");
}

static void release_lock(struct search *s, uint32_t frame, uint32_t insn, struct state *st)
{
	struct site at = {frame_at(s->c, frame)->func, insn};
	ir_ref r = get_lock_operand(s->c, at);
	term_t t;

	if (r == IR_NONE)
		return;
	t = reach_ref(s->c, frame, r);
	if (!drop_lock(st, t) && !has_released(st, t))
		vec_push(&st->released, t);
	lose_must(s, st, at, t);
	bitset_add(&st->perhaps, find_release(s, at));
}

/* ---- registers that are set again ------------------------------------------------------------ */

/* Does executing the instruction (entering the block) set the symbol? */
static bool is_set_by(
	struct context *c, uint32_t frame, const struct symbol *sym, uint32_t insn, uint32_t block)
{
	struct shape *sh = code_shape(&c->code, frame_at(c, frame)->func);
	uint32_t at = sym->frame;

	if (at == IR_NONE)
		return false;
	if (at == frame)
		return sh->set_by[sym->is.reg] == IR_NONE
			       ? block != BLK_NONE && sh->set_in[sym->is.reg] == block
			       : sh->set_by[sym->is.reg] == insn;
	for (; at != IR_NONE && frame_at(c, at)->kind == FRAME_RETURNED;
		at = frame_at(c, at)->parent)
		if (frame_at(c, at)->parent == frame)
			return frame_at(c, at)->call == insn;
	return false;
}

static bool becomes_stale(
	struct context *c, uint32_t frame, term_t t, uint32_t insn, uint32_t block)
{
	const struct term_syms *syms = term_syms(c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = symbol_get(c, syms->at[i]);

		if (!sym || is_set_by(c, frame, sym, insn, block))
			return true;
	}
	return false;
}

static void mark_stale(struct state *st, uint32_t i)
{
	struct held h = st->held.at[i];

	h.lock = TERM_NONE;
	h.least = 0;
	if (find_held(st, &h)) { /* the second stale lock of this call */
		st->unknown = true;
		st->held.at[i] = vec_pop(&st->held);
	} else {
		st->held.at[i] = h;
	}
}

static void mark_stale_locks(
	struct context *c, uint32_t frame, uint32_t insn, uint32_t block, struct state *st)
{
	for (uint32_t i = st->held.n; i-- > 0;)
		if (st->held.at[i].lock.id &&
			becomes_stale(c, frame, st->held.at[i].lock, insn, block))
			mark_stale(st, i);
	for (uint32_t i = st->released.n; i-- > 0;)
		if (becomes_stale(c, frame, st->released.at[i], insn, block))
			st->released.at[i] = vec_pop(&st->released);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct callees {
	struct search *s;
	struct bitset funcs;
	struct vec_u32 work;
	bool takes, releases; /* by a library function that is called through a pointer */
	bool indirect;
};

static void add_callee(void *ctx, uint32_t callee)
{
	struct callees *cs = ctx;
	const struct native *n = &cs->s->c->code.natives[callee];
	bool reader;

	if (code_known(&cs->s->c->code, callee)) {
		if (bitset_add(&cs->funcs, callee))
			vec_push(&cs->work, callee);
	} else if (cs->indirect && n->call == CALL_SYNC) {
		enum lock_op op = classify_sync(n->sync, &reader);

		cs->takes |= op == OP_TAKE || op == OP_TRY;
		cs->releases |= op == OP_RELEASE;
	}
}

static void add_callees(struct callees *cs, uint32_t func, uint32_t insn)
{
	const struct context *c = cs->s->c;

	cs->indirect = code_direct(&c->code, func, insn) == IR_NONE;
	points_to_callees(c->pt, func, insn, add_callee, cs);
	if (code_sync(&c->code, func, insn) != LOG_S_CREATE)
		points_to_callbacks(c->pt, func, insn, add_callee, cs);
}

/* Computes s->takes and s->closure of the function. */
static void close_function(struct search *s, uint32_t func)
{
	struct callees cs = {.s = s};
	struct bitset *all;
	bool takes = false, reader;

	if (s->takes[func])
		return;
	all = &s->closure[func];
	add_callee(&cs, func);
	while (cs.work.n) {
		uint32_t g = vec_pop(&cs.work);
		const struct ir_func *f = code_func(&s->c->code, g);

		vec_each (&f->insns, i) {
			enum lock_op op;

			if (f->insns.at[i].op != IR_CALL)
				continue;
			op = classify_sync(code_sync(&s->c->code, g, i), &reader);
			takes |= op == OP_TAKE || op == OP_TRY;
			if (op == OP_RELEASE)
				bitset_add(all, find_release(s, (struct site){g, i}));
			add_callees(&cs, g, i);
		}
	}
	if (cs.releases) /* an unlock through a pointer may release any lock */
		vec_each (&s->releases, i)
			bitset_add(all, i);
	s->takes[func] = 1 + (takes || cs.takes);
	bitset_release(&cs.funcs);
	vec_release(&cs.work);
}

static const struct state *get_exit_state(struct search *s, uint32_t frame);

/* A call without a frame: the callee may take unknown locks, and execute all releases it can reach.
 * */
static void call_unknown_frame(struct search *s, uint32_t callee, struct state *st)
{
	close_function(s, callee);
	st->unknown |= s->takes[callee] == 2;
	bitset_each (&s->closure[callee], i)
		lose_must(s, st, s->releases.at[i], TERM_NONE);
	bitset_or(&st->perhaps, &s->closure[callee]);
}

static void call_frame(struct search *s, uint32_t v, struct state *st, bool only)
{
	const struct state *out = get_exit_state(s, v);

	if (!out->reached)
		return; /* the callee does not return */
	if (only)
		vec_each (&out->released, i)
			if (!drop_lock(st, out->released.at[i]) &&
				!has_released(st, out->released.at[i]))
				vec_push(&st->released, out->released.at[i]);
	bitset_each (&out->perhaps, i)
		lose_must(s, st, s->releases.at[i], TERM_NONE);
	bitset_or(&st->perhaps, &out->perhaps);
	st->unknown |= out->unknown;
	vec_each (&out->held, i) {
		struct held h = out->held.at[i];

		if (!only)
			h.least = 0;
		add_held(st, &h);
	}
}

static void call_function(struct search *s, uint32_t frame, uint32_t insn, struct state *st)
{
	uint32_t func = frame_at(s->c, frame)->func, n, v;
	int sync = code_sync(&s->c->code, func, insn);
	struct callees cs = {.s = s};
	bool reader, at_once = code_calls_at_once(&s->c->code, func, insn);

	switch (classify_sync(sync, &reader)) {
	case OP_TAKE:
	case OP_TRY: take_lock(s, frame, insn, sync, st); return;
	case OP_RELEASE: release_lock(s, frame, insn, st); return;
	case OP_NONE: break;
	}
	add_callees(&cs, func, insn);
	n = bitset_count(&cs.funcs);
	st->unknown |= cs.takes;
	if (cs.releases)
		vec_each (&st->held, i)
			st->held.at[i].least = 0;
	bitset_each (&cs.funcs, callee) {
		v = at_once ? IR_NONE : frame_returned(s->c, frame, insn, callee);
		if (v == IR_NONE)
			call_unknown_frame(s, callee, st);
		else
			call_frame(
				s, v, st, n == 1 && code_callee(&s->c->code, func, insn) == callee);
	}
	vec_release(&cs.work);
	bitset_release(&cs.funcs);
}

/* ---- a function ------------------------------------------------------------------------------ */

/* Executes the instructions [from, to) of a block on the state. */
static void execute_insns(
	struct search *s, uint32_t frame, uint32_t from, uint32_t to, struct state *st)
{
	const struct ir_func *f = code_func(&s->c->code, frame_at(s->c, frame)->func);

	for (uint32_t i = from; i < to; i++) {
		mark_stale_locks(s->c, frame, i, BLK_NONE, st);
		if (f->insns.at[i].op == IR_CALL)
			call_function(s, frame, i, st);
	}
}

/* The states at the start of all blocks, as a fixpoint. Free them with release_states(). */
static struct state *compute_states(struct search *s, uint32_t frame)
{
	uint32_t func = frame_at(s->c, frame)->func;
	const struct ir_func *f = code_func(&s->c->code, func);
	struct shape *sh = code_shape(&s->c->code, func);
	struct state *at = xcalloc(f->blocks.n, sizeof *at), now = {0};
	bool again = true;

	at[0].reached = true;
	at[0].unknown = sh->twice;
	while (again) {
		again = false;
		for (uint32_t i = 0; i < sh->cfg.nrpo; i++) {
			uint32_t b = sh->cfg.rpo[i];

			state_copy(&now, &at[b]);
			execute_insns(s, frame, f->blocks.at[b].first,
				f->blocks.at[b].first + f->blocks.at[b].n, &now);
			for (uint32_t k = sh->cfg.succ_at[b]; k < sh->cfg.succ_at[b + 1]; k++) {
				struct state next = {0};

				state_copy(&next, &now);
				mark_stale_locks(s->c, frame, IR_NONE, sh->cfg.succ[k], &next);
				again |= merge_state(&at[sh->cfg.succ[k]], &next);
				state_release(&next);
			}
		}
	}
	state_release(&now);
	return at;
}

static void release_states(struct state *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		state_release(&at[i]);
	free(at);
}

static struct state get_state_before(struct search *s, uint32_t frame, uint32_t insn)
{
	uint32_t func = frame_at(s->c, frame)->func;
	const struct ir_func *f = code_func(&s->c->code, func);
	struct shape *sh = code_shape(&s->c->code, func);
	uint32_t b = sh->block_of[insn];
	struct state *at = compute_states(s, frame), now = {0};

	state_copy(&now, &at[b]);
	execute_insns(s, frame, f->blocks.at[b].first, insn, &now);
	release_states(at, f->blocks.n);
	if (sh->twice)
		vec_each (&now.held, i)
			now.held.at[i].least = 0;
	return now;
}

static const struct state *get_exit_state(struct search *s, uint32_t frame)
{
	const struct ir_func *f = code_func(&s->c->code, frame_at(s->c, frame)->func);
	struct state *at, *out;

	while (s->exits.n <= frame)
		vec_push(&s->exits, NULL);
	if (s->exits.at[frame])
		return s->exits.at[frame];
	out = xcalloc(1, sizeof *out);
	at = compute_states(s, frame);
	vec_each (&f->blocks, b) {
		struct state now = {0};

		if (ir_terminator(f, b)->op == IR_RET && at[b].reached) {
			state_copy(&now, &at[b]);
			execute_insns(s, frame, f->blocks.at[b].first,
				f->blocks.at[b].first + f->blocks.at[b].n - 1, &now);
			merge_state(out, &now);
		}
		state_release(&now);
	}
	release_states(at, f->blocks.n);
	while (s->exits.n <= frame)
		vec_push(&s->exits, NULL);
	s->exits.at[frame] = out;
	return out;
}

/* ---- a stack --------------------------------------------------------------------------------- */

/* st: the locks at the entry of a frame. Applies the effects of the frame itself. */
static void add_frame_effects(struct search *s, struct state *st, const struct state *inner)
{
	vec_each (&inner->released, i)
		drop_lock(st, inner->released.at[i]);
	bitset_each (&inner->perhaps, i)
		lose_must(s, st, s->releases.at[i], TERM_NONE);
	vec_each (&inner->held, i)
		add_held(st, &inner->held.at[i]);
	st->unknown |= inner->unknown;
}

static struct state get_callers_state(struct search *s, uint32_t func);

static void add_caller(struct search *s, struct site from, struct state *all)
{
	struct state st = get_callers_state(s, from.func), inner;
	uint32_t frame = frame_lone(s->c, from.func, from.insn);

	if (st.reached) {
		inner = get_state_before(s, frame, from.insn);
		add_frame_effects(s, &st, &inner);
		state_release(&inner);
		for (uint32_t i = st.held.n; i-- > 0;)
			if (st.held.at[i].lock.id && !term_is_fixed(s->c, st.held.at[i].lock))
				mark_stale(&st, i);
		merge_state(all, &st);
	}
	state_release(&st);
}

/* The locks that callers of the function may hold. */
static struct state get_callers_state(struct search *s, uint32_t func)
{
	const struct code *k = &s->c->code;
	struct state all = {0}, none = {.reached = true};

	if (!bitset_add(&s->entering, func) || k->recursive[func] || k->callbacks[func].n ||
		points_to_outside(s->c->pt, points_to_of_func(s->c->pt, func))) {
		all.reached = all.unknown = true;
		return all;
	}
	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++) {
		const struct call_site *cs = &k->calls.sites.at[k->calls.callers[i]];

		if (code_known(k, cs->func))
			add_caller(s, (struct site){cs->func, cs->insn}, &all);
	}
	/* a new thread holds no lock */
	if (k->starts[func].n || !all.reached || func == ir_find_func(s->c->p, "main"))
		merge_state(&all, &none);
	bitset_del(&s->entering, func);
	return all;
}

/* The address of a stale lock: some value that the operand had. */
static term_t make_stale_symbol(struct search *s, struct site at)
{
	return symbol_past(s->c, at.func, at.insn, get_lock_operand(s->c, at));
}

/* A thread that is blocked in pthread_cond_wait does not hold the mutex. */
static void release_for_wait(struct search *s, uint32_t thread, struct state *st)
{
	struct context_place at = vec_last(&s->c->threads.at[thread].stack);
	ir_ref r;

	if (!s->c->threads.at[thread].waiting ||
		code_sync(&s->c->code, at.func, at.insn) != LOG_S_COND_WAIT ||
		(r = code_arg(&s->c->code, at.func, at.insn, 1)) == IR_NONE)
		return;
	for (uint32_t i = st->held.n; i-- > 0;)
		if (points_to_may_alias(s->c->pt, at.func, r, 1, st->held.at[i].at.func,
			    get_lock_operand(s->c, st->held.at[i].at), 1))
			st->held.at[i].least = 0;
	drop_lock(st,
		reach_ref(s->c, frame_of(s->c, thread, s->c->threads.at[thread].stack.n - 1), r));
}

static void find_thread_locks(struct search *s, uint32_t thread)
{
	struct context *c = s->c;
	const struct context_thread *t = &c->threads.at[thread];
	struct state st = {.reached = true}, inner;

	if (!t->complete) {
		state_release(&st);
		st = get_callers_state(s, t->stack.at[0].func);
	}
	vec_each (&t->stack, i) {
		inner = get_state_before(s, frame_of(c, thread, i), t->stack.at[i].insn);
		add_frame_effects(s, &st, &inner);
		state_release(&inner);
	}
	release_for_wait(s, thread, &st);
	vec_each (&st.held, i) {
		struct held h = st.held.at[i];

		vec_push(&c->locks,
			(struct context_lock){thread,
				h.lock.id ? h.lock : make_stale_symbol(s, h.at), h.least > 0,
				h.reader, h.least, h.most});
	}
	c->locks_known.at[thread] = !st.unknown;
	state_release(&st);
}

/* ---- all threads ----------------------------------------------------------------------------- */

static void find_releases(struct search *s)
{
	const struct ir_program *p = s->c->p;
	bool reader;

	vec_each (&p->funcs, f) {
		if (!code_known(&s->c->code, f)) {
			s->robust |= !strcmp(ir_func_name(p, f), "pthread_mutexattr_setrobust") ||
				     !strcmp(ir_func_name(p, f), "pthread_mutexattr_setrobust_np");
			continue;
		}
		vec_each (&p->funcs.at[f].insns, i)
			if (p->funcs.at[f].insns.at[i].op == IR_CALL &&
				classify_sync(code_sync(&s->c->code, f, i), &reader) == OP_RELEASE)
				vec_push(&s->releases, (struct site){f, i});
	}
}

void locks_init(struct context *c)
{
	struct search s = {.c = c};

	s.closure = xcalloc(c->p->funcs.n + 1, sizeof *s.closure);
	s.takes = xcalloc(c->p->funcs.n + 1, 1);
	find_releases(&s);
	vec_resize(&c->locks_known, c->threads.n);
	vec_each (&c->threads, t)
		find_thread_locks(&s, t);
	vec_each (&c->p->funcs, f)
		bitset_release(&s.closure[f]);
	vec_each (&s.exits, i)
		if (s.exits.at[i]) {
			state_release(s.exits.at[i]);
			free(s.exits.at[i]);
		}
	vec_release(&s.exits);
	vec_release(&s.releases);
	bitset_release(&s.entering);
	free(s.closure);
	free(s.takes);
}
