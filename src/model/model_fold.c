/*
 * Folding: the common prefix of alternatives of a thread (merge.h) is encoded once, as a tree whose
 * branches are the alternatives. An event of a common prefix is *folded*: its literal, its node and
 * its reads are those of its representative, the same event of the first alternative that has it.
 *
 * A prefix ends where the thread holds no lock and does not wait, so that critical sections, and
 * waits with their wake-ups, are folded as a whole. Events whose meaning depends on the run
 * (barriers, once, lifetimes of objects and blocks) are not folded.
 *
 * Assignments are unfolded before they are executed: the executor and witnesses have no folded
 * events.
 */
#include "model/model_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"

static bool may_fold(const struct ctp_event *e)
{
	switch ((enum ctp_kind)e->kind) {
	case CTP_READ:
	case CTP_WRITE:
	case CTP_RMW:
	case CTP_BRANCH:
	case CTP_ASSERT:
	case CTP_FIX:
	case CTP_DEREF:
	case CTP_DIVISOR:
	case CTP_CALL:
	case CTP_BEGIN:
	case CTP_CREATE:
	case CTP_JOIN:
	case CTP_LOCK:
	case CTP_UNLOCK:
	case CTP_WAIT:
	case CTP_WOKEN:
	case CTP_SIGNAL:
	case CTP_BROADCAST:
	case CTP_SEM_WAIT:
	case CTP_SEM_POST:
	case CTP_STATE: return !(e->flags & CTP_PENDING);
	default: return false;
	}
}

/* Two alternatives side by side. */
struct pair {
	const struct facts *f;
	uint32_t a, b;       /* their first events */
	struct term_subst s; /* symbols of b -> symbols of a */
};

static bool same_term(struct pair *p, term_t a, term_t b)
{
	return !a.id || !b.id ? a.id == b.id : term_subst(&p->s, b).id == a.id;
}

static bool is_symbol(const struct pair *p, term_t t)
{
	return term_op(p->f->c->ts, t) == TERM_SYM;
}

static bool same_accesses(struct pair *p, const struct ctp_event *x, const struct ctp_event *y)
{
	const struct ctp *c = p->f->c;

	for (uint32_t i = 0; i < x->n; i++) {
		const struct ctp_access *a = &c->accesses.at[x->first + i];
		const struct ctp_access *b = &c->accesses.at[y->first + i];

		if (a->cell != b->cell || !a->sym.id != !b->sym.id)
			return false;
		if (!a->sym.id)
			continue;
		if (!is_symbol(p, a->sym) || !is_symbol(p, b->sym) ||
			term_width(c->ts, a->sym) != term_width(c->ts, b->sym))
			return false;
		term_subst_put(&p->s, b->sym, a->sym);
	}
	for (uint32_t i = 0; i < x->n; i++)
		if (!same_term(p, c->accesses.at[x->first + i].value,
			    c->accesses.at[y->first + i].value))
			return false;
	return true;
}

static bool same_other(const struct pair *p, const struct ctp_event *x, const struct ctp_event *y)
{
	const struct ctp *c = p->f->c;

	if (ctp_has_peer(x->kind))
		return ctp_peer(x) < c->threads.n && ctp_peer(y) < c->threads.n &&
		       ctp_group(c, ctp_peer(x)) == ctp_group(c, ctp_peer(y));
	if (ctp_has_mutex(x->kind) && ctp_mutex(x) != ctp_mutex(y))
		return false;
	if (x->kind == CTP_WOKEN)
		return ctp_wait(x) != CTP_NONE && ctp_wait(y) != CTP_NONE &&
		       ctp_wait(x) - p->a == ctp_wait(y) - p->b;
	return ctp_base(x) == ctp_base(y);
}

static bool whole_region(const struct ctp *c, const struct ctp_event *e)
{
	const struct ctp_region *r = e->region == CTP_NONE ? NULL : &c->regions.at[e->region];

	return !r || (r->begin != CTP_NONE && !r->foreign);
}

static bool same_event(struct pair *p, uint32_t i)
{
	const struct ctp *c = p->f->c;
	const struct ctp_event *x = ctp_at(c, p->a + i), *y = ctp_at(c, p->b + i);

	return x->kind == y->kind && x->flags == y->flags && may_fold(x) && x->func == y->func &&
	       x->insn == y->insn && x->point == y->point && x->object == y->object &&
	       x->n == y->n && x->block == y->block &&
	       x->size == y->size && facts_rank(p->f, p->a + i) != UINT32_MAX &&
	       facts_rank(p->f, p->b + i) != UINT32_MAX && whole_region(c, x) &&
	       whole_region(c, y) && same_other(p, x, y) && same_accesses(p, x, y) &&
	       same_term(p, x->cond, y->cond) && same_term(p, x->operand, y->operand);
}

/* the thread holds no lock and does not wait before the i-th event */
static bool is_clean(const struct facts *f, uint32_t thread, uint32_t i)
{
	const struct ctp_thread *t = &f->c->threads.at[thread];
	uint32_t held = i < t->n ? f->held_at.at[t->first + i] : f->held_end.at[thread];

	return held == CTP_NONE && ctp_at(f->c, t->first + i - 1)->kind != CTP_WAIT;
}

