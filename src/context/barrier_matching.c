/*
 * Barrier matching (paper 001, 4.4; Zhang and Duesterwald 2007): threads that wait at a barrier in
 * each round of a loop are in the same round, for any number of rounds.
 *
 * Let a barrier have the count N, and let at most N threads ever wait at it. Then each phase of the
 * barrier needs all of them, and each waits once in a phase. If a thread has passed k times, all
 * have arrived k times; so two threads that are not inside a wait have passed equally often. The
 * number of passes from the start of a thread to its place is a constant plus m for each round of
 * one loop around the place. Hence C1 + m * rounds1 = C2 + m * rounds2, and the loop counters give
 * the rounds.
 */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"

struct barrier {
	struct context *c;
	term_t address, count;
	uint32_t object; /* of the points-to analysis */
	int64_t offset;
	struct bitset waits; /* functions whose calls may wait at it */
	term_t provided; /* the condition under which all threads are needed; TERM_NONE: always */
};

struct passed { /* number of passes: base + each * (rounds of the loop) */
	int64_t base, each;
	uint32_t frame, loop;
};

/* ---- waits ----------------------------------------------------------------------------------- */

static bool waits_here(const struct barrier *b, uint32_t func, uint32_t insn)
{
	const struct code *k = &b->c->code;
	ir_ref r;

	if (code_sync(k, func, insn) != LOG_S_BARRIER_ENTER)
		return false;
	r = code_arg(k, func, insn, 0);
	return r == IR_NONE || points_to_covers(b->c->pt, func, r, b->object, b->offset);
}

static bool function_waits(const struct barrier *b, uint32_t func)
{
	const struct ir_func *f = code_func(&b->c->code, func);

	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_CALL && waits_here(b, func, i))
			return true;
	return false;
}

static void find_waiting_funcs(struct barrier *b)
{
	const struct ir_program *p = b->c->p;
	struct bitset own = {0}, all = {0};

	vec_each (&p->funcs, f)
		if (code_known(&b->c->code, f) && function_waits(b, f))
			bitset_add(&own, f);
	vec_each (&p->funcs, f) {
		if (!code_known(&b->c->code, f))
			continue;
		bitset_clear(&all);
		code_closure(&b->c->code, f, &all);
		if (bitset_intersects(&all, &own))
			bitset_add(&b->waits, f);
	}
	bitset_release(&own);
	bitset_release(&all);
}

/* ---- number of threads ------------------------------------------------------------------------
 */

/* Is the number of threads that may wait at most the count? If the number is a term, the count is
 * the same term with 32 bits, which is the same number if b->provided holds. Where the loop that
 * creates threads has no round, one thread waits at most, and nothing is said about it. */
static bool needs_all_threads(struct barrier *b)
{
	struct context *c = b->c;
	struct users u;
	u128 count;

	if (!users_of(c, &b->waits, &u))
		return false;
	if (!u.more.id)
		return term_is_const(c->ts, b->count, &count) && u.fixed <= count;
	b->provided = users_are_few(c, &u);
	return u.fixed <= 1 && term_width(c->ts, u.more) >= 32 &&
	       term_same(b->count,
		       term_trunc(c->ts,
			       term_add(c->ts, u.more,
				       term_const(c->ts, term_width(c->ts, u.more), u.fixed)),
			       32));
}

/* ---- counting -------------------------------------------------------------------------------- */

enum { MAX_DEPTH = 8 };

struct ways { /* paths through one function, to the place or to its returns */
	struct barrier *b;
	uint32_t frame, func, place, depth;
	struct bitset leading; /* blocks from which the place can be reached */
	int64_t *at;           /* by block: passes at its entry, in the first round of each loop */
	bool *known;           /* by block: `at` is set */
	int64_t *each;         /* by loop: passes in one round */
	bool *looped;          /* by loop: `each` is set */
};

static bool count_ways(
	struct barrier *b, uint32_t frame, uint32_t place, uint32_t depth, struct passed *out);

