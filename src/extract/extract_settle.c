/*
 * Extraction, after the events of all threads exist: replaces the symbols for results of threads by
 * the terms of the results, and removes events that are not needed.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/search.h"
#include "base/vec.h"

#include <stdlib.h>

/* ---- results of threads --------------------------------------------------------------------- */

term_t extract_result(struct extractor *x, uint32_t thread, u128 value)
{
	struct result *r = &x->results.at[thread];

	if (!r->sym.id)
		r->sym = term_fresh(x->ts, "result", 64);
	r->value = value;
	return r->sym;
}

static term_t result_term(struct extractor *x, const struct result *r)
{
	return r->term.id ? term_zext(x->ts, r->term, 64) : term_const(x->ts, 64, r->value);
}

/* Removes guards whose condition became constant true. */
static void drop_true_guards(struct extractor *x)
{
	struct bitset keep = {0};
	u128 v;

	vec_each (&x->c->events, e)
		if (!ctp_is_guard(ctp_at(x->c, e)->kind) ||
			(ctp_at(x->c, e)->kind == CTP_DEREF &&
				ctp_at(x->c, e)->flags & CTP_OUTSIDE) ||
			!term_is_const(x->ts, ctp_at(x->c, e)->cond, &v) || !v)
			bitset_add(&keep, e);
	vec_each (&x->late, i)
		bitset_add(&keep, x->late.at[i].fix);
	extract_keep(x, &keep);
	bitset_release(&keep);
}

struct freed_range {
	uint64_t from, to;
};
struct freed_ranges { /* a VEC */
	struct freed_range *at;
	uint32_t n, cap;
};

static int compare_range(const void *a, const void *b)
{
	const struct freed_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The address ranges of blocks that are freed, rising and disjoint. */
static void find_freed(const struct ctp *c, struct freed_ranges *s)
{
	uint32_t n = 0;

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_FREE && ev->block != CTP_NONE)
			vec_push(s, (struct freed_range){ev->at, ev->at + MAX(ev->size, 1u)});
	}
	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, compare_range);
	vec_each (s, i) {
		if (n && s->at[i].from < s->at[n - 1].to)
			s->at[n - 1].to = MAX(s->at[n - 1].to, s->at[i].to);
		else
			s->at[n++] = s->at[i];
	}
	s->n = n;
}

static bool is_freed(const struct freed_ranges *s, uint64_t from, uint64_t to)
{
	uint32_t lo = upper_bound(0u, s->n, i, s->at[i].to, from);

	return lo < s->n && s->at[lo].from < to;
}

/* Removes allocations of blocks that only one thread uses, except at addresses of a block that is
 * freed: a stale pointer to the freed block points to the new block. */
void extract_drop_blocks(struct extractor *x)
{
	struct bitset keep = {0};
	struct freed_ranges freed = {0};

	find_freed(x->c, &freed);
	vec_each (&x->c->events, e) {
		const struct ctp_event *ev = ctp_at(x->c, e);

		if (ev->kind != CTP_ALLOC ||
			bitset_has(&x->kept_blocks, x->c->blocks.at[ev->block].gen) ||
			is_freed(&freed, ev->at, ev->at + ev->size))
			bitset_add(&keep, e);
	}
	extract_keep(x, &keep);
	vec_release(&freed);
	bitset_release(&keep);
}

static bool begin_results(struct extractor *x, struct term_subst *s)
{
	bool any = false;

	term_subst_init(s, x->ts);
	vec_each (&x->results, i) {
		const struct result *r = &x->results.at[i];

		if (r->sym.id)
			term_subst_put(s, r->sym, result_term(x, r));
		any |= r->sym.id != 0;
	}
	return any;
}

/* Substitutes results in the terms of results, because a thread may return the result of another
 * one. True if a term changed. */
static bool settle_results(struct extractor *x)
{
	struct term_subst s;
	bool any = begin_results(x, &s), more = false;

	vec_each (&x->results, i) {
		struct result *r = &x->results.at[i];
		term_t old = r->term;

		if (any && old.id)
			r->term = term_subst(&s, old);
		more |= !term_same(old, r->term);
	}
	term_subst_release(&s);
	return more;
}

/* Replaces the symbols for results by their terms in all events. */
void extract_put_results(struct extractor *x)
{
	struct term_subst s;
	bool any;

	while (settle_results(x))
		;
	any = begin_results(x, &s);
	for (uint32_t i = 0; any && i < x->c->events.n; i++) {
		struct ctp_event *e = &x->c->events.at[i];

		if (e->cond.id)
			e->cond = term_subst(&s, e->cond);
		if (e->operand.id)
			e->operand = term_subst(&s, e->operand);
	}
	for (uint32_t i = 0; any && i < x->c->accesses.n; i++)
		if (x->c->accesses.at[i].value.id)
			x->c->accesses.at[i].value = term_subst(&s, x->c->accesses.at[i].value);
	term_subst_release(&s);
	if (any)
		drop_true_guards(x);
}

/* Removes the accesses of events that were removed. */
static void keep_accesses(struct extractor *x)
{
	struct ctp *c = x->c;
	VEC(struct ctp_access) kept = {0};
	struct bitset unseen = {0};

	vec_each (&c->events, i) {
		struct ctp_event *e = &c->events.at[i];
		uint32_t first = kept.n;

		for (uint32_t k = e->first; k < e->first + e->n; k++) {
			if (bitset_has(&x->unseen, k))
				bitset_add(&unseen, kept.n);
			vec_push(&kept, c->accesses.at[k]);
		}
		e->first = first;
	}
	vec_release(&c->accesses);
	c->accesses.at = kept.at;
	c->accesses.n = kept.n;
	c->accesses.cap = kept.cap;
	bitset_release(&x->unseen);
	x->unseen = unseen;
}

void extract_keep(struct extractor *x, const struct bitset *keep)
{
	struct ctp *c = x->c;
	uint32_t n = 0, *to = xcalloc(c->events.n + 1, sizeof *to), kept = 0;
	bool data = false;

	vec_each (&c->threads, t) {
		struct ctp_thread *th = &c->threads.at[t];
		uint32_t first = n;

		for (uint32_t e = th->first; e < th->first + th->n; e++) {
			to[e] = CTP_NONE;
			data |= !bitset_has(keep, e) && ctp_at(c, e)->n;
			if (!bitset_has(keep, e))
				continue;
			to[e] = n;
			x->rank.at[n] = x->rank.at[e];
			c->events.at[n++] = c->events.at[e];
		}
		th->first = first;
		th->n = n - first;
	}
	c->events.n = x->rank.n = n;
	if (data)
		keep_accesses(x);
	vec_each (&x->late, i)
		if (to[x->late.at[i].fix] != CTP_NONE)
			x->late.at[kept++] = (struct late_fix){
				to[x->late.at[i].read], to[x->late.at[i].fix]};
	x->late.n = kept;
	free(to);
}
