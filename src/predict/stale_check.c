/* Check, then act: data that a guard checked and that another thread may change before its use. */
#include "predict/branch_class_internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "explain/branch.h"
#include "explain/places.h"
#include "smt/solve.h"

#include <string.h>

enum {
	MAX_INSTANCES = 64, /* of a location that are checked */
	MAX_AHEAD = 4000,   /* events of the thread behind the guard */
	MAX_SYMS = 8,
};

struct act {
	uint32_t guard, check, at; /* events: the guard, the read of the check, the use */
	uint32_t cell;
	uint32_t insn; /* in the guard's function: the use itself, or the call that leads to it */
	term_t stale;  /* the guard's condition is false for the values at the use; over its symbols
			*/
};

static bool has_sym(const struct ctp *c, term_t t, term_t sym)
{
	const struct term_syms *s = t.id ? term_syms(c->ts, t) : NULL;

	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->at[i].id == sym.id)
			return true;
	return false;
}

static uint32_t end_of(const struct ctp *c, uint32_t event)
{
	const struct ctp_thread *t = &c->threads.at[ctp_at(c, event)->thread];

	return MIN(t->first + t->n, event + MAX_AHEAD);
}

static bool always_implies(const struct ctp *c, term_t a, term_t b)
{
	/* conflicts, not time: the same program always has the same answer */
	struct solve_limits lim = {.conflicts = 10000, .gates = 100000, .eager = true};

	return solve_term(c->ts, term_and(c->ts, a, term_not(c->ts, b)), &lim) == SAT_UNSAT;
}

/* The first use of the value that was read is the same check, whatever its outcome. */
static bool is_checked_again(
	struct branch_classes *b, uint32_t guard, uint32_t read, term_t sym, term_t cond)
{
	const struct ctp *c = b->c;
	uint64_t place = branch_place(&b->places, guard);

	for (uint32_t e = read + 1; e < end_of(c, read); e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (has_sym(c, ev->operand, sym) && ev->kind != CTP_BRANCH)
			return false;
		if (ev->cond.id && has_sym(c, ev->cond, sym))
			return (ev->kind == CTP_BRANCH || ev->kind == CTP_ASSERT) &&
			       (branch_place(&b->places, e) == place ||
				       always_implies(c, ev->cond, cond) ||
				       always_implies(c, ev->cond, term_not(c->ts, cond)));
		for (uint32_t a = ev->first; a < ev->first + ev->n; a++)
			if (has_sym(c, c->accesses.at[a].value, sym))
				return false;
	}
	return false;
}

static bool is_used(const struct ctp *c, uint32_t read, term_t sym)
{
	for (uint32_t e = read; e < end_of(c, read); e++) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (has_sym(c, ev->cond, sym) || has_sym(c, ev->operand, sym))
			return true;
		for (uint32_t a = ev->first; a < ev->first + ev->n; a++)
			if (has_sym(c, c->accesses.at[a].value, sym))
				return true;
	}
	return false;
}

static bool is_cas(const struct branch_classes *b, const struct ctp_event *e)
{
	return e->kind == CTP_RMW && b->p && e->func < b->p->funcs.n &&
	       e->insn < b->p->funcs.at[e->func].insns.n &&
	       ir_ops[b->p->funcs.at[e->func].insns.at[e->insn].op].shape == IR_S_CAS;
}

static const struct ctp_access *on_cell(const struct ctp *c, const struct ctp_event *e, uint32_t cell)
{
	for (uint32_t a = e->first; ctp_is_access(e->kind) && a < e->first + e->n; a++)
		if (c->accesses.at[a].cell == cell)
			return &c->accesses.at[a];
	return NULL;
}