/* the number of events that they have in common */
static uint32_t common_prefix(const struct facts *f, uint32_t s, uint32_t t)
{
	const struct ctp_thread *a = &f->c->threads.at[s], *b = &f->c->threads.at[t];
	struct pair p = {.f = f, .a = a->first, .b = b->first};
	uint32_t n = 0;

	term_subst_init(&p.s, f->c->ts);
	for (uint32_t i = 0; i < MIN(a->n, b->n) && same_event(&p, i); i++)
		if (is_clean(f, s, i + 1) && is_clean(f, t, i + 1))
			n = i + 1;
	term_subst_release(&p.s);
	return n;
}

static void fold_thread(struct model *m, uint32_t s, uint32_t t, uint32_t n)
{
	const struct ctp *c = m->c;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = c->threads.at[t].first + i;
		uint32_t to = m->rep.at[c->threads.at[s].first + i];

		m->rep.at[e] = to;
		for (uint32_t k = 0; k < ctp_at(c, e)->n; k++) {
			term_t sym = c->accesses.at[ctp_at(c, e)->first + k].sym;

			if (sym.id)
				term_subst_put(&m->old, sym,
					c->accesses.at[ctp_at(c, to)->first + k].sym);
		}
	}
}

void model_fold(struct model *m)
{
	const struct ctp *c = m->c;

	vec_each (&m->f->objects, i)
		if (m->f->objects.at[i].ordered)
			return;
	vec_each (&c->events, e)
		vec_push(&m->rep, e);
	vec_each (&c->threads, t) {
		uint32_t best = 0, with = 0;

		for (uint32_t s = 0; s < t; s++) {
			uint32_t n = facts_same_group(m->f, s, t) ? common_prefix(m->f, s, t) : 0;

			if (n > best) {
				best = n;
				with = s;
			}
		}
		fold_thread(m, with, t, best);
	}
}

uint32_t model_rep_access(const struct model *m, uint32_t access)
{
	uint32_t e = m->f->access_event.at[access];

	return ctp_at(m->c, model_rep(m, e))->first + (access - ctp_at(m->c, e)->first);
}

/* a is an event of b's thread too; both are representatives */
static bool is_on_path(const struct model *m, uint32_t a, uint32_t b)
{
	const struct ctp_thread *ta = &m->c->threads.at[ctp_at(m->c, a)->thread];
	const struct ctp_thread *tb = &m->c->threads.at[ctp_at(m->c, b)->thread];
	uint32_t i = a - ta->first;

	return i < tb->n && m->rep.at[tb->first + i] == a;
}

bool model_excludes(const struct model *m, uint32_t a, uint32_t b)
{
	if (!facts_exclude(m->f, a, b))
		return false;
	return !m->rep.n || (!is_on_path(m, a, b) && !is_on_path(m, b, a));
}

bool model_mhb_before(const struct model *m, uint32_t a, uint32_t b)
{
	const struct ctp *c = m->c;

	if (!m->rep.n || !facts_exclude(m->f, a, b))
		return mhb_before(m->mhb, a, b);
	return is_on_path(m, a, b) && a - c->threads.at[ctp_at(c, a)->thread].first <
					      b - c->threads.at[ctp_at(c, b)->thread].first;
}

bool model_same_until(const struct model *m, uint32_t s, uint32_t t, uint32_t i)
{
	const struct ctp_thread *a = &m->c->threads.at[s], *b = &m->c->threads.at[t];

	return !i || (i <= a->n && i <= b->n &&
			     model_rep(m, a->first + i - 1) == model_rep(m, b->first + i - 1));
}

/* the index at which alternative t diverges from s; the number of its events: it does not */
static uint32_t diverges_at(const struct model *m, uint32_t s, uint32_t t)
{
	const struct ctp_thread *a = &m->c->threads.at[s], *b = &m->c->threads.at[t];
	uint32_t i = 0;

	while (i < a->n && i < b->n && m->rep.at[a->first + i] == m->rep.at[b->first + i])
		i++;
	return i < a->n ? i : b->n;
}

lit_t model_run(struct model *m, uint32_t e)
{
	uint32_t thread = ctp_at(m->c, e)->thread;
	struct vec_u32 some = {0};
	lit_t x = model_x(m, e), l = x;

	for (uint32_t t = 0; m->rep.n && x != LIT_FALSE && t < m->c->threads.n; t++) {
		uint32_t i = facts_same_group(m->f, t, thread) ? diverges_at(m, thread, t)
							       : m->c->threads.at[t].n;

		if (i < m->c->threads.at[t].n)
			vec_push(&some, model_x(m, m->c->threads.at[t].first + i));
	}
	if (some.n) {
		l = solve_bool(m->q);
		model_or(m, lit_not(l), x);
		vec_each (&some, i)
			model_or(m, lit_not(l), lit_not(some.at[i]));
		vec_push(&some, l);
		vec_push(&some, lit_not(x));
		model_clause(m, some.at, some.n);
	}
	vec_release(&some);
	return l;
}

/* the number of events of the thread that the assignment executes */
static uint32_t count_executed(const struct model *m, uint32_t t)
{
	uint32_t n = 0;

	while (n < m->c->threads.at[t].n &&
		solve_true(m->q, model_x(m, m->c->threads.at[t].first + n)))
		n++;
	return n;
}

bool model_runs(const struct model *m, uint32_t thread)
{
	uint32_t best = thread, most = 0;

	if (!m->rep.n)
		return true;
	vec_each (&m->c->threads, t) {
		uint32_t n =
			t == thread || facts_same_group(m->f, t, thread) ? count_executed(m, t) : 0;

		if (n > most || (n == most && n && bitset_has(&m->named, t) &&
					!bitset_has(&m->named, best))) {
			most = n;
			best = t;
		}
	}
	return best == thread;
}
