/*
 * Values: the write that each read reads from (Fusion §4.2, the π functions), guards, and the
 * refinement of assignments by execution.
 */
#include "model/model_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

#include <assert.h>

/* -- terms -- */

/* the term with constants for what was read before the window */
static term_t window_term(struct model *m, term_t t)
{
	const struct terms *ts = m->c->ts;
	struct vec_u32 todo = {0};
	struct bitset seen = {0};

	if (m->rep.n) /* a folded model is one of the whole trace */
		return term_subst(&m->old, t);
	if (!m->substitute)
		return t;
	facts_terms(m->f);
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_pop(&todo)};
		u128 k;

		if (map_get(&m->old.to, x.id) || !bitset_add(&seen, x.id) || term_is_const(ts, x, &k))
			continue;
		if (m->f->late.at[x.id] <= m->from) {
			term_subst_put(&m->old, x,
				term_const(m->c->ts, term_width(ts, x), m->f->seen.at[x.id]));
			continue;
		}
		for (unsigned i = 0; i < 3 && term_arg(ts, x, i).id; i++)
			vec_push(&todo, term_arg(ts, x, i).id);
	}
	vec_release(&todo);
	bitset_release(&seen);
	return term_subst(&m->old, t);
}

static term_t written_term(struct model *m, uint32_t write, unsigned width)
{
	const struct ctp_access *a = &m->c->accesses.at[write];

	return m->kind == MODEL_CTP ? window_term(m, a->value)
				    : term_const(m->c->ts, width, a->put);
}

/* the reads inside of the window that a term depends on */
static void reads_of(struct model *m, term_t t, struct vec_u32 *out)
{
	uint32_t first = out->n;

	facts_reads_of(m->f, t, m->from, out);
	for (uint32_t i = first; i < out->n; i++)
		out->at[i] = model_rep_access(m, out->at[i]);
}

/* -- which writes a read may read from -- */

static bool is_symbol(const struct model *m, uint32_t access)
{
	term_t s = m->c->accesses.at[access].sym;

	return s.id && term_op(m->c->ts, s) == TERM_SYM;
}

/* w must happen before r, or (now) before r's thread can stand AT the event `at` */
static bool precedes_read(const struct model *m, uint32_t w, uint32_t r, uint32_t at)
{
	uint32_t pred;

	if (at == CTP_NONE)
		return model_mhb_before(m, w, r);
	pred = ctp_pred(m->c, at);
	pred = pred == CTP_NONE ? pred : model_rep(m, pred);
	return pred != CTP_NONE && (w == pred || model_mhb_before(m, w, pred));
}

struct writers {
	struct vec_u32 all;  /* accesses of the window that write the cell */
	struct vec_u32 sure; /* those that must happen before the read */
};

static void find_writers(struct model *m, uint32_t access, uint32_t at, struct writers *ws)
{
	uint32_t cell = m->c->accesses.at[access].cell, r = m->f->access_event.at[access];
	uint32_t end = m->f->cell_first.at[cell + 1];

	for (uint32_t i = m->f->cell_first.at[cell]; i < end; i++) {
		uint32_t k = m->f->cell_writes.at[i], w = m->f->access_event.at[k];

		if (!model_has(m, w) || model_rep(m, w) != w || w == r || model_excludes(m, w, r))
			continue;
		vec_push(&ws->all, k);
		if (precedes_read(m, w, r, at))
			vec_push(&ws->sure, k);
	}
}

static bool region_has(const struct model *m, uint32_t region, uint32_t e)
{
	const struct ctp_region *r = &m->c->regions.at[region];

	return ctp_at(m->c, e)->thread == r->thread && e > r->begin &&
	       (r->end == CTP_NONE || e < r->end);
}

/* critical sections of one lock around the two events */
static bool excluded_regions(
	const struct model *m, uint32_t a, uint32_t b, uint32_t *ra, uint32_t *rb)
{
	const struct facts *f = m->f;

	for (uint32_t i = f->held_at.at[a]; i != CTP_NONE; i = f->held.at[i].next)
		for (uint32_t k = f->held_at.at[b]; k != CTP_NONE; k = f->held.at[k].next) {
			const struct ctp_region *r = &m->c->regions.at[*ra = f->held.at[i].region];
			const struct ctp_region *q = &m->c->regions.at[*rb = f->held.at[k].region];

			if (r->object == q->object && !(r->shared && q->shared) &&
				r->thread != q->thread)
				return true;
		}
	return false;
}

