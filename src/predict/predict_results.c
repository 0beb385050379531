/* Results of items: statistics, findings for the caller, and limits: what was not decided. */
#include "predict/predict_internal.h"

#include "base/base.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

/* prediction.group_states */
enum { GROUP_FOUND = 1, GROUP_UNKNOWN = 2, GROUP_BOUNDED = 4, GROUP_REFUSED = 8 };

void predict_stats_release(struct predict_stats *s)
{
	vec_each (&s->limits, i)
		free(s->limits.at[i]);
	vec_release(&s->limits);
}

static bool result_was_found(const void *prediction, uint32_t group)
{
	return ((const struct prediction *)prediction)->group_states[group] & GROUP_FOUND;
}

static void keep_reason(struct prediction *p, char *why)
{
	vec_each (&p->unknown_reasons, i)
		if (!strcmp(p->unknown_reasons.at[i], why)) {
			free(why);
			return;
		}
	vec_push(&p->unknown_reasons, why);
}

static void count_result(struct prediction *p, uint32_t group, const struct item_result *r)
{
	struct predict_stats *st = p->st;

	st->queries += r->queries;
	st->yes += r->yes;
	st->no += r->no;
	st->bounded += r->bounded;
	st->unknown += r->unknown;
	st->widest = MAX(st->widest, r->widest);
	st->kind[p->groups.at[group].kind].queries += r->queries;
	if (r->refused)
		p->group_states[group] |= GROUP_REFUSED;
	if (r->unknown || (!r->done && !r->refused))
		p->group_states[group] |= GROUP_UNKNOWN;
	if (r->bounded)
		p->group_states[group] |= GROUP_BOUNDED;
}

void result_take(struct prediction *p, uint32_t item, struct item_result *r)
{
	const struct predict_options *opt = p->opt;
	uint32_t g = item_group(p, item);

	count_result(p, g, r);
	if (r->why)
		keep_reason(p, r->why);
	if (r->finding && !result_was_found(p, g) && !group_is_covered(p, g, result_was_found, p)) {
		p->group_states[g] |= GROUP_FOUND;
		p->st->kind[p->groups.at[g].kind].found++;
		opt->found(opt->ctx, r->finding);
	} else if (r->finding) {
		finding_free(r->finding);
	}
	if (opt->progress)
		opt->progress(opt->ctx, "solving", item + 1, count_items(p));
}

/* ---- what was not decided ------------------------------------------------------------------- */

static void add_refused(struct prediction *p, uint32_t n)
{
	vec_push(&p->st->limits, xasprintf("%u of %u possible violations were not checked "
					   "completely: the limit of %s was reached",
					 n, p->groups.n, p->spent ? p->spent : "time or memory"));
}

static void add_unknown(struct prediction *p, uint32_t n)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%u of %u possible violations could not be decided", n, p->groups.n);
	vec_each (&p->unknown_reasons, i)
		strbuf_addf(&b, "%s%s", i ? "; " : ": ", p->unknown_reasons.at[i]);
	vec_push(&p->st->limits, strbuf_detach(&b));
}

static void add_bounded(struct prediction *p, uint32_t n)
{
	vec_push(&p->st->limits, xasprintf("%u of %u possible violations were excluded only within "
					   "bounds (windows of up to %u events%s)",
					 n, p->groups.n, p->st->widest,
					 p->opt->switches >= 0 ? ", limited switches" : ""));
}

static void add_died(struct prediction *p)
{
	vec_push(&p->st->limits, xasprintf("%llu worker process%s died; the queries that %s "
					   "checking are unknown",
					 (unsigned long long)p->died, p->died > 1 ? "es" : "",
					 p->died > 1 ? "they were" : "it was"));
}

void result_add_limits(struct prediction *p)
{
	uint32_t refused = 0, bounded = 0, unknown = 0;

	vec_each (&p->groups, g) {
		struct predict_kind_stats *k = &p->st->kind[p->groups.at[g].kind];
		uint8_t state = p->group_states[g];

		k->candidates += p->groups.at[g].n;
		if (state & GROUP_FOUND)
			continue;
		refused += !!(state & GROUP_REFUSED);
		unknown += !!(state & GROUP_UNKNOWN);
		bounded += !!(state & GROUP_BOUNDED);
		k->unknown += !!(state & GROUP_UNKNOWN);
		k->bounded += !!(state & GROUP_BOUNDED);
	}
	if (refused)
		add_refused(p, refused);
	if (unknown)
		add_unknown(p, unknown);
	if (bounded)
		add_bounded(p, bounded);
	if (p->died)
		add_died(p);
}
