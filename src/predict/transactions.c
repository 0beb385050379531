#include "predict/transactions.h"

#include "base/search.h"
#include "predict/activation.h"
#include "predict/access_streams.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_SYMS = 64,   /* a condition over more values is ignored */
	MAX_GUARDS = 32, /* on one value that are examined */
	MAX_CALLS = 2,   /* from the common function down to the access */
};

struct last_access {
	uint32_t event, access; /* CTP_NONE: none */
	uint32_t marked;        /* number of the marked transaction, 0 = none */
};
struct recent_accesses { /* the last two of a cell, by the thread */
	struct last_access last, before;
	struct last_access wrote; /* the last write */
};
struct guard_on {
	uint32_t guard, next; /* next + 1 in the list of the same value, 0 = end */
};

struct inferring {
	struct transactions *tr;
	const struct ctp *c;
	const struct mhb *mhb;
	bool inferred;
	struct activations ac;
	VEC(struct recent_accesses) cells; /* by number in cell_at */
	struct map cell_at;        /* cell -> index in cells, + 1 */
	VEC(struct guard_on) guards;
	struct map guards_of; /* symbol -> its last guard in guards, + 1 */
	struct vec_u32 a, b;  /* critical sections; scratch */
};

/* ---- flow ----------------------------------------------------------------------------------- */

static bool has_sym(const struct ctp *c, term_t t, term_t sym)
{
	const struct term_syms *s;
	uint32_t at;

	if (!t.id || !sym.id)
		return false;
	s = term_syms(c->ts, t);
	return search_find(0, s->n, i, s->at[i].id, sym.id, &at);
}

static void note_guard(struct inferring *in, uint32_t g)
{
	const struct ctp_event *e = ctp_at(in->c, g);
	const struct term_syms *s = e->cond.id ? term_syms(in->c->ts, e->cond) : NULL;

	/* an assertion does not decide what is executed */
	if (!s || s->n > MAX_SYMS || e->kind != CTP_BRANCH)
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t *at = map_put(&in->guards_of, s->at[i].id);

		vec_push(&in->guards, (struct guard_on){g, (uint32_t)*at});
		*at = in->guards.n;
	}
}

/* The branch g decides whether e is executed: in a function that contains e, or in one that was
 * asked, with the access `from` in it. */
static bool is_decided(struct inferring *in, uint32_t from, uint32_t g, uint32_t e)
{
	uint32_t at;

	return activations_controls(&in->ac, g, e) || activations_leads(&in->ac, g, e, &at) ||
	       activations_answers(&in->ac, from, g, e);
}

