/*
 * Prediction (Fusion, §4 and §5): the violations that other linearizations of the recorded run
 * would show.
 *
 *	propose   each property names possible violations (candidates) and drops
 *	          those that must-happen-before and locks exclude             prop_*.c
 *	group     candidates that a user would call one bug                   predict_groups.c
 *	query     is there a linearization with this violation? asked in
 *	          windows of growing width around its events                  model/asker.c
 *	witness   such a linearization, executed and made short               model/minimize.c
 *	explain   the witness as a finding: steps, reasons, schedule          explain/
 */
#include "predict/predict.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/strbuf.h"
#include "ctp/ctp_names.h"
#include "model/model_facts.h"
#include "predict/predict_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A group is left for this round when the solver gave up on so many of its candidates. */
enum { HOPELESS = 3 };

static const struct property {
	const char *name;
	property_fn propose;
	uint32_t kinds;
} properties[] = {
#define KIND(id)              (1u << FAULT_##id)
#define PROPERTY(name, kinds) {#name, prop_##name, kinds},
#include "predict/properties.def"
#undef PROPERTY
#undef KIND
};

static void propose_candidates(struct prediction *p)
{
	const struct predict_options *opt = p->opt;
	uint32_t kinds = opt->kinds ? opt->kinds : ~(1u << FAULT_BRANCH);

	for (uint32_t i = 0; i < ARRAY_SIZE(properties); i++) {
		uint32_t before = p->cs.at.n;

		if (opt->progress)
			opt->progress(opt->ctx, "candidates", i, ARRAY_SIZE(properties));
		if (properties[i].kinds & kinds)
			properties[i].propose(&p->cs, kinds);
		LOG(predict, "property %s: %u candidates", properties[i].name, p->cs.at.n - before);
	}
	p->st->candidates = p->cs.at.n;
	p->st->filtered = p->cs.filtered;
	vec_each (&p->cs.limits, i)
		vec_push(&p->st->limits, xstrdup(p->cs.limits.at[i]));
}

/* Adds a limit for each object whose operations the model keeps in their recorded order, although
 * several threads use it. */
static void note_ordered(struct prediction *p)
{
	const struct facts *f = mhb_facts(p->mhb);

	vec_each (&f->objects, i) {
		const struct facts_object *o = &f->objects.at[i];
		struct strbuf name = {0};
		bool several = false;

		vec_each (&o->ops, k)
			several |= ctp_group(p->c, ctp_at(p->c, o->ops.at[k])->thread) !=
				   ctp_group(p->c, ctp_at(p->c, o->ops.at[0])->thread);
		if (!o->ordered || !several)
			continue;
		ctp_name_object(p->c, o->addr, &name);
		vec_push(&p->st->limits, xasprintf("operations on %s are kept in their recorded order",
						 name.n ? name.s : "an object"));
		strbuf_release(&name);
	}
}

/* The recorded run shows the violation: its witness is the observed order up to the last key. */
static struct finding *explain_observed(struct prediction *p, const struct candidate *k)
{
	const struct ctp *c = p->c;
	struct witness w = {0};
	struct finding *f;
	uint32_t last = 0;

	for (uint32_t i = 0; i < k->v.nkeys; i++)
		last = MAX(last, ctp_at(c, k->v.key[i])->rank);
	for (uint32_t i = 0; i < MIN(last, c->order.n); i++) {
		vec_push(&w.events, c->order.at[i]);
		w.switches += i && ctp_at(c, c->order.at[i])->thread !=
					   ctp_at(c, c->order.at[i - 1])->thread;
	}
	f = explain(c, p->mhb, &k->v, &w);
	witness_release(&w);
	return f;
}

static struct finding *explain_witness(
	struct prediction *p, const struct candidate *k, const struct witness *w)
{
	struct finding *f = explain(p->c, p->mhb, &k->v, w);

	if (k->v.kind == FAULT_BRANCH) {
		if (!p->classes)
			p->classes = branch_classes_new(p->c, p->mhb);
		branch_classify(p->classes, p->asker, k->v.key[0], f);
	}
	return f;
}

/* One query, and the finding if it has a witness. */
static void check_candidate(
	struct prediction *p, const struct candidate *k, struct item_result *out)
{
	struct model_result r = {0};

	if (k->v.certain) {
		out->finding = explain_observed(p, k);
		return;
	}
	asker_ask(budgeted_asker(p), &k->query, &r);
	out->queries++;
	switch (r.answer) {
	case ANSWER_YES:
		out->yes++;
		out->finding = explain_witness(p, k, &r.witness);
		break;
	case ANSWER_NO:
		out->no++;
		out->bounded += r.bounded;
		break;
	case ANSWER_UNKNOWN:
		out->unknown++;
		if (!out->why && r.why)
			out->why = xstrdup(r.why);
		break;
	}
	out->widest = MAX(out->widest, asker_stats(p->asker)->widest);
	model_result_release(&r);
}

void check_item(struct prediction *p, uint32_t item, struct item_result *out)
{
	const struct group *g = &p->groups.at[item_group(p, item)];
	uint32_t from, to;

	item_range(p, item, &from, &to);
	assert(to <= g->n && g->first + g->n <= p->sorted.n);
	for (uint32_t i = from; i < to && !out->finding && out->unknown < HOPELESS; i++) {
		if (!budget_left(p)) {
			out->refused = true;
			return;
		}
		check_candidate(p, &p->cs.at.at[p->sorted.at[g->first + i]], out);
	}
	out->done = true;
}

static void release_prediction(struct prediction *p)
{
	branch_classes_free(p->classes);
	asker_free(p->asker);
	free(p->group_states);
	vec_each (&p->unknown_reasons, i)
		free(p->unknown_reasons.at[i]);
	vec_release(&p->unknown_reasons);
	vec_release(&p->sorted);
	vec_release(&p->groups);
	candidates_release(&p->cs);
	mhb_free(p->mhb);
}

int predict(const struct ctp *c, const struct predict_options *opt, struct predict_stats *st)
{
	double start = clock_seconds();
	struct prediction p = {.c = c,
		.mhb = mhb_new(c),
		.opt = opt,
		.st = st,
		.memory = opt->memory,
		.deadline = opt->seconds > 0 ? start + opt->seconds : 0};

	*st = (struct predict_stats){0};
	p.cs = (struct candidates){.c = c, .mhb = p.mhb, .skip = opt->skip, .only = opt->only,
		.every = opt->every};
	propose_candidates(&p);
	note_ordered(&p);
	group_candidates(&p);
	check_items(&p);
	result_add_limits(&p);
	hidden_add_limits(&p);
	release_prediction(&p);
	st->seconds = clock_seconds() - start;
	return 0;
}