/* The value of w is overwritten in its own critical section, or in r's before r. */
static bool hidden_by_region(const struct model *m, const struct writers *ws, uint32_t w, uint32_t r)
{
	uint32_t rw, rr;

	if (!excluded_regions(m, w, r, &rw, &rr))
		return false;
	vec_each (&ws->all, i) {
		uint32_t o = m->f->access_event.at[ws->all.at[i]];

		if ((o > w && region_has(m, rw, o)) || (o < r && region_has(m, rr, o)))
			return true;
	}
	return false;
}

struct reading {
	uint32_t access, event;
	bool now;
	uint32_t at; /* now: the event that the thread stands AT, the read or before it */
	lit_t there; /* x of the read, or that its thread stands at `at` */
	struct writers ws;
};

/* A thread that stands before the critical section of its read can see what that section hides. */
static bool may_read_from(const struct model *m, const struct reading *rd, uint32_t w)
{
	if (model_mhb_before(m, rd->event, w))
		return false;
	vec_each (&rd->ws.sure, i)
		if (model_mhb_before(m, w, m->f->access_event.at[rd->ws.sure.at[i]]))
			return false;
	return (rd->now && rd->at != rd->event) || !hidden_by_region(m, &rd->ws, w, rd->event);
}

/* -- reads -- */

/* no other alternative with the same first i events has continued */
static lit_t no_other(struct model *m, uint32_t thread, uint32_t i)
{
	struct vec_u32 some = {0};
	lit_t l;

	for (uint32_t t = 0; m->f->merged && t < m->c->threads.n; t++)
		if (facts_same_group(m->f, t, thread) && m->c->threads.at[t].n > i &&
			(!i || m->rep.n) && model_same_until(m, t, thread, i))
			vec_push(&some, model_x(m, m->c->threads.at[t].first + i));
	if (!some.n)
		return LIT_TRUE;
	l = solve_bool(m->q);
	vec_each (&some, i)
		model_or(m, lit_not(l), lit_not(some.at[i]));
	vec_push(&some, l);
	model_clause(m, some.at, some.n);
	vec_release(&some);
	return l;
}

lit_t model_at(struct model *m, uint32_t e)
{
	uint32_t pred = ctp_pred(m->c, e), t = ctp_at(m->c, e)->thread;
	lit_t p = pred == CTP_NONE ? LIT_TRUE : model_x(m, pred);
	lit_t x = model_x(m, e), o, l;
	uint64_t *at;

	if (p == LIT_FALSE || x == LIT_TRUE)
		return LIT_FALSE;
	e = model_rep(m, e);
	at = map_put(&m->at_lits, e);
	if (*at)
		return (lit_t)*at;
	o = no_other(m, t, pred == CTP_NONE ? 0 : pred + 1 - m->c->threads.at[t].first);
	if (p == LIT_TRUE && o == LIT_TRUE)
		return lit_not(x);
	*map_put(&m->at_lits, e) = l = solve_bool(m->q);
	model_or(m, lit_not(l), p);
	model_or(m, lit_not(l), o);
	model_or(m, lit_not(l), lit_not(x));
	model_or(m, l, lit_not(p), lit_not(o), x);
	return l;
}

/*
 * The literal is true if the value of the read is not known: the read reads the unknown initial
 * value of a cell, or a value that was computed from an unknown one. Guards and HOLDS require it to
 * be false.
 */
static lit_t unknown_literal(struct model *m, uint32_t access)
{
	uint64_t *at;

	if (!m->f->unknown_cells)
		return LIT_FALSE;
	at = map_put(&m->unsure, access);
	if (!*at)
		*at = solve_bool(m->q);
	return (lit_t)*at;
}

/* if l, the values of the reads are known; `stood_at`: the reads need not be executed */
static void require_known_reads(
	struct model *m, lit_t l, const struct vec_u32 *reads, bool stood_at)
{
	vec_each (reads, i) {
		model_or(m, lit_not(l), lit_not(unknown_literal(m, reads->at[i])));
		if (m->f->merged && !stood_at)
			model_or(m, lit_not(l), model_x(m, m->f->access_event.at[reads->at[i]]));
	}
}

/* if l, the value read is unknown where the value written was computed from an unknown one */
static void propagate_unknown(struct model *m, const struct reading *rd, uint32_t write, lit_t l)
{
	struct vec_u32 reads = {0};

	if (m->f->unknown_cells && m->kind == MODEL_CTP)
		reads_of(m, m->c->accesses.at[write].value, &reads);
	vec_each (&reads, i) {
		lit_t x = model_x(m, m->f->access_event.at[reads.at[i]]);

		model_or(m, lit_not(l), lit_not(unknown_literal(m, reads.at[i])),
			unknown_literal(m, rd->access));
		model_or(m, lit_not(l), x, unknown_literal(m, rd->access));
	}
	vec_release(&reads);
}