/* A branch on that value in [from, to) decides whether e is executed; CTP_NONE for e: any branch */
static bool is_guarded(struct inferring *in, term_t sym, uint32_t from, uint32_t to, uint32_t e)
{
	uint32_t at = (uint32_t)map_get_or(&in->guards_of, sym.id, 0), tries = MAX_GUARDS;

	for (; at && tries--; at = in->guards.at[at - 1].next) {
		uint32_t g = in->guards.at[at - 1].guard;

		if (g < from)
			return false;
		if (g < to && (e == CTP_NONE || is_decided(in, from, g, e)))
			return true;
	}
	return false;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static bool is_near(struct inferring *in, uint32_t a, uint32_t b)
{
	struct meeting m;

	return activations_meet(&in->ac, a, b, &m) && m.depth_a <= MAX_CALLS &&
	       m.depth_b <= MAX_CALLS;
}

static bool is_cas(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_program *p = c->trace ? trace_program(c->trace) : NULL;

	/* an update that is not known to be a plain one counts as a compare-and-swap */
	return e->kind == CTP_RMW &&
	       (!p || e->func >= p->funcs.n || e->insn >= p->funcs.at[e->func].insns.n ||
		       ir_ops[p->funcs.at[e->func].insns.at[e->insn].op].shape != IR_S_RMW);
}

static void add_transaction(
	struct inferring *in, uint32_t cell, uint32_t first, uint32_t second, uint8_t why)
{
	vec_push(&in->tr->at, (struct transaction){cell, first, second, why});
}

static bool same_region(struct inferring *in, uint32_t a, uint32_t b)
{
	vec_clear(&in->a);
	vec_clear(&in->b);
	mhb_held(in->mhb, a, &in->a);
	mhb_held(in->mhb, b, &in->b);
	vec_each (&in->a, i)
		vec_each (&in->b, k)
			if (in->a.at[i] == in->b.at[k])
				return true;
	return false;
}

static bool locked_apart(struct inferring *in, uint32_t a, uint32_t b)
{
	bool common = false;

	if (same_region(in, a, b))
		return false;
	vec_each (&in->a, i)
		vec_each (&in->b, k)
			common |= in->c->regions.at[in->a.at[i]].object ==
				  in->c->regions.at[in->b.at[k]].object;
	return common;
}

/* The write or update e of the cell, after the thread's own recent_accesses of it. */
static void infer_transaction(
	struct inferring *in, const struct recent_accesses *t, uint32_t e, uint32_t access)
{
	const struct ctp_event *ev = ctp_at(in->c, e);
	const struct ctp_access *a = &in->c->accesses.at[access], *last;

	if (t->last.event == CTP_NONE || is_cas(in->c, ev) || !is_near(in, t->last.event, e))
		return;
	last = &in->c->accesses.at[t->last.access];
	if (!last->sym.id)
		return;
	if (ev->kind == CTP_WRITE && has_sym(in->c, a->value, last->sym))
		add_transaction(in, a->cell, t->last.event, e, TRANSACTION_VALUE);
	else if (is_guarded(in, last->sym, t->last.event, e, e))
		add_transaction(in, a->cell, t->last.event, e, TRANSACTION_GUARD);
	/* read again for its value only, after the first look decided */
	if (t->before.event == CTP_NONE || !in->c->accesses.at[t->before.access].sym.id ||
		ctp_at(in->c, t->last.event)->kind != CTP_READ ||
		is_guarded(in, last->sym, t->last.event, e, CTP_NONE) ||
		!is_near(in, t->before.event, e) ||
		!locked_apart(in, t->before.event, t->last.event) ||
		!same_region(in, t->last.event, e))
		return;
	if (is_guarded(in, in->c->accesses.at[t->before.access].sym, t->before.event, t->last.event,
		    e))
		add_transaction(in, a->cell, t->before.event, t->last.event, TRANSACTION_CHECK);
}

/* Drops transactions that end in an update whose result is checked. */
static void drop_checked_updates(struct inferring *in, uint32_t from)
{
	uint32_t n = from;

	for (uint32_t i = from; i < in->tr->at.n; i++) {
		const struct transaction *t = &in->tr->at.at[i];
		const struct ctp_event *e = ctp_at(in->c, t->second);
		bool checked = false;

		for (uint32_t k = 0; t->why >= TRANSACTION_VALUE && e->kind == CTP_RMW && k < e->n;
			k++) {
			term_t sym = in->c->accesses.at[e->first + k].sym;

			checked |= sym.id && is_guarded(in, sym, t->second, CTP_NONE, CTP_NONE);
		}
		if (!checked)
			in->tr->at.at[n++] = *t;
	}
	in->tr->at.n = n;
}

static void note_access(struct inferring *in, uint32_t e, uint32_t access, uint32_t marked)
{
	const struct ctp_access *a = &in->c->accesses.at[access];
	uint64_t *at = map_put(&in->cell_at, a->cell);
	struct recent_accesses *t;

	if (in->c->cells.at[a->cell].version)
		return;
	if (!*at) {
		vec_push(&in->cells, (struct recent_accesses){.last = {.event = CTP_NONE},
					     .before = {.event = CTP_NONE},
					     .wrote = {.event = CTP_NONE}});
		*at = in->cells.n;
	}
	t = &in->cells.at[*at - 1];
	if (marked && t->last.event != CTP_NONE && t->last.marked == marked)
		add_transaction(in, a->cell, t->last.event, e, TRANSACTION_MARKED);
	if (marked && a->value.id && t->wrote.event != CTP_NONE && t->wrote.marked == marked &&
		t->wrote.event != t->last.event)
		add_transaction(in, a->cell, t->wrote.event, e, TRANSACTION_WRITES);
	if (in->inferred && !marked && a->value.id)
		infer_transaction(in, t, e, access);
	t->before = t->last;
	t->last = (struct last_access){e, access, marked};
	if (a->value.id)
		t->wrote = t->last;
}

static void scan_thread(struct inferring *in, const struct ctp_thread *th, uint32_t *marks)
{
	uint32_t depth = 0, from = in->tr->at.n;

	vec_clear(&in->cells);
	map_clear(&in->cell_at);
	vec_clear(&in->guards);
	map_clear(&in->guards_of);
	for (uint32_t i = th->first; i < th->first + th->n; i++) {
		const struct ctp_event *e = ctp_at(in->c, i);

		if (e->kind == CTP_ATOMIC_BEGIN)
			*marks += !depth++;
		else if (e->kind == CTP_ATOMIC_END)
			depth -= depth > 0;
		else if (ctp_is_guard(e->kind))
			note_guard(in, i);
		for (uint32_t k = 0; ctp_is_access(e->kind) && k < e->n; k++)
			note_access(in, i, e->first + k, depth ? *marks : 0);
	}
	drop_checked_updates(in, from);
}

void transactions_build(
	struct transactions *tr, const struct ctp *c, const struct mhb *mhb, bool inferred)
{
	struct inferring in = {.tr = tr, .c = c, .mhb = mhb, .inferred = inferred};
	uint32_t marks = 0;

	memset(tr, 0, sizeof *tr);
	activations_init(&in.ac, c);
	vec_each (&c->threads, t)
		scan_thread(&in, &c->threads.at[t], &marks);
	activations_release(&in.ac);
	vec_release(&in.cells);
	map_release(&in.cell_at);
	vec_release(&in.guards);
	map_release(&in.guards_of);
	vec_release(&in.a);
	vec_release(&in.b);
}

void transactions_release(struct transactions *tr)
{
	vec_release(&tr->at);
}
