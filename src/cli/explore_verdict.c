/* The verdict of an exploration: what it claims, what withdraws the claim, what the real program
 * showed. */
#include "cli/explore_report.h"

#include "base/strbuf.h"
#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

/* The condition under which the claim holds. */
static void add_condition(
	const struct explore_args *a, const struct explore_stats *s, struct strbuf *out)
{
	const char *between = "";

	if (a->from) {
		strbuf_adds(out, "from these places");
		between = " ";
	}
	if (s->threads > 1 && a->switches == EXEC_SWITCH_SYNC)
		strbuf_addf(out, "%sif the program has no data races", between);
	if (out->n)
		between = ", ";
	vec_each (&a->assume, i) {
		strbuf_addf(out, "%s%s%s", between, i ? "" : "assuming ", a->assume.at[i]);
		between = " and ";
	}
}

void explore_verdict_gaps(struct verdict *v, uint32_t claim, struct explore *ex, const char *advice)
{
	const struct explore_stats *s = explore_stats(ex);
	const struct explore_reason *r;
	uint32_t n;

	if (explore_excluded(ex))
		verdict_gap(v, claim, "%s", explore_excluded(ex));
	if (explore_complete(ex))
		return;
	if (explore_stopped(ex))
		verdict_gap(v, claim, "%s; %" PRIu64 " state%s left%s", explore_stopped(ex),
			s->states, s->states == 1 ? "" : "s", advice);
	r = explore_reasons(ex, &n);
	for (uint32_t i = 0; i < n; i++)
		verdict_gap(v, claim, "%" PRIu64 " time%s: %.*s", r[i].count,
			r[i].count == 1 ? "" : "s", (int)strcspn(r[i].why, "\n"), r[i].why);
	if (!v->claims.at[claim].gaps.n)
		verdict_gap(v, claim, "not every path was executed to its end");
}

void explore_verdict(struct explore_report *e, struct explore *ex)
{
	bool symbolic = e->a->machine.sym.n || e->a->from || explore_has_inputs(ex);
	struct strbuf within = {0};
	uint32_t n;

	add_condition(e->a, explore_stats(ex), &within);
	verdict_claim(
		&e->verdict, symbolic ? CLAIM_INPUTS : CLAIM_INPUT, within.n ? within.s : NULL);
	strbuf_release(&within);
	explore_verdict_gaps(&e->verdict, 0, ex, " (continue with --resume)");
	vec_each (&e->findings, i)
		e->verdict.confirmed += e->findings.at[i]->status == FINDING_CONFIRMED;
	explore_findings(ex, &n);
	e->verdict.aside = e->aside.at.n;
	e->verdict.open = n - e->verdict.confirmed - e->verdict.aside;
}

void explore_verdict_headline(const struct explore_report *e, struct strbuf *out)
{
	uint32_t n = e->verdict.confirmed + e->verdict.open;

	strbuf_adds(out, "heddle: ");
	if (n) {
		strbuf_addf(out, "%u finding%s: ", n, n == 1 ? "" : "s");
		if (e->verdict.confirmed)
			strbuf_addf(out, "%u confirmed by replay%s", e->verdict.confirmed,
				e->verdict.open ? ", " : "");
		if (e->verdict.open)
			strbuf_addf(out, "%u not shown by the real program", e->verdict.open);
		strbuf_adds(out, "\n  ");
	}
	verdict_headline(&e->verdict, out);
	strbuf_addc(out, '\n');
}