static void add_reads_from(struct model *m, const struct reading *rd, uint32_t write, term_t value)
{
	uint32_t r = rd->event, w = write == CTP_NONE ? CTP_NONE : m->f->access_event.at[write];
	lit_t l = solve_bool(m->q), no = lit_not(l);

	assert(write == CTP_NONE ||
		m->c->accesses.at[write].cell == m->c->accesses.at[rd->access].cell);
	vec_push(&m->reads_from, (struct reads_from){write, l});
	model_or(m, no, rd->there);
	if (w != CTP_NONE) {
		propagate_unknown(m, rd, write, l);
		model_or(m, no, model_x(m, w));
		if (!rd->now)
			model_or(m, no, model_before(m, w, r));
	}
	vec_each (&rd->ws.all, i) {
		uint32_t o = m->f->access_event.at[rd->ws.all.at[i]];

		if (rd->ws.all.at[i] == write || model_mhb_before(m, r, o) ||
			(w != CTP_NONE && (model_excludes(m, o, w) || model_mhb_before(m, o, w))))
			continue;
		model_or(m, no, lit_not(model_x(m, o)),
			w == CTP_NONE ? LIT_FALSE : model_before(m, o, w),
			rd->now ? LIT_FALSE : model_before(m, r, o));
	}
	if (value.id)
		solve_assert_if(m->q, l,
			term_eq(m->c->ts, m->c->accesses.at[rd->access].sym, value));
}

/* in the maximal causal model: the read must have its recorded value */
static bool is_fixed(const struct model *m, uint32_t access)
{
	return m->kind == MODEL_MCM && !facts_only_asserted(m->f, access);
}

static bool as_recorded(const struct model *m, const struct reading *rd, u128 value)
{
	return rd->now || !is_fixed(m, rd->access) || value == m->c->accesses.at[rd->access].seen;
}

static void add_all_reads_from(struct model *m, const struct reading *rd)
{
	const struct ctp_access *a = &m->c->accesses.at[rd->access];
	unsigned width = is_symbol(m, rd->access) ? term_width(m->c->ts, a->sym) : 0;
	u128 start;

	vec_each (&rd->ws.all, i) {
		uint32_t k = rd->ws.all.at[i];

		if (model_is_late(m))
			return;
		if (as_recorded(m, rd, m->c->accesses.at[k].put) &&
			may_read_from(m, rd, m->f->access_event.at[k]))
			add_reads_from(m, rd, k, width ? written_term(m, k, width) : TERM_NONE);
	}
	if (rd->ws.sure.n)
		return;
	if (!facts_cell_value(m->f, a->cell, m->from, &start)) {
		if (!rd->now && is_fixed(m, rd->access))
			return;
		add_reads_from(m, rd, CTP_NONE, TERM_NONE);
		model_or(m, lit_not(vec_last(&m->reads_from).lit), unknown_literal(m, rd->access));
	} else if (as_recorded(m, rd, start)) {
		add_reads_from(
			m, rd, CTP_NONE, width ? term_const(m->c->ts, width, start) : TERM_NONE);
	}
}

static uint32_t observed_write(const struct model *m, uint32_t access)
{
	uint32_t r = m->f->access_event.at[access];
	uint32_t w = facts_last_write(m->f, m->c->accesses.at[access].cell, facts_rank(m->f, r));

	return w != CTP_NONE && model_has(m, m->f->access_event.at[w]) ? w : CTP_NONE;
}

/* The entry of a read that is executed (stands: CTP_NONE), or of one whose thread stands AT that
 * event. */
static uint64_t choices_key(uint32_t access, uint32_t stands)
{
	return stands == CTP_NONE ? access : (uint64_t)stands << 32 | access;
}