static bool count_insn(struct ways *w, uint32_t insn, int64_t *n)
{
	struct context *c = w->b->c;
	uint32_t callee, v;
	struct bitset all = {0};
	struct passed inner;
	bool may;

	*n = 0;
	if (code_func(&c->code, w->func)->insns.at[insn].op != IR_CALL)
		return true;
	if (waits_here(w->b, w->func, insn)) {
		*n = 1;
		return term_same(reach_ref(c, w->frame, code_arg(&c->code, w->func, insn, 0)),
			w->b->address);
	}
	code_called(&c->code, w->func, insn, &all);
	may = bitset_intersects(&all, &w->b->waits);
	bitset_release(&all);
	if (!may)
		return true;
	callee = code_callee(&c->code, w->func, insn);
	if (callee == IR_NONE || (v = frame_returned(c, w->frame, insn, callee)) == IR_NONE ||
		!count_ways(w->b, v, IR_NONE, w->depth + 1, &inner) || inner.each)
		return false;
	*n = inner.base;
	return true;
}

static bool count_insns(struct ways *w, uint32_t first, uint32_t end, int64_t *n)
{
	int64_t one;

	*n = 0;
	for (uint32_t i = first; i < end; i++) {
		if (!count_insn(w, i, &one))
			return false;
		*n += one;
	}
	return true;
}

static void find_leading_blocks(struct ways *w)
{
	struct shape *s = code_shape(&w->b->c->code, w->func);
	struct vec_u32 work = {0};

	if (w->place == IR_NONE) {
		for (uint32_t i = 0; i < s->cfg.nrpo; i++)
			bitset_add(&w->leading, s->cfg.rpo[i]);
		return;
	}
	vec_push(&work, s->block_of[w->place]);
	bitset_add(&w->leading, s->block_of[w->place]);
	while (work.n) {
		uint32_t b = vec_pop(&work);

		for (uint32_t i = s->cfg.pred_at[b]; i < s->cfg.pred_at[b + 1]; i++)
			if (cfg_reachable(&s->cfg, s->cfg.pred[i]) &&
				bitset_add(&w->leading, s->cfg.pred[i]))
				vec_push(&work, s->cfg.pred[i]);
	}
	vec_release(&work);
}

/* Follows an edge. False if two paths, or two rounds of a loop, have different numbers of passes.
 * */
static bool count_edge(struct ways *w, uint32_t from, int64_t n, uint32_t to)
{
	struct shape *s = code_shape(&w->b->c->code, w->func);
	uint32_t loop;

	n += w->at[from];
	if (dominates(&s->dom, to, from)) {
		loop = s->loops.of[to];
		n -= w->at[to];
		if (s->loops.at.at[loop].header != to || (w->looped[loop] && w->each[loop] != n))
			return false;
		w->looped[loop] = true;
		w->each[loop] = n;
		return true;
	}
	if (s->cfg.rpo_of[to] <= s->cfg.rpo_of[from] || (w->known[to] && w->at[to] != n))
		return false;
	w->known[to] = true;
	w->at[to] = n;
	return true;
}

static bool count_blocks(struct ways *w)
{
	struct shape *s = code_shape(&w->b->c->code, w->func);
	const struct ir_func *f = code_func(&w->b->c->code, w->func);
	int64_t n;

	w->known[0] = true;
	for (uint32_t i = 0; i < s->cfg.nrpo; i++) {
		uint32_t b = s->cfg.rpo[i];
		bool counted = false;

		for (uint32_t k = s->cfg.succ_at[b]; k < s->cfg.succ_at[b + 1]; k++) {
			if (!bitset_has(&w->leading, b) || !bitset_has(&w->leading, s->cfg.succ[k]))
				continue;
			if (!counted && !count_insns(w, f->blocks.at[b].first,
						f->blocks.at[b].first + f->blocks.at[b].n, &n))
				return false;
			counted = true;
			if (!count_edge(w, b, n, s->cfg.succ[k]))
				return false;
		}
	}
	return true;
}

