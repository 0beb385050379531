#include "predict/branch_class.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "explain/branch.h"
#include "explain/places.h"
#include "facts/spin.h"
#include "predict/activation.h"
#include "smt/solve.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_INSTANCES = 64, /* of a location that are checked */
	MAX_QUERIES = 96,   /* about one location */
	MAX_SECONDS = 4,    /* likewise */
	MAX_AHEAD = 4000,   /* events of the thread behind the guard */
	MAX_SYMS = 8,
	MAX_WRITES = 16, /* of one cell by other threads */
};

struct branch_classes {
	const struct ctp *c;
	const struct mhb *mhb;
	const struct ir_program *p; /* NULL in tests */
	struct spins *spins;        /* NULL without a program */
	struct activations ac;
	struct branch_places places;
	struct map reader; /* symbol -> access + 1 */
	uint32_t *event_of; /* by access */
};

struct act {
	uint32_t guard, check, at; /* events: the guard, the read of the check, the use */
	uint32_t cell;
	uint32_t insn; /* in the guard's function: the use itself, or the call that leads to it */
	term_t stale;  /* the guard's condition is false for the values at the use; over its symbols
			*/
};

struct branch_classes *branch_classes_new(const struct ctp *c, const struct mhb *mhb)
{
	struct branch_classes *b = xcalloc(1, sizeof *b);

	b->c = c;
	b->mhb = mhb;
	b->p = c->trace ? trace_program(c->trace) : NULL;
	b->spins = b->p ? spins_new(b->p) : NULL;
	activations_init(&b->ac, c);
	branch_places_init(&b->places, c);
	b->event_of = xmalloc((c->accesses.n + 1) * sizeof *b->event_of);
	vec_each (&c->events, e)
		for (uint32_t i = 0; i < ctp_at(c, e)->n; i++)
			b->event_of[ctp_at(c, e)->first + i] = e;
	vec_each (&c->accesses, a)
		if (c->accesses.at[a].sym.id)
			*map_put(&b->reader, c->accesses.at[a].sym.id) = a + 1;
	return b;
}

void branch_classes_free(struct branch_classes *b)
{
	if (!b)
		return;
	spins_free(b->spins);
	activations_release(&b->ac);
	branch_places_release(&b->places);
	map_release(&b->reader);
	free(b->event_of);
	free(b);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_pos(const struct ctp *c, uint32_t event, struct strbuf *out)
{
	struct finding_place p;
	const char *slash;

	place_of_event(c, event, &p);
	slash = p.file ? strrchr(p.file, '/') : NULL;
	if (p.file && p.line)
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : p.file, p.line);
	else if (p.function)
		strbuf_addf(out, "'%s'", p.function);
	else
		strbuf_adds(out, "an unknown place");
	finding_place_release(&p);
}

static void add_block_pos(const struct branch_classes *b, uint32_t func, uint32_t block,
	struct strbuf *out)
{
	const struct ir_block *k = &b->p->funcs.at[func].blocks.at[block];

	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		struct diag_pos at = ir_diag_pos(b->p, b->p->funcs.at[func].insns.at[i].pos);
		const char *slash = at.file ? strrchr(at.file, '/') : NULL;

		if (!at.file || !at.line)
			continue;
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : at.file, at.line);
		return;
	}
	strbuf_addf(out, "'%s'", ir_func_name(b->p, func));
}

static void add_thread(const struct branch_classes *b, uint32_t t, struct strbuf *out)
{
	const struct ctp_thread *th = &b->c->threads.at[t];

	if (th->parent == CTP_NONE && !t)
		strbuf_adds(out, "the main thread");
	else if (b->p && th->start_func < b->p->funcs.n)
		strbuf_addf(out, "thread %u '%s'", t, ir_func_name(b->p, th->start_func));
	else
		strbuf_addf(out, "thread %u", t);
}

static uint32_t access_of(const struct branch_classes *b, term_t sym)
{
	return (uint32_t)map_get_or(&b->reader, sym.id, 0) - 1;
}

/* Appends "'ready' and 'turn'": the data that the term depends on, each name once; returns their
 * number. */
static uint32_t add_names(const struct branch_classes *b, term_t t, struct strbuf *out)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);
	struct strbuf one = {0};
	size_t start = out->n;
	uint32_t n = 0;

	for (uint32_t i = 0; i < syms->n && n < 3; i++) {
		uint32_t a = access_of(b, syms->at[i]);

		if (a == CTP_NONE)
			continue;
		strbuf_clear(&one);
		strbuf_addc(&one, '\'');
		ctp_name_access(b->c, b->event_of[a], &one);
		strbuf_addc(&one, '\'');
		if (out->n > start && strstr(out->s + start, one.s))
			continue;
		strbuf_addf(out, "%s%s", n++ ? " and " : "", one.s);
	}
	strbuf_release(&one);
	return n;
}