/* The condition with the symbols of the use instead of those of the check. */
static term_t with_use(const struct branch_classes *b, term_t cond, const struct ctp_event *use)
{
	const struct term_syms *syms = term_syms(b->c->ts, cond);
	struct term_subst s;
	term_t t;

	term_subst_init(&s, b->c->ts);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint32_t a = branch_access_of(b, syms->at[i]);
		const struct ctp_access *now =
			a == CTP_NONE ? NULL : on_cell(b->c, use, b->c->accesses.at[a].cell);

		if (now && now->sym.id)
			term_subst_put(&s, syms->at[i], now->sym);
	}
	t = term_subst(&s, cond);
	term_subst_release(&s);
	return t;
}

/* The first use of the cell behind the guard that depends on the guard; false: none. */
static bool find_act(struct branch_classes *b, uint32_t guard, uint32_t access, struct act *out)
{
	const struct ctp *c = b->c;
	term_t cond = ctp_at(c, guard)->cond;

	*out = (struct act){.guard = guard,
		.check = b->event_of[access],
		.cell = c->accesses.at[access].cell};
	for (uint32_t e = guard + 1; e < end_of(c, guard); e++) {
		const struct ctp_event *ev = ctp_at(c, e);
		const struct ctp_access *a = on_cell(c, ev, out->cell);
		term_t now;

		if (!a || ev->flags & CTP_PENDING)
			continue;
		if (is_cas(b, ev) || !activations_leads(&b->ac, guard, e, &out->insn))
			return false;
		out->at = e;
		out->stale = TERM_NONE;
		if (!a->sym.id)
			return true; /* written without a read */
		now = with_use(b, cond, ev);
		if (ev->kind == CTP_READ && is_checked_again(b, guard, e, a->sym, now))
			return false;
		if (ev->kind == CTP_READ && !is_used(c, e, a->sym))
			continue;
		out->stale = term_not(c->ts, now);
		return true;
	}
	return false;
}

static void ask_read(const struct act *t, struct query *q)
{
	query_run(q, t->guard);
	query_at(q, t->at);
	query_holds(q, t->stale);
}

/* The value at the use is that of one write, which came after the check, with no other write after
 * it. */
static bool ask_write(const struct branch_classes *b, const struct act *t, uint32_t access, term_t sym,
	const uint32_t *writes, uint32_t n, struct query *q)
{
	const struct ctp *c = b->c;
	uint32_t w = b->event_of[access];
	struct term_subst s;
	term_t stale;
	u128 v;

	term_subst_init(&s, c->ts);
	term_subst_put(&s, sym, c->accesses.at[access].value);
	stale = term_not(c->ts, term_subst(&s, ctp_at(c, t->guard)->cond));
	term_subst_release(&s);
	if ((term_is_const(c->ts, stale, &v) && !v) || mhb_before(b->mhb, w, t->check) ||
		mhb_before(b->mhb, t->at, w))
		return false;
	query_run(q, t->guard);
	query_at(q, t->at);
	query_before(q, t->check, w);
	if (!term_is_const(c->ts, stale, &v))
		query_holds(q, stale);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t o = b->event_of[writes[i]];

		if (o == w)
			continue;
		query_add(q, (struct atom){.kind = ATOM_RUN, .negated = true, .a = o});
		query_add(q, (struct atom){.kind = ATOM_BEFORE, .a = o, .b = w});
		query_end_clause(q);
	}
	return true;
}

/* The last write to the cell in the witness, by another thread after the check; CTP_NONE. */
static uint32_t last_writer(
	const struct branch_classes *b, const struct act *t, const struct witness *w)
{
	for (uint32_t i = w->events.n; i-- > 0;) {
		const struct ctp_event *e = ctp_at(b->c, w->events.at[i]);
		const struct ctp_access *a = on_cell(b->c, e, t->cell);

		if (w->events.at[i] == t->check)
			break;
		if (a && a->value.id && e->thread != ctp_at(b->c, t->guard)->thread)
			return w->events.at[i];
	}
	return CTP_NONE;
}