static bool read_encode(struct model *m, uint32_t access, uint32_t stands)
{
	bool now = stands != CTP_NONE;
	uint64_t *at = map_put(now ? &m->now : &m->reads, choices_key(access, stands));
	struct reading rd = {.access = access,
		.event = m->f->access_event.at[access],
		.now = now,
		.at = stands};
	struct vec_u32 some = {0};
	uint32_t first = m->reads_from.n, observed;

	if (*at)
		return false;
	vec_push(&m->choice, (struct choices){first, 0});
	*at = m->choice.n;
	rd.there = now ? model_at(m, stands) : model_x(m, rd.event);
	if (rd.there == LIT_FALSE)
		return false;
	find_writers(m, access, stands, &rd.ws);
	add_all_reads_from(m, &rd);
	m->choice.at[m->choice.n - 1].n = m->reads_from.n - first;
	observed = observed_write(m, access);
	vec_push(&some, lit_not(rd.there));
	for (uint32_t i = first; i < m->reads_from.n; i++) {
		vec_push(&some, m->reads_from.at[i].lit);
		if (m->reads_from.at[i].write == observed)
			solve_phase(m->q, m->reads_from.at[i].lit);
		for (uint32_t k = first; k < i && i - first < 8; k++)
			model_or(m, lit_not(m->reads_from.at[i].lit),
				lit_not(m->reads_from.at[k].lit));
	}
	model_clause(m, some.at, some.n);
	vec_release(&some);
	vec_release(&rd.ws.all);
	vec_release(&rd.ws.sure);
	return true;
}

static const struct choices *choices_of(const struct model *m, uint32_t access, uint32_t stands)
{
	uint64_t at = map_get_or(stands == CTP_NONE ? &m->reads : &m->now,
		choices_key(access, stands), 0);

	return at ? &m->choice.at[at - 1] : NULL;
}

/* Encodes these reads, and the reads that the values they may read were computed from. */
static void encode_cone(struct model *m, struct vec_u32 *todo)
{
	while (todo->n && !m->spoilt) {
		uint32_t k = vec_pop(todo);
		const struct choices *ch;

		if (!model_has(m, m->f->access_event.at[k]) || !read_encode(m, k, CTP_NONE) ||
			m->kind != MODEL_CTP)
			continue;
		ch = choices_of(m, k, CTP_NONE);
		for (uint32_t i = 0, first = ch->first, n = ch->n; i < n; i++)
			if (m->reads_from.at[first + i].write != CTP_NONE)
				reads_of(m,
					m->c->accesses.at[m->reads_from.at[first + i].write].value,
					todo);
	}
}

void model_guard(struct model *m, uint32_t guard)
{
	term_t cond = ctp_at(m->c, guard)->cond;
	struct vec_u32 todo = {0};

	assert(ctp_is_guard(ctp_at(m->c, guard)->kind) && model_rep(m, guard) == guard);
	if (!bitset_add(&m->guards, guard) || !cond.id)
		return;
	reads_of(m, cond, &todo);
	require_known_reads(m, model_x(m, guard), &todo, false);
	encode_cone(m, &todo);
	if (!m->spoilt)
		solve_assert_if(m->q, model_x(m, guard), window_term(m, cond));
	vec_release(&todo);
}

/* The maximal causal model fixes every read except those of assertions. Other models encode a read
 * when its value is first needed. */
void model_data(struct model *m)
{
	if (m->kind != MODEL_MCM)
		return;
	for (uint32_t r = m->from; r < m->to; r++) {
		const struct ctp_event *ev = ctp_at(m->c, m->f->order.at[r]);

		for (uint32_t i = 0; i < ev->n; i++) {
			uint32_t k = ev->first + i;
			const struct ctp_access *a = &m->c->accesses.at[k];

			if (!a->sym.id || !is_fixed(m, k))
				continue;
			read_encode(m, k, CTP_NONE);
			if (is_symbol(m, k))
				solve_assert_if(m->q, model_x(m, m->f->order.at[r]),
					term_eq(m->c->ts, a->sym,
						term_const(m->c->ts, term_width(m->c->ts, a->sym),
							a->seen)));
		}
	}
}

/* The atom HOLDS t, or (ahead: an event) SPINS ahead t. */
static lit_t holds_literal(struct model *m, term_t t, uint32_t ahead)
{
	struct vec_u32 reads = {0}, todo = {0};
	lit_t l;
	u128 k;

	if (term_is_const(m->c->ts, t, &k))
		return k ? LIT_TRUE : LIT_FALSE;
	l = solve_bool(m->q);
	reads_of(m, t, &reads);
	vec_each (&reads, i) {
		uint32_t r = m->f->access_event.at[reads.at[i]];
		bool later = ahead != CTP_NONE && r >= ahead &&
			     ctp_at(m->c, r)->thread == ctp_at(m->c, ahead)->thread;
		uint32_t at = later ? ahead : r;
		const struct choices *ch;

		model_or(m, lit_not(l), model_x(m, r), model_at(m, at));
		if (m->kind == MODEL_CONTROL)
			continue;
		vec_push(&todo, reads.at[i]);
		read_encode(m, reads.at[i], at);
		ch = choices_of(m, reads.at[i], at);
		for (uint32_t c = 0, first = ch->first, n = ch->n; c < n; c++)
			if (m->kind == MODEL_CTP && m->reads_from.at[first + c].write != CTP_NONE)
				reads_of(m,
					m->c->accesses.at[m->reads_from.at[first + c].write].value,
					&todo);
	}
	encode_cone(m, &todo);
	if (m->kind != MODEL_CONTROL && !m->spoilt) {
		require_known_reads(m, l, &reads, true);
		solve_assert_if(m->q, l, window_term(m, t));
		vec_push(&m->holds, (struct hold){l, t, ahead});
	}
	vec_release(&reads);
	vec_release(&todo);
	return l;
}