/* At most one loop may have waits: it is around the place and in no other loop. */
static bool find_loop(struct ways *w, struct passed *out)
{
	struct shape *s = code_shape(&w->b->c->code, w->func);

	vec_each (&s->loops.at, l) {
		const struct loop *lp = &s->loops.at.at[l];

		if (!w->looped[l])
			continue;
		if (lp->irreducible)
			return false;
		if (!w->each[l])
			continue;
		if (out->each || w->place == IR_NONE || lp->parent != LOOP_NONE ||
			!loop_contains(&s->loops, l, s->block_of[w->place]))
			return false;
		out->each = w->each[l];
		out->loop = l;
		out->frame = w->frame;
	}
	return true;
}

static bool count_end(struct ways *w, struct passed *out)
{
	struct shape *s = code_shape(&w->b->c->code, w->func);
	const struct ir_func *f = code_func(&w->b->c->code, w->func);
	bool any = false;
	int64_t n;

	vec_each (&f->blocks, b) {
		uint32_t end = f->blocks.at[b].first + f->blocks.at[b].n - 1;

		if (w->place != IR_NONE
				? s->block_of[w->place] != b
				: f->insns.at[end].op != IR_RET || !cfg_reachable(&s->cfg, b))
			continue;
		if (!w->known[b] ||
			!count_insns(w, f->blocks.at[b].first, w->place != IR_NONE ? w->place : end,
				&n) ||
			(any && out->base != w->at[b] + n))
			return false;
		out->base = w->at[b] + n;
		any = true;
	}
	return any;
}

static bool count_ways(
	struct barrier *b, uint32_t frame, uint32_t place, uint32_t depth, struct passed *out)
{
	struct context *c = b->c;
	struct ways w = {.b = b,
		.frame = frame,
		.func = frame_at(c, frame)->func,
		.place = place,
		.depth = depth};
	struct shape *s = code_shape(&c->code, w.func);
	uint32_t n = code_func(&c->code, w.func)->blocks.n;
	bool ok;

	*out = (struct passed){.frame = IR_NONE};
	if (s->twice || depth > MAX_DEPTH)
		return false;
	w.at = xcalloc(n, sizeof *w.at);
	w.known = xcalloc(n, sizeof *w.known);
	w.each = xcalloc(s->loops.at.n + 1, sizeof *w.each);
	w.looped = xcalloc(s->loops.at.n + 1, sizeof *w.looped);
	find_leading_blocks(&w);
	ok = count_blocks(&w) && find_loop(&w, out) && count_end(&w, out);
	bitset_release(&w.leading);
	free(w.at);
	free(w.known);
	free(w.each);
	free(w.looped);
	return ok;
}

/* The number of passes of the thread since its start. False if it is inside a wait, or not known.
 * */
static bool count_thread(struct barrier *b, uint32_t thread, struct passed *out)
{
	const struct context_thread *t = &b->c->threads.at[thread];
	struct passed one;

	*out = (struct passed){.frame = IR_NONE};
	/* a thread that never waits at the barrier is not one of its N threads */
	if (!t->complete || !bitset_has(&b->waits, t->stack.at[0].func) ||
		(t->waiting && waits_here(b, vec_last(&t->stack).func, vec_last(&t->stack).insn)))
		return false;
	vec_each (&t->stack, i) {
		if (!count_ways(b, frame_of(b->c, thread, i), t->stack.at[i].insn, 0, &one) ||
			(one.each && out->each))
			return false;
		out->base += one.base;
		if (one.each) {
			out->each = one.each;
			out->loop = one.loop;
			out->frame = one.frame;
		}
	}
	return true;
}

/* ---- equations ------------------------------------------------------------------------------- */

static void add_equation(struct barrier *b, term_t left, term_t right)
{
	struct terms *ts = b->c->ts;
	term_t t = term_eq(ts, left, right);

	conditions_add(b->c, b->provided.id ? term_implies(ts, b->provided, t) : t);
}

/* The next counter of the loop from register *from on: *gone = rounds * step. */
static bool get_next_counter(
	struct context *c, const struct passed *p, uint32_t *from, term_t *gone, term_t *step)
{
	uint32_t func = frame_at(c, p->frame)->func;
	const struct ir_func *f = code_func(&c->code, func);
	struct loop_counter k;

