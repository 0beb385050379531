/* Collects the flip queries on a model: nodes of the path tree at which not all ways are known. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/cfg.h"

#include <stdlib.h>

/* Guards after which the thread continues on the other way. Prediction queries those that fail. */
static bool has_other_way(const struct ctp_event *e)
{
	switch (e->kind) {
	case CTP_BRANCH:
	case CTP_FIX:
	case CTP_DEREF:
	case CTP_CALL: return true;
	default: return false;
	}
}

/* ---- the code after the other way --------------------------------------------------------- */

static uint32_t place_bit(uint32_t func, uint32_t block)
{
	return (uint32_t)hash_u64((uint64_t)func << 32 | block) & 0xfffff;
}

/* Adds the blocks of all events of the run to d->seen. */
static void add_seen_blocks(struct deep *d, const struct ctp *c)
{
	const struct ir_program *p = trace_program(c->trace);

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->func < p->funcs.n && ev->insn < p->funcs.at[ev->func].insns.n)
			bitset_add(&d->seen,
				place_bit(ev->func, cfg_block_of(&p->funcs.at[ev->func], ev->insn)));
	}
}

/* For a branch: sets q->fresh if the code of the other way is new, q->fails if a failure is at most
 * one block after it. */
static void look_ahead(struct deep *d, const struct ctp *c, struct flip_query *q)
{
	const struct ir_program *p = trace_program(c->trace);
	const struct ctp_event *e = ctp_at(c, q->event);
	const struct ir_func *fn = e->func < p->funcs.n ? &p->funcs.at[e->func] : NULL;
	const struct ir_insn *in = fn && e->insn < fn->insns.n ? &fn->insns.at[e->insn] : NULL;
	const struct ir_insn *last;
	uint32_t to;

	if (!in || in->op != IR_CBR)
		return;
	to = fn->edges.at[in->arg[ctp_decided(e) ? 2 : 1]].to;
	q->fresh = !bitset_has(&d->seen, place_bit(e->func, to));
	last = &fn->insns.at[fn->blocks.at[to].first + fn->blocks.at[to].n - 1];
	q->fails = fails_block(&d->fails, e->func, to);
	for (uint32_t k = 0; k < ir_insn_nedges(last); k++)
		q->fails |= fails_block(
			&d->fails, e->func, fn->edges.at[ir_insn_edge(fn, last, k)].to);
}

static int compare_question(const void *x, const void *y)
{
	const struct flip_query *a = x, *b = y;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* ---- queries on one run ------------------------------------------------------------------ */

void flip_queries_of_run(struct deep *d, const struct ctp *c, struct flip_queries *out)
{
	struct path_names names = {0};

	add_seen_blocks(d, c);
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];

		paths_names(c, t, &names);
		for (uint32_t i = 0; i < th->n; i++) {
			const struct ctp_event *e = ctp_at(c, th->first + i);
			const struct path_node *node = paths_node(&d->paths, names.at[i]);

			if (!has_other_way(e) || !node || node->ways != 1 ||
				map_get(&d->asked, names.at[i]) ||
				stutter_is_round(c, d->spins, th->first + i))
				continue;
			vec_push(out, (struct flip_query){.node = names.at[i],
					      .ways = 1,
					      .event = th->first + i,
					      .holds = term_not(c->ts, e->cond),
					      .place = i});
			look_ahead(d, c, &vec_last(out));
		}
	}
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, compare_question);
	vec_release(&names);
}

/* ---- queries on the merged model --------------------------------------------------------- */

struct place { /* an event, the node before it, and its edge */
	uint64_t node, edge;
	uint32_t event;
};

static int compare_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* The condition of b over the symbols of the thread of a. Both threads reach their event by the
 * same path, so their reads correspond one to one. */
