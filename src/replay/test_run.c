#include "replay/test_run.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "replay/failure.h"
#include "replay/output.h"
#include "replay/replay.h"

#include <string.h>

const char *const test_verdict_words[] = {
#define X(id, word) [TEST_##id] = word,
	TEST_VERDICTS(X)
#undef X
};

void test_result_release(struct test_result *res)
{
	strbuf_release(&res->what);
	strbuf_release(&res->notes);
}

static bool is_failure(const struct testcase *tc)
{
	return tc->fate == EXEC_FAULT || tc->fate == EXEC_DEADLOCK;
}

/* Appends the outcome of the test case: "fails: assertion failure at a.c:12". */
static void add_expected(const struct testcase *tc, struct strbuf *what)
{
	switch (tc->fate) {
	case EXEC_EXITED: strbuf_addf(what, "exits with %d", tc->status & 255); break;
	case EXEC_DEADLOCK: strbuf_adds(what, "hangs: deadlock"); break;
	case EXEC_FAULT: strbuf_addf(what, "fails: %s", fault_words[tc->fault].title); break;
	case EXEC_STOPPED:
		strbuf_addf(what, "is stopped: %s",
			testcase_kind(tc) ? testcase_kind(tc) : "unknown reason");
		break;
	}
	if (tc->fate == EXEC_FAULT && tc->file)
		strbuf_addf(what, " at %s:%u", tc->file, tc->line);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void machine_words(const struct rehearsal *r, struct strbuf *out)
{
	struct testcase as_test = {.fate = r->res.fate,
		.status = r->res.status,
		.fault = r->res.fault,
		.stop = r->res.stop,
		.file = r->place.file,
		.line = r->place.line};

	add_expected(&as_test, out);
	if (r->res.fate == EXEC_STOPPED && r->res.report.n) {
		const char *end = strchr(r->res.report.s, '\n');

		strbuf_addf(out, " (%.*s)",
			(int)(end ? end - r->res.report.s : (ptrdiff_t)r->res.report.n),
			r->res.report.s);
	}
}

/* The verdict of a run on the machine alone. */
static void judge_rehearsal(
	const struct testcase *tc, const struct rehearsal *r, struct test_result *res)
{
	const struct strbuf *got = &r->output;

	res->failed = r->res.fate == EXEC_FAULT || r->res.fate == EXEC_DEADLOCK;
	machine_words(r, &res->what);
	if (!rehearsal_agrees(r, tc)) {
		res->verdict = r->res.fate == EXEC_STOPPED          ? TEST_UNKNOWN
			       : is_failure(tc) && !res->failed ? TEST_GONE
								    : TEST_DIFFERENT;
	} else if (tc->noutput >= 0 && output_compare(tc->output, (size_t)tc->noutput, got->s, got->n,
					       tc->fate == EXEC_EXITED) >= OUTPUT_MIXED) {
		res->verdict = TEST_DIFFERENT;
		strbuf_addf(&res->what,
			", but the machine printed different output (%zu bytes, expected %lld)",
			got->n, (long long)tc->noutput);
	}
	if (res->verdict == TEST_SAME)
		return;
	strbuf_adds(&res->what, "; expected: ");
	add_expected(tc, &res->what);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* r: the rehearsal; NULL: none. */
static void judge_program(const struct finding *f, const struct rehearsal *r,
	const struct replay_result *run, struct test_result *res)
{
	const struct testcase *tc = f->test;
	enum sight s = replay_judge(f, run, &res->what);

	switch (s) {
	case SIGHT_SEEN: res->verdict = TEST_SAME; break;
	case SIGHT_DIVERGED: res->verdict = TEST_DIVERGED; break;
	case SIGHT_UNKNOWN:
	case NSIGHTS: res->verdict = TEST_UNKNOWN; break;
	case SIGHT_MACHINE_ONLY:
	case SIGHT_OTHER:
		if (s == SIGHT_MACHINE_ONLY && r && rehearsal_agrees(r, tc))
			res->verdict = TEST_MACHINE_ONLY;
		else
			res->verdict = is_failure(tc) && !replay_failed(run) ? TEST_GONE
									     : TEST_DIFFERENT;
		break;
	}
	res->failed = res->verdict == TEST_SAME ? is_failure(tc) : replay_failed(run);
	if (res->verdict == TEST_SAME)
		return;
	strbuf_adds(&res->what, "; expected: ");
	add_expected(tc, &res->what);
	if (res->verdict == TEST_MACHINE_ONLY)
		strbuf_adds(&res->what,
			", which was seen on heddle's machine; the real program shows no sign of it");
}

static void add_notes(const struct testcase *tc, const struct test_program *tp,
	const struct rehearsal *r, struct test_result *res)
{
	if (tc->identity && tc->identity != tp->identity)
		strbuf_addf(&res->notes, "'%s' was built again since the test case was written\n",
			tp->exe);
	if (r && r->trouble)
		strbuf_addf(&res->notes, "%s\n", r->trouble);
	if (r && !rehearsal_agrees(r, tc)) {
		strbuf_adds(&res->notes, "on heddle's machine the program ");
		machine_words(r, &res->notes);
		strbuf_addc(&res->notes, '\n');
	}
	if (tc->incomplete)
		strbuf_adds(&res->notes, "its path has assumed values: the outcome may differ\n");
}

/* A test case that the machine stopped has no outcome to compare, so the real program is not
 * run. Only a false assumption counts as an outcome: the path ends there by definition. */
static void stopped(const struct testcase *tc, const struct rehearsal *r, struct test_result *res)
{
	bool assumed = tc->stop == STOP_ASSUMPTION;

	machine_words(r, &res->what);
	strbuf_adds(&res->what, "; the program was not run");
	res->verdict = assumed && rehearsal_agrees(r, tc) ? TEST_SAME : TEST_UNKNOWN;
}

static int run_program(struct finding *f, struct test_program *tp, const struct rehearsal *r,
	const struct test_options *opt, struct test_result *res)
{
	struct replay_options ro = {.exe = tp->exe,
		.image = tp->image.path ? &tp->image : NULL,
		.keep = opt->keep,
		.write_files = opt->write_files,
		.quiet = !opt->show,
		.seconds = opt->seconds};
	struct replay_result run = {0};
	struct replay_setup s;
	int rc = replay_setup(&s, f, &ro);

	if (!rc && !tp->image.path) {
		tp->image = s.image;
		s.image = (struct image_file){0};
		s.opt.image = &tp->image;
	}
	if (!rc)
		rc = replay_run(&s.opt, f, &run);
	if (!rc) {
		judge_program(f, r, &run, res);
		res->hash = run.out.hash;
	}
	replay_result_release(&run);
	replay_setup_release(&s);
	return rc;
}

/* r: the rehearsal; NULL: none. */
static int test_program(struct finding *f, struct test_program *tp, const struct rehearsal *r,
	const struct test_options *opt, struct test_result *res)
{
	const struct testcase *tc = f->test;
	const char *missing = replay_cannot_give(tc);

	if (tc->fate == EXEC_STOPPED && r) {
		stopped(tc, r, res);
		return 0;
	}
	if (!missing)
		return run_program(f, tp, r, opt, res);
	if (!r) {
		res->verdict = TEST_UNKNOWN;
		strbuf_addf(
			&res->what, "was not run: heddle cannot pass it the input '%s'", missing);
		return 0;
	}
	judge_rehearsal(tc, r, res);
	if (res->verdict == TEST_SAME)
		res->verdict = TEST_MACHINE_ONLY;
	strbuf_addf(&res->what,
		" on heddle's machine; heddle cannot pass the input '%s' to the real program",
		missing);
	return 0;
}

int test_run(struct finding *f, struct test_program *tp, const struct test_options *opt,
	struct test_result *res)
{
	double started = clock_seconds();
	struct rehearsal r;
	int rc = 0;

	*res = (struct test_result){0};
	if (opt->native) {
		schedule_replace(f, finding_new());
		rc = test_program(f, tp, NULL, opt, res);
	} else {
		if (rehearse(&r, f, tp))
			return -1;
		if (opt->machine)
			judge_rehearsal(f->test, &r, res);
		else
			rc = test_program(f, tp, &r, opt, res);
		add_notes(f->test, tp, opt->machine ? NULL : &r, res);
		if (!rehearsal_agrees(&r, f->test))
			schedule_replace(f, finding_new());
		rehearsal_release(&r);
	}
	res->seconds = clock_seconds() - started;
	if (rc)
		test_result_release(res);
	return rc;
}