	for (; *from < f->regs.n; ++*from) {
		if (f->regs.at[*from].type < 2 || f->regs.at[*from].type > 64 ||
			!reach_is_set(c, func, *from, frame_at(c, p->frame)->insn) ||
			!conditions_find_counter(c, p->frame, *from, &k) || k.loop != p->loop)
			continue;
		*gone = term_sub(c->ts, reach_ref(c, p->frame, *from), k.start);
		*step = k.by;
		++*from;
		return true;
	}
	return false;
}

static term_t make_signed(struct context *c, term_t like, int64_t v)
{
	return term_const(c->ts, term_width(c->ts, like), (u128)(__int128)v);
}

/* Adds rounds of p = rounds of q + ahead, for counters of the same step; so the steps of different
 * threads are constants, or terms that never change. Each pair of counters is an equation that
 * holds; if both threads are in the same loop, the pairs of the same register say everything. */
static void add_equal_rounds(
	struct barrier *m, const struct passed *p, const struct passed *q, int64_t ahead)
{
	struct context *c = m->c;
	bool same =
		frame_at(c, p->frame)->func == frame_at(c, q->frame)->func && p->loop == q->loop;
	uint32_t x = 0, y;
	term_t a, b, s1, s2;

	while (get_next_counter(c, p, &x, &a, &s1)) {
		y = 0;
		while (get_next_counter(c, q, &y, &b, &s2))
			if (term_same(s1, s2) && (!same || x == y))
				add_equation(m, a,
					term_add(c->ts, b,
						term_mul(c->ts, s1, make_signed(c, s1, ahead))));
	}
}

/* Adds rounds of p = a constant. */
static void add_known_rounds(struct barrier *b, const struct passed *p, int64_t rounds)
{
	struct context *c = b->c;
	uint32_t x = 0;
	term_t a, step;

	while (get_next_counter(c, p, &x, &a, &step))
		add_equation(b, a, term_mul(c->ts, step, make_signed(c, step, rounds)));
}

static void match_pair(struct barrier *b, const struct passed *p, const struct passed *q)
{
	int64_t far = q->base - p->base;

	if (p->each && q->each && p->each == q->each && far % p->each == 0)
		add_equal_rounds(b, p, q, far / p->each);
	else if (p->each && !q->each && far >= 0 && far % p->each == 0)
		add_known_rounds(b, p, far / p->each);
	else if (q->each && !p->each && far <= 0 && far % q->each == 0)
		add_known_rounds(b, q, -far / q->each);
}

static void match_threads(struct barrier *b)
{
	struct context *c = b->c;
	struct passed *of = xcalloc(c->threads.n, sizeof *of);
	bool *known = xcalloc(c->threads.n, sizeof *known);

	vec_each (&c->threads, t)
		known[t] = count_thread(b, t, &of[t]);
	for (uint32_t t = 0; t < c->threads.n; t++)
		for (uint32_t u = t + 1; u < c->threads.n; u++)
			if (known[t] && known[u])
				match_pair(b, &of[t], &of[u]);
	free(of);
	free(known);
}

void barrier_matching_init(struct context *c)
{
	uint32_t n = c->barriers.n;

	for (uint32_t i = 0; i < n && c->threads.n > 1; i++) {
		struct barrier b = {.c = c, .address = c->barriers.at[i].barrier};
		const struct symbol *s;
		term_t base;

		if (c->barriers.at[i].counts.n != 1 ||
			!term_split(c->ts, b.address, &base, &b.offset) ||
			!(s = symbol_get(c, base)) ||
			(s->is.kind != CONTEXT_GLOBAL && s->is.kind != CONTEXT_HEAP) ||
			s->is.thread != IR_NONE || !memory_object(c, s, &b.object))
			continue;
		b.count = c->barriers.at[i].counts.at[0];
		find_waiting_funcs(&b);
		if (needs_all_threads(&b))
			match_threads(&b);
		bitset_release(&b.waits);
	}
}
