#include "cli/explore_report.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/print.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/finding_text.h"
#include "finding/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const char *const end_names[] = {
#define END(id, name, text) name,
#include "explore/ends.def"
#undef END
};

static void clear_line(struct explore_report *e)
{
	if (e->line)
		fputs("\r\033[K", stderr);
	e->line = false;
}

static double covered_share(const struct explore_stats *s)
{
	return s->seconds > 0 ? 100 * s->ask->seconds / s->seconds : 0;
}

void explore_report_progress(void *ctx, struct explore *ex)
{
	struct explore_report *e = ctx;
	const struct explore_stats *s = explore_stats(ex);
	struct coverage_totals c;

	if (!isatty(2) || s->seconds < 1)
		return;
	c = coverage_totals(explore_coverage(ex));
	fprintf(stderr,
		"\r\033[K%.0f s: %" PRIu64 " paths, %" PRIu64 " states, %" PRIu64
		" queries, %.0f%% solver, %u of %u lines",
		s->seconds, s->paths, s->states, s->ask->asked, covered_share(s), c.lines_hit,
		c.lines);
	e->line = true;
}

/* Prints one line when a finding is found; its report follows after the replay. */
static void tell_finding(struct explore_report *e, const struct explore_path *path)
{
	clear_line(e);
	print_clean(stdout, "found: %s", fault_words[path->fault].title);
	if (path->file)
		print_clean(stdout, " at %s:%u", path->file, path->line);
	if (path->test && !(path->tc && path->tc->from))
		print_clean(stdout, " (heddle test %s)", path->test);
	putchar('\n');
	fflush(stdout);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_json(struct strbuf *b)
{
	for (size_t i = 0; i < b->n; i++) /* one line for each object */
		if (b->s[i] == '\n')
			b->s[i] = ' ';
	print_clean(stdout, "%s\n", b->s);
	strbuf_release(b);
}

static void tell_json(const struct explore_path *path)
{
	struct strbuf b = {0};
	struct json j = {.out = &b};

	json_object(&j, NULL);
	json_u64(&j, "path", path->number);
	json_str(&j, "end", end_names[path->end]);
	json_str(&j, "kind", path->kind);
	json_str(&j, "file", path->file);
	json_u64(&j, "line", path->line);
	json_bool(&j, "incomplete", path->incomplete);
	json_bool(&j, "new", path->is_new);
	json_u64(&j, "depth", path->depth);
	json_u64(&j, "instructions", path->instructions);
	json_str(&j, "test_file", path->test);
	if (path->tc) {
		strbuf_adds(&b, ",\"test\":");
		testcase_to_json(path->tc, &b);
	}
	json_end(&j);
	print_json(&b);
}

void explore_report_path(void *ctx, struct explore *ex, const struct explore_path *path)
{
	struct explore_report *e = ctx;

	(void)ex;
	if (e->a->json)
		tell_json(path);
	else if (path->is_new)
		tell_finding(e, path);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void tell_ends(const struct explore_stats *s, struct strbuf *b)
{
	strbuf_addf(b, "%" PRIu64 " path%s", s->paths, s->paths == 1 ? "" : "s");
	for (int i = 0, any = 0; i < EXPLORE_N_ENDS; i++)
		if (s->ends[i])
			strbuf_addf(b, "%s %" PRIu64 " %s", any++ ? "," : ":", s->ends[i],
				end_names[i]);
	strbuf_addc(b, '\n');
}

/* The condition under which "every path" is true. */
static void tell_limits(const struct explore_report *e, struct explore *ex, struct strbuf *b)
{
	const struct explore_stats *s = explore_stats(ex);

	if (s->threads > 1 && e->a->switches == EXEC_SWITCH_SYNC)
		strbuf_adds(b, "  provided that the program has no data races (--switch access "
			       "finds them)\n");
	strbuf_adds(b, "  not covered: weaker memory than sequentially consistent");
	if (s->threads > 1 && !e->a->spurious)
		strbuf_adds(b, "; spurious wake-ups (--spurious)");
	if (explore_reads_clock(ex))
		strbuf_adds(b, "; other times that the program reads from the clock");
	strbuf_addc(b, '\n');
}

static void tell_left_out(const struct explore_report *e, struct explore *ex, struct strbuf *b)
{
	const struct explore_stats *s = explore_stats(ex);
	const struct claim *c = &e->verdict.claims.at[0];

	if (!c->gaps.n)
		strbuf_adds(b, "every path was executed to its end\n");
	else
		strbuf_adds(b, "not every path was executed to its end:\n");
	if (s->incomplete)
		strbuf_addf(b, "  %" PRIu64 " path%s incomplete\n", s->incomplete,
			s->incomplete == 1 ? " is" : "s are");
	vec_each (&c->gaps, i)
		strbuf_addf(b, "  %s\n", c->gaps.at[i]);
	tell_limits(e, ex, b);
}

static void tell_stats(struct explore *ex, struct strbuf *b)
{
	const struct explore_stats *s = explore_stats(ex);
	const struct ask_stats *q = s->ask;

	strbuf_addf(b,
		"%.2f s, %" PRIu64 " instructions (%.2f million/s), %" PRIu64 " forks, %" PRIu64
		" context switches, %.0f paths/s\n",
		s->seconds, s->instructions, (double)s->instructions / 1e6 / MAX(s->seconds, 1e-9),
		s->forks, s->switches, (double)s->paths / MAX(s->seconds, 1e-9));
	strbuf_addf(b,
		"%" PRIu64 " states at most, %.1f MB; %" PRIu64
		" branch outcomes were infeasible\n",
		s->most_states, (double)s->most_bytes / 1e6, s->infeasible);
	strbuf_addf(b,
		"%" PRIu64 " queries: %" PRIu64 " decided by rules, %" PRIu64
		" by the cache, %" PRIu64 " by an earlier model, %" PRIu64
		" by enumeration, %" PRIu64 " by heddle's solver, %" PRIu64 " by Z3, %" PRIu64
		" unknown; %.0f%% of the time\n",
		q->asked, q->by_shape, q->by_cache, q->by_model, q->by_values, q->by_solver,
		q->by_z3, q->unknown, covered_share(s));
}

static void tell_json_end(const struct explore_report *e, struct explore *ex)
{
	const struct explore_stats *s = explore_stats(ex);
	struct coverage_totals c = coverage_totals(explore_coverage(ex));
	const struct explore_reason *r;
	struct strbuf b = {0};
	struct json j = {.out = &b};
	uint32_t n;

	json_object(&j, NULL);
	json_u64(&j, "paths", s->paths);
	json_object(&j, "ends");
	for (int i = 0; i < EXPLORE_N_ENDS; i++)
		json_u64(&j, end_names[i], s->ends[i]);
	json_end(&j);
	json_bool(&j, "complete", explore_complete(ex));
	json_str(&j, "stopped", explore_stopped(ex));
#define NUMBER(name) json_u64(&j, #name, s->name);
	NUMBER(incomplete)
	NUMBER(states)
	NUMBER(most_states) NUMBER(most_bytes) NUMBER(forks) NUMBER(switches) NUMBER(instructions)
		NUMBER(infeasible)
#undef NUMBER
			json_double(&j, "seconds", s->seconds);
	json_u64(&j, "queries", s->ask->asked);
	json_double(&j, "solver_seconds", s->ask->seconds);
	json_u64(&j, "lines", c.lines);
	json_u64(&j, "lines_hit", c.lines_hit);
	json_u64(&j, "branches", c.branches);
	json_u64(&j, "branches_hit", c.branches_hit);
	r = explore_reasons(ex, &n);
	json_object(&j, "reasons");
	for (uint32_t i = 0; i < n; i++)
		json_u64(&j, r[i].why, r[i].count);
	json_end(&j);
	set_aside_json(&e->aside, &j);
	verdict_json(&e->verdict, &j);
	json_array(&j, "findings");
	vec_each (&e->findings, i) {
		struct strbuf one = {0};

		finding_to_json(e->findings.at[i], &one);
		json_raw(&j, NULL, one.s);
		strbuf_release(&one);
	}
	json_end(&j);
	json_end(&j);
	print_json(&b);
}

void explore_report_summary(struct explore_report *e, struct explore *ex)
{
	struct coverage_totals c = coverage_totals(explore_coverage(ex));
	const struct explore_stats *s = explore_stats(ex);
	struct strbuf b = {0};

	clear_line(e);
	if (e->a->json) {
		tell_json_end(e, ex);
		return;
	}
	explore_verdict_headline(e, &b);
	finding_text_list(e->findings.at, e->findings.n, finding_text_style(false).width, &b);
	set_aside_text(&e->aside, &b);
	tell_ends(s, &b);
	tell_left_out(e, ex, &b);
	strbuf_addf(&b, "%u of %u lines, %u of %u branches\n", c.lines_hit, c.lines, c.branches_hit,
		c.branches);
	if (e->a->tests != EXPLORE_TESTS_NONE && s->paths && !e->a->from)
		strbuf_addf(&b, "test cases: %s (run them with: heddle test %s)\n", e->out, e->out);
	if (e->a->stats)
		tell_stats(ex, &b);
	print_text(stdout, b.s, b.n);
	finding_text_reports(e->findings.at, e->findings.n, false);
	strbuf_release(&b);
}