static void add_act_pos(const struct branch_classes *b, const struct act *t, struct strbuf *out)
{
	const struct ctp_event *g = ctp_at(b->c, t->guard);
	const struct ir_func *fn = b->p && g->func < b->p->funcs.n ? &b->p->funcs.at[g->func] : NULL;
	struct diag_pos at = {0};
	const char *slash;

	if (fn && t->insn < fn->insns.n)
		at = ir_diag_pos(b->p, fn->insns.at[t->insn].pos);
	slash = at.file ? strrchr(at.file, '/') : NULL;
	if (at.file && at.line)
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : at.file, at.line);
	else
		place_add_event(b->c, t->at, out);
}

static void describe_stale_check(const struct branch_classes *b, const struct act *t,
	const struct witness *w, struct strbuf *out)
{
	uint32_t by = last_writer(b, t, w);

	strbuf_adds(out, "the condition checked at ");
	place_add_event(b->c, t->guard, out);
	strbuf_adds(out, " may no longer hold at ");
	add_act_pos(b, t, out);
	strbuf_adds(out, ", where '");
	ctp_name_access(b->c, t->at, out);
	strbuf_adds(out, ctp_at(b->c, t->at)->kind == CTP_READ ? "' is read again"
							       : "' is changed");
	if (by == CTP_NONE)
		return;
	strbuf_adds(out, ": ");
	branch_add_thread(b, ctp_at(b->c, by)->thread, out);
	strbuf_adds(out, " may change it in between, at ");
	place_add_event(b->c, by, out);
}

static bool ask_query(struct stale_search *k, const struct act *t, struct query *q)
{
	struct model_result r = {0};
	bool yes;

	k->left--;
	if (clock_seconds() > k->until) {
		k->undecided = t->at;
		k->left = 0;
		return false;
	}
	asker_ask(k->a, q, &r);
	yes = r.answer == ANSWER_YES;
	if (yes)
		describe_stale_check(k->b, t, &r.witness, k->out);
	else if (r.answer == ANSWER_UNKNOWN)
		k->undecided = t->at;
	model_result_release(&r);
	return yes;
}

static bool is_stale(struct stale_search *k, const struct act *t, uint32_t access)
{
	const struct ctp *c = k->b->c;
	uint32_t writes[BRANCH_MAX_WRITES], n;
	struct query q = {0};
	bool yes = false;
	u128 v;

	if (t->stale.id) {
		if (!term_is_const(c->ts, t->stale, &v)) {
			ask_read(t, &q);
			yes = ask_query(k, t, &q);
		}
		query_release(&q);
		return yes;
	}
	n = branch_writes_of(k->b, t->cell, ctp_at(c, t->guard)->thread, writes);
	for (uint32_t i = 0; i < n && !yes && k->left; i++) {
		query_clear(&q);
		if (ask_write(k->b, t, writes[i], c->accesses.at[access].sym, writes, n, &q))
			yes = ask_query(k, t, &q);
	}
	query_release(&q);
	return yes;
}

static bool acts_on_stale(struct stale_search *k, uint32_t guard)
{
	const struct ctp_event *e = ctp_at(k->b->c, guard);
	const struct term_syms *syms;

	if (e->kind != CTP_BRANCH || !e->cond.id)
		return false;
	syms = term_syms(k->b->c->ts, e->cond);
	for (uint32_t i = 0; i < syms->n && syms->n <= MAX_SYMS && k->left; i++) {
		uint32_t a = branch_access_of(k->b, syms->at[i]);
		struct act t;

		if (a != CTP_NONE && k->b->event_of[a] < guard && find_act(k->b, guard, a, &t) &&
			is_stale(k, &t, a))
			return true;
	}
	return false;
}

/* The instance that flips first, then others: the use may be behind the other branch. */
bool stale_check_find(struct stale_search *k, uint32_t event)
{
	uint64_t place = branch_place(&k->b->places, event);
	uint32_t seen = 0;

	if (acts_on_stale(k, event))
		return true;
	vec_each (&k->b->c->events, e)
		if (e != event && ctp_at(k->b->c, e)->kind == CTP_BRANCH &&
			branch_place(&k->b->places, e) == place && seen++ < MAX_INSTANCES &&
			k->left && acts_on_stale(k, e))
			return true;
	return false;
}
