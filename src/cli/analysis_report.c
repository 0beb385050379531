/* Announces findings as they are found; at the end prints their list, the coverage, and their reports. */
#include "base/base.h"
#include "base/clock.h"
#include "base/print.h"
#include "cli/analysis.h"
#include "cli/finding_text.h"
#include "finding/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void analysis_report(struct analysis *c, const struct finding *f)
{
	if (!c->a->json && !set_aside_has(&c->aside, f))
		finding_text_announce(f);
}

/* ---- counting ---------------------------------------------------------------------------- */

uint32_t analysis_count(struct analysis *c, enum finding_status s)
{
	uint32_t n = 0;

	vec_each (&c->found, i)
		n += c->found.at[i]->status == s && !set_aside_has(&c->aside, c->found.at[i]);
	return n;
}

static void add_count(struct strbuf *b, uint64_t n, const char *one, const char *many)
{
	strbuf_addf(b, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void add_part(struct strbuf *b, uint32_t n, const char *what, bool *some)
{
	if (n)
		strbuf_addf(b, "%s%u %s", *some ? ", " : "", n, what);
	*some = *some || n;
}

static void add_headline(struct analysis *c, struct strbuf *b)
{
	bool some = false;

	strbuf_adds(b, "heddle: ");
	if (c->found.n) {
		add_count(b, c->found.n, "finding", "findings");
		strbuf_adds(b, ": ");
		add_part(b, analysis_count(c, FINDING_CONFIRMED), "confirmed by replay", &some);
		add_part(b, analysis_count(c, FINDING_OBSERVED), "seen in the recorded run", &some);
		add_part(b, analysis_count(c, FINDING_PREDICTED), "predicted only", &some);
		add_part(b, analysis_count(c, FINDING_DIVERGED), "predicted, replay diverged",
			&some);
		add_part(b, analysis_count(c, FINDING_MACHINE_ONLY),
			"seen on heddle's machine only", &some);
		strbuf_adds(b, "\n  ");
	}
	verdict_headline(&c->verdict, b);
	strbuf_addc(b, '\n');
}

/* ---- coverage ---------------------------------------------------------------------------- */

static void add_analysed(const struct analysis *c, struct strbuf *b)
{
	const struct predict_stats *s = &c->n.stats;

	strbuf_adds(b, "  analysed: ");
	if (c->n.runs == 1)
		strbuf_adds(b, "the recorded run");
	else
		add_count(b, c->n.runs, "recorded run", "recorded runs");
	if (c->n.chunks) {
		strbuf_adds(b, " in ");
		add_count(b, c->n.chunks, "chunk", "chunks");
	}
	if (c->n.far_runs) {
		strbuf_adds(b, " (");
		add_count(b, c->n.far_runs, "of a further run", "of further runs");
		strbuf_adds(b, " that brought far accesses together)");
	}
	strbuf_adds(b, ": ");
	add_count(b, c->n.threads, "thread", "threads");
	strbuf_adds(b, ", ");
	add_count(b, c->n.events, "event", "events");
	strbuf_addf(b, " (of %" PRIu64 " instructions); ", c->n.instructions);
	add_count(b, s->candidates, "candidate", "candidates");
	strbuf_addf(b, ", %" PRIu64 " excluded without a query, %" PRIu64 " queries, %.2f s\n",
		s->filtered, s->queries, s->seconds);
}

static void add_analysed_deep(const struct deep_stats *d, struct strbuf *b)
{
	strbuf_adds(b, "  other paths: ");
	add_count(b, d->runs, "run", "runs");
	strbuf_adds(b, " for ");
	add_count(b, d->paths, "path", "paths");
	strbuf_adds(b, " of ");
	add_count(b, d->threads, "thread", "threads");
	strbuf_addf(b, ", %" PRIu64 " queries, %.2f s", d->asked, d->seconds);
	if (d->open)
		strbuf_addf(b, "; %" PRIu64 " flips not run or queries unknown", d->open);
	strbuf_addc(b, '\n');
	vec_each (&d->limits, i)
		if (d->complete)
			strbuf_addf(b, "    note: %s\n", d->limits.at[i]);
}

static void add_gaps(const struct analysis *c, struct strbuf *b)
{
	vec_each (&c->verdict.claims, i) {
		const struct claim *k = &c->verdict.claims.at[i];

		if (!verdict_is_missed(&c->verdict, k))
			continue;
		strbuf_addf(b, "  incomplete: not every %s was examined:\n",
			claim_scope_text(k->scope));
		vec_each (&k->gaps, g)
			strbuf_addf(b, "    %s\n", k->gaps.at[g]);
	}
}

static void add_not_covered(const struct analysis *c, struct strbuf *b)
{
	strbuf_adds(b, "  not covered: other inputs; weaker memory than sequentially consistent");
	if (!c->a->spurious)
		strbuf_adds(b, "; spurious wake-ups (check --spurious)");
	if ((!c->explored || c->explored->gaps.n) && !(c->deep && c->deep->complete))
		strbuf_adds(b, "; exit statuses of schedules that were not run");
	if (!c->explored || c->explored->gaps.n)
		strbuf_adds(b, "; accesses out of bounds that the program survives (heddle explore "
			       "reports them)");
	if (c->n.guards && !c->deep && !c->explored && !(c->opt.kinds >> FAULT_BRANCH & 1))
		strbuf_addf(b,
			"; code behind %" PRIu64 " branch%s whose outcome may differ under other "
			"schedules",
			c->n.guards, c->n.guards == 1 ? "" : "es");
	strbuf_addc(b, '\n');
	if (c->n.nonzero)
		strbuf_addf(b, "  note: the recorded program ended with exit status %d\n",
			c->n.exit_status);
	if (c->n.fixed && !c->deep)
		strbuf_addf(b,
			"  note: %" PRIu64
			" value%s assumed as recorded (native calls, floating point)\n",
			c->n.fixed, c->n.fixed == 1 ? " is" : "s are");
	if (c->n.harmless)
		strbuf_addf(b,
			"  not reported: %u interleaving%s of atomic accesses, because no replay "
			"differed from a serial order\n",
			c->n.harmless, c->n.harmless == 1 ? "" : "s");
}

static void add_explored(const struct explored_stats *e, struct strbuf *b)
{
	strbuf_adds(b, "  exploration: ");
	add_count(b, e->paths, "path", "paths");
	strbuf_addf(b, ", %.2f s\n", e->seconds);
}

static void add_random(const struct analysis *c, struct strbuf *b)
{
	strbuf_adds(b, "  random schedules: ");
	add_count(b, c->n.random_runs, "run", "runs");
	strbuf_adds(b, ", ");
	add_count(b, c->n.random_schedules, "schedule", "different schedules");
	strbuf_addc(b, '\n');
}

void analysis_coverage(const struct analysis *c, struct strbuf *b)
{
	set_aside_text(&c->aside, b);
	if (c->n.runs) /* none with --resume */
		add_analysed(c, b);
	if (c->deep)
		add_analysed_deep(c->deep, b);
	if (c->explored)
		add_explored(c->explored, b);
	if (c->n.random_runs)
		add_random(c, b);
	add_gaps(c, b);
	add_not_covered(c, b);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void add_deep_json(const struct deep_stats *d, struct json *j)
{
	json_object(j, "deep");
	json_bool(j, "complete", d->complete);
	json_u64(j, "runs", d->runs);
	json_u64(j, "redundant", d->redundant);
	json_u64(j, "paths", d->paths);
	json_u64(j, "threads", d->threads);
	json_u64(j, "asked", d->asked);
	json_u64(j, "flips", d->flips);
	json_u64(j, "impossible", d->impossible);
	json_u64(j, "unknown", d->unknown);
	json_u64(j, "open", d->open);
	json_u64(j, "failed", d->failed);
	json_bool(j, "merged", d->merged);
	json_double(j, "seconds", d->seconds);
	json_array(j, "limits");
	vec_each (&d->limits, i)
		json_str(j, NULL, d->limits.at[i]);
	json_end(j);
	json_end(j);
}

static void add_explored_json(const struct explored_stats *e, struct json *j)
{
	json_object(j, "explored");
	json_bool(j, "complete", e->ended && !e->gaps.n);
	json_u64(j, "paths", e->paths);
	json_double(j, "seconds", e->seconds);
	json_array(j, "gaps");
	vec_each (&e->gaps, i)
		json_str(j, NULL, e->gaps.at[i]);
	json_end(j);
	json_end(j);
}

static void add_coverage_json(const struct analysis *c, struct json *j)
{
	const struct predict_stats *s = &c->n.stats;

	json_object(j, "coverage");
	json_u64(j, "runs", c->n.runs);
	json_u64(j, "chunks", c->n.chunks);
	json_u64(j, "far_runs", c->n.far_runs);
	json_u64(j, "threads", c->n.threads);
	json_u64(j, "events", c->n.events);
	json_u64(j, "instructions", c->n.instructions);
	json_u64(j, "branches", c->n.guards);
	json_u64(j, "fixed", c->n.fixed);
	json_u64(j, "candidates", s->candidates);
	json_u64(j, "filtered", s->filtered);
	json_u64(j, "queries", s->queries);
	json_u64(j, "yes", s->yes);
	json_u64(j, "no", s->no);
	json_u64(j, "bounded", s->bounded);
	json_u64(j, "unknown", s->unknown);
	json_u64(j, "widest", s->widest);
	json_u64(j, "harmless", c->n.harmless);
	json_u64(j, "reused", c->n.reused);
	json_double(j, "seconds", s->seconds);
	json_u64(j, "random_runs", c->n.random_runs);
	json_u64(j, "random_schedules", c->n.random_schedules);
	if (c->deep)
		add_deep_json(c->deep, j);
	if (c->explored)
		add_explored_json(c->explored, j);
	json_end(j);
}

static void add_findings_json(const struct analysis *c, struct json *j)
{
	json_array(j, "findings");
	vec_each (&c->found, i) {
		struct strbuf one = {0};

		finding_to_json(c->found.at[i], &one);
		json_raw(j, NULL, one.s);
		strbuf_release(&one);
	}
	json_end(j);
}

void analysis_json(struct analysis *c)
{
	struct strbuf b = {0};
	struct json j = {.out = &b};

	json_object(&j, NULL);
	add_findings_json(c, &j);
	set_aside_json(&c->aside, &j);
	verdict_json(&c->verdict, &j);
	add_coverage_json(c, &j);
	json_end(&j);
	strbuf_addc(&b, '\n');
	fwrite(b.s, 1, b.n, c->out);
	strbuf_release(&b);
}

void analysis_summary(struct analysis *c)
{
	struct strbuf b = {0};

	if (c->a->json) {
		analysis_json(c);
		return;
	}
	add_headline(c, &b);
	finding_text_list(c->found.at, c->found.n, finding_text_style(false).width, &b);
	analysis_coverage(c, &b);
	print_text(stdout, b.s, b.n);
	finding_text_reports(c->found.at, c->found.n, c->a->full);
	strbuf_release(&b);
}

/* ---- what does not count, and files ------------------------------------------------------- */

uint32_t analysis_set_aside(struct analysis *c)
{
	uint32_t n = 0;

	vec_each (&c->found, i)
		if (set_aside_has(&c->aside, c->found.at[i]))
			set_aside_take(&c->aside, c->found.at[i]);
		else
			c->found.at[n++] = c->found.at[i];
	c->found.n = n;
	return c->aside.at.n;
}

int analysis_write_files(struct analysis *c)
{
	return report_files_write(
		&c->a->files, c->found.at, c->found.n, &c->verdict, clock_seconds() - c->began);
}