lit_t model_holds(struct model *m, term_t t)
{
	return holds_literal(m, t, CTP_NONE);
}

lit_t model_spins(struct model *m, uint32_t e, term_t t)
{
	lit_t at = model_at(m, e), holds, l;

	assert(!m->rep.n); /* the thread of e is one alternative */
	holds = at == LIT_FALSE ? LIT_FALSE : holds_literal(m, t, e);
	if (at == LIT_FALSE || holds == LIT_FALSE || at == LIT_TRUE)
		return holds;
	if (holds == LIT_TRUE)
		return at;
	l = solve_bool(m->q);
	model_or(m, lit_not(l), at);
	model_or(m, lit_not(l), holds);
	vec_push(&m->once, l);
	return l;
}

/* -- refinement -- */

static lit_t chosen_literal(const struct model *m, uint32_t access)
{
	uint32_t event = m->f->access_event.at[access];
	uint32_t stands = sim_done(m->sim, m->c, event)
				  ? CTP_NONE
				  : model_rep(m, sim_next(m->sim, ctp_at(m->c, event)->thread));
	const struct choices *ch = choices_of(m, model_rep_access(m, access), stands);
	uint32_t source = sim_reads_from(m->sim, access);

	BUG_ON(!ch);
	source = source == CTP_NONE ? source : model_rep_access(m, source);
	for (uint32_t i = 0; i < ch->n; i++)
		if (m->reads_from.at[ch->first + i].write == source)
			return m->reads_from.at[ch->first + i].lit;
	BUG("a read reads from a write that its choices lack");
}

/* the reads-from literals on which the value of t depends, negated */
static void collect_causes(struct model *m, term_t t, struct vec_u32 *out)
{
	struct vec_u32 todo = {0};
	struct map seen = {0};

	facts_reads_of(m->f, t, m->from, &todo);
	while (todo.n) {
		uint32_t k = vec_pop(&todo), source = sim_reads_from(m->sim, k);
		uint64_t *was = map_put(&seen, k);

		if (*was)
			continue;
		*was = 1;
		vec_push(out, lit_not(chosen_literal(m, k)));
		if (source != CTP_NONE && m->kind == MODEL_CTP)
			facts_reads_of(m->f, m->c->accesses.at[source].value, m->from, &todo);
	}
	map_release(&seen);
	vec_release(&todo);
}

static void refute_assignment(struct model *m, lit_t because, term_t t)
{
	struct vec_u32 no = {0};

	if (because != LIT_TRUE)
		vec_push(&no, lit_not(because));
	collect_causes(m, t, &no);
	solve_refute(m->q, no.at, no.n);
	vec_release(&no);
}

enum solve_verdict model_refine(void *ctx, struct solve *q)
{
	struct model *m = ctx;
	bool refused = false;

	model_linearize(m);
	vec_clear(&m->failed);
	sim_start(m->sim, m->from);
	vec_each (&m->linearization, i) {
		uint32_t e = m->linearization.at[i];
		bool holds;
		const char *why = sim_step_anyway(m->sim, e, &holds);

		if (why)
			BUG("event %u of an assignment cannot be executed: %s", e, why);
		if (!holds && bitset_has(&m->guards, model_rep(m, e))) {
			refute_assignment(m, model_x(m, e), ctp_at(m->c, e)->cond);
			refused = true;
		} else if (!holds) {
			vec_push(&m->failed, model_rep(m, e));
		}
	}
	vec_each (&m->holds, i) {
		u128 v;

		if (solve_true(q, m->holds.at[i].lit) &&
			(!sim_value_ahead(m->sim, m->holds.at[i].ahead, m->holds.at[i].term, &v) ||
				!v)) {
			refute_assignment(m, m->holds.at[i].lit, m->holds.at[i].term);
			refused = true;
		}
	}
	return refused ? SOLVE_REFUTE : SOLVE_ACCEPT;
}