/* ---- writes of other threads ----------------------------------------------------------------- */

/* The writes to the cell by other threads than `not_by`; at most MAX_WRITES. */
static uint32_t writes_of(const struct branch_classes *b, uint32_t cell, uint32_t not_by,
	uint32_t out[MAX_WRITES])
{
	uint32_t n = 0;

	vec_each (&b->c->accesses, a) {
		const struct ctp_access *ac = &b->c->accesses.at[a];

		if (n < MAX_WRITES && ac->cell == cell && ac->value.id &&
			ctp_at(b->c, b->event_of[a])->thread != not_by)
			out[n++] = a;
	}
	return n;
}

/* Another thread that writes data that the term depends on; CTP_NONE. */
static uint32_t writer_of(const struct branch_classes *b, term_t t, uint32_t not_by)
{
	const struct term_syms *syms = term_syms(b->c->ts, t);

	for (uint32_t i = 0; i < syms->n; i++) {
		uint32_t a = access_of(b, syms->at[i]), writes[MAX_WRITES];

		if (a != CTP_NONE &&
			writes_of(b, b->c->accesses.at[a].cell, not_by, writes))
			return ctp_at(b->c, b->event_of[writes[0]])->thread;
	}
	return CTP_NONE;
}

/* ---- synchronization made by hand -------------------------------------------------------------- */

static void describe_wait(
	const struct branch_classes *b, uint32_t event, const struct spin *s, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	uint32_t by = e->cond.id ? writer_of(b, e->cond, e->thread) : CTP_NONE;

	strbuf_adds(out, "the loop at ");
	add_block_pos(b, e->func, s->header, out);
	if (s->kind == SPIN_TRY) {
		strbuf_adds(out, " tries to take a lock until it succeeds");
		return;
	}
	strbuf_adds(out, s->kind == SPIN_UPDATE ? " tries to change " : " only reads ");
	if (!e->cond.id || !add_names(b, e->cond, out))
		strbuf_adds(out, "memory");
	if (s->kind == SPIN_UPDATE) {
		strbuf_adds(out, " until it succeeds");
	} else {
		strbuf_adds(out, " until ");
		if (by == CTP_NONE)
			strbuf_adds(out, "another thread");
		else
			add_thread(b, by, out);
		strbuf_adds(out, " changes that");
	}
}

static bool is_waiting(const struct spin *s)
{
	return s->kind == SPIN_READ || s->kind == SPIN_UPDATE || s->kind == SPIN_TRY;
}

static bool same_cells(const struct branch_classes *b, term_t t, term_t u)
{
	const struct term_syms *x = term_syms(b->c->ts, t), *y = term_syms(b->c->ts, u);

	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < y->n; k++) {
			uint32_t m = access_of(b, x->at[i]), n = access_of(b, y->at[k]);

			if (m != CTP_NONE && n != CTP_NONE &&
				b->c->accesses.at[m].cell == b->c->accesses.at[n].cell)
				return true;
		}
	return false;
}

/* Other threads wait in a loop for the data of this decision: one side of a hand-over. */
static bool hands_over(struct branch_classes *b, uint32_t event, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct spin s;

	if (!b->spins)
		return false;
	if (spin_decides(b->spins, e->func, e->insn, &s)) {
		strbuf_adds(out, "it decides which thread waits in the loop at ");
		add_block_pos(b, e->func, s.header, out);
		strbuf_adds(out, ", and which lets the others continue");
		return true;
	}
	vec_each (&b->c->events, i) {
		const struct ctp_event *o = ctp_at(b->c, i);

		if (o->kind != CTP_BRANCH || o->thread == e->thread || !o->cond.id)
			continue;
		s = spin_of(b->spins, o->func, o->insn);
		if (s.kind != SPIN_READ || !same_cells(b, e->cond, o->cond))
			continue;
		strbuf_adds(out, add_names(b, e->cond, out) > 1 ? " are what the loop at "
								 : " is what the loop at ");
		add_block_pos(b, o->func, s.header, out);
		strbuf_adds(out, " waits for");
		return true;
	}
	return false;
}