static term_t translate_condition(const struct ctp *c, uint32_t a, uint32_t b)
{
	uint32_t x = c->threads.at[ctp_at(c, a)->thread].first;
	uint32_t y = c->threads.at[ctp_at(c, b)->thread].first;
	struct term_subst s;
	term_t t;

	term_subst_init(&s, c->ts);
	for (; x < a && y < b; x++, y++)
		for (uint32_t i = 0; i < MIN(ctp_at(c, x)->n, ctp_at(c, y)->n); i++) {
			term_t from = c->accesses.at[ctp_at(c, y)->first + i].sym;
			term_t to = c->accesses.at[ctp_at(c, x)->first + i].sym;

			if (from.id && to.id)
				term_subst_put(&s, from, to);
		}
	t = term_subst(&s, ctp_at(c, b)->cond);
	term_subst_release(&s);
	return t;
}

/* at[0..n) are the places of one node: adds the query for none of their ways. */
static void add_node_query(struct deep *d, const struct ctp *c, const struct place *at, uint32_t n,
	struct flip_queries *out)
{
	term_t other = term_not(c->ts, ctp_at(c, at->event)->cond);
	uint32_t ways = 1;
	u128 v;

	BUG_ON(!n || at[0].node != at[n - 1].node);
	for (uint32_t i = 1; i < n; i++) {
		if (at[i].edge == at[i - 1].edge)
			continue;
		ways++;
		other = term_and(c->ts, other,
			term_not(c->ts, translate_condition(c, at->event, at[i].event)));
	}
	if (term_is_const(c->ts, other, &v) && !v)
		return;
	vec_push(out, (struct flip_query){
			      .node = at->node, .ways = ways, .event = at->event, .holds = other});
	look_ahead(d, c, &vec_last(out));
}

/* For a path that ends although its thread did not: adds the query for a linearization in which the
 * thread executes all of it, so that a run shows how it continues. A pending operation has a probe.
 * */
static void add_end_query(struct deep *d, const struct ctp *c, uint32_t thread, uint64_t node,
	struct map *seen, struct flip_queries *out)
{
	const struct ctp_thread *t = &c->threads.at[thread];
	const struct path_node *known = paths_node(&d->paths, node);
	uint64_t *asked;

	if (!paths_goes_on(c, thread) || !known || known->ways ||
		(ctp_at(c, t->first + t->n - 1)->flags & CTP_PENDING))
		return;
	asked = map_put(seen, node);
	if (!*asked)
		vec_push(out, (struct flip_query){
				      .node = node, .event = t->first + t->n - 1, .runs = true});
	*asked = 1;
}

/* Adds the query for the last event of a probe: a path whose last node is not in the tree. */
static bool add_probe_query(struct deep *d, const struct ctp *c, uint32_t thread,
	const struct path_names *names, struct flip_queries *out)
{
	const struct ctp_thread *t = &c->threads.at[thread];
	const struct path_node *before = t->n ? paths_node(&d->paths, names->at[t->n - 1]) : NULL;

	if (!before || paths_node(&d->paths, names->at[t->n]))
		return false;
	vec_push(out, (struct flip_query){.node = before->name,
			      .ways = before->ways,
			      .event = t->first + t->n - 1,
			      .runs = true});
	return true;
}

void flip_queries_of_model(struct deep *d, const struct ctp *c, struct flip_queries *out)
{
	VEC(struct place) places = {0};
	struct path_names names = {0};
	struct map ends = {0};

	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];

		paths_names(c, t, &names);
		if (add_probe_query(d, c, t, &names, out))
			continue;
		for (uint32_t i = 0; i < th->n; i++)
			if (ctp_is_guard(ctp_at(c, th->first + i)->kind))
				vec_push(&places, (struct place){names.at[i],
							  paths_edge(c, th->first + i),
							  th->first + i});
		add_end_query(d, c, t, vec_last(&names), &ends, out);
	}
	if (places.n)
		qsort(places.at, places.n, sizeof *places.at, compare_place);
	for (uint32_t i = 0, k; i < places.n; i = k) {
		for (k = i + 1; k < places.n && places.at[k].node == places.at[i].node; k++)
			;
		if (has_other_way(ctp_at(c, places.at[i].event)) &&
			!stutter_is_round(c, d->spins, places.at[i].event))
			add_node_query(d, c, &places.at[i], k - i, out);
	}
	vec_release(&places);
	vec_release(&names);
	map_release(&ends);
}