/* ---- check, then act -------------------------------------------------------------------------- */

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
	struct solve_limits lim = {.seconds = 0.5, .eager = true};
	term_t t = term_and(c->ts, a, term_not(c->ts, b));
	struct solve *q;
	bool yes;
	u128 v;

	if (term_is_const(c->ts, t, &v))
		return !v;
	q = solve_new(c->ts);
	solve_assert(q, t);
	yes = solve_check(q, NULL, 0, &lim) == SAT_UNSAT;
	solve_free(q);
	return yes;
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
		uint32_t a = access_of(b, syms->at[i]);
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
		add_pos(b->c, t->at, out);
}

static void describe_stale_check(const struct branch_classes *b, const struct act *t,
	const struct witness *w, struct strbuf *out)
{
	uint32_t by = last_writer(b, t, w);

	strbuf_adds(out, "the condition checked at ");
	add_pos(b->c, t->guard, out);
	strbuf_adds(out, " may no longer hold at ");
	add_act_pos(b, t, out);
	strbuf_adds(out, ", where '");
	ctp_name_access(b->c, t->at, out);
	strbuf_adds(out, ctp_at(b->c, t->at)->kind == CTP_READ ? "' is read again"
							       : "' is changed");
	if (by == CTP_NONE)
		return;
	strbuf_adds(out, ": ");
	add_thread(b, ctp_at(b->c, by)->thread, out);
	strbuf_adds(out, " may change it in between, at ");
	add_pos(b->c, by, out);
}

struct asking {
	struct branch_classes *b;
	struct asker *a;
	uint32_t left;     /* queries */
	double until;      /* of the clock */
	uint32_t undecided; /* a use whose query the solver did not decide; CTP_NONE */
	struct strbuf *out;
};

static bool ask_query(struct asking *k, const struct act *t, struct query *q)
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

static bool is_stale(struct asking *k, const struct act *t, uint32_t access)
{
	const struct ctp *c = k->b->c;
	uint32_t writes[MAX_WRITES], n;
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
	n = writes_of(k->b, t->cell, ctp_at(c, t->guard)->thread, writes);
	for (uint32_t i = 0; i < n && !yes && k->left; i++) {
		query_clear(&q);
		if (ask_write(k->b, t, writes[i], c->accesses.at[access].sym, writes, n, &q))
			yes = ask_query(k, t, &q);
	}
	query_release(&q);
	return yes;
}

static bool acts_on_stale(struct asking *k, uint32_t guard)
{
	const struct ctp_event *e = ctp_at(k->b->c, guard);
	const struct term_syms *syms;

	if (e->kind != CTP_BRANCH || !e->cond.id)
		return false;
	syms = term_syms(k->b->c->ts, e->cond);
	for (uint32_t i = 0; i < syms->n && syms->n <= MAX_SYMS && k->left; i++) {
		uint32_t a = access_of(k->b, syms->at[i]);
		struct act t;

		if (a != CTP_NONE && k->b->event_of[a] < guard && find_act(k->b, guard, a, &t) &&
			is_stale(k, &t, a))
			return true;
	}
	return false;
}

/* Checks the instance that flips, then others: the use may be behind the other branch. */
static bool check_then_act(struct asking *k, uint32_t event)
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

/* ---- the class ------------------------------------------------------------------------------- */

void branch_classify(struct branch_classes *b, struct asker *a, uint32_t event, struct finding *f)
{
	const struct ctp_event *e = ctp_at(b->c, event);
	struct strbuf why = {0};
	struct asking k = {.b = b,
		.a = a,
		.left = MAX_QUERIES,
		.until = clock_seconds() + MAX_SECONDS,
		.undecided = CTP_NONE,
		.out = &why};
	struct spin s = {.kind = SPIN_NONE};

	if (f->flip.class_ == FLIP_BUG)
		return;
	asker_seconds(a, MAX_SECONDS / 4.0);
	if (b->spins)
		s = spin_of(b->spins, e->func, e->insn);
	if (is_waiting(&s)) {
		f->flip.class_ = FLIP_ADHOC;
		describe_wait(b, event, &s, &why);
	} else if (check_then_act(&k, event)) {
		f->flip.class_ = FLIP_BUG;
	} else if (e->kind == CTP_BRANCH && hands_over(b, event, &why)) {
		f->flip.class_ = FLIP_ADHOC;
	} else if (s.kind == SPIN_COND) {
		strbuf_adds(&why, "the loop around a wait for a condition variable checks again");
	} else if (k.undecided != CTP_NONE) {
		strbuf_adds(&why, "whether it still holds at ");
		add_pos(b->c, k.undecided, &why);
		strbuf_adds(&why, " could not be decided");
	} else {
		strbuf_adds(&why, "neither branch is known to fail");
	}
	free(f->flip.why);
	f->flip.why = strbuf_detach(&why);
}
