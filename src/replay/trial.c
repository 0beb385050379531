#include "replay/trial.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "image/image.h"
#include "replay/trial_judge.h"

#include <string.h>

const char *const trial_words[] = {
#define X(id, word) [TRIAL_##id] = word,
	TRIAL_VERDICTS(X)
#undef X
};

int trial_program_init(
	struct trial_program *tp, const char *exe, struct ir_program *p, struct ir_program *own)
{
	bool open = false;

	*tp = (struct trial_program){.exe = xstrdup(exe), .p = p, .own = own};
	if (image_find_open(exe, &open) || replay_bitcode(exe, &tp->identity)) {
		trial_program_release(tp);
		return -1;
	}
	tp->plan = plan_new(own, NULL, open);
	return 0;
}

void trial_program_release(struct trial_program *tp)
{
	if (tp->plan)
		plan_free(tp->plan);
	ir_program_free(tp->p);
	ir_program_free(tp->own);
	free(tp->image);
	free(tp->exe);
	*tp = (struct trial_program){0};
}

void trial_result_release(struct trial_result *res)
{
	strbuf_release(&res->what);
	strbuf_release(&res->notes);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool same_place(const struct testcase *tc, const struct rehearsal *r)
{
	return !tc->line || !r->place.line || tc->line == r->place.line;
}

/* The outcome on the machine is that of the test case. */
static bool rehearsed(const struct testcase *tc, const struct rehearsal *r)
{
	if (r->res.fate != tc->fate)
		return false;
	switch (tc->fate) {
	case EXEC_EXITED: return r->res.status == tc->status;
	case EXEC_FAULT: return r->res.fault == tc->fault && same_place(tc, r);
	case EXEC_STOPPED: return tc->stop == STOP_NONE || r->res.stop == tc->stop;
	default: return true;
	}
}

static void machine_words(const struct rehearsal *r, struct strbuf *out)
{
	struct testcase as_test = {.fate = r->res.fate,
		.status = r->res.status,
		.fault = r->res.fault,
		.stop = r->res.stop,
		.file = r->place.file,
		.line = r->place.line};

	judge_expected(&as_test, out);
	if (r->res.fate == EXEC_STOPPED && r->res.report.n) {
		const char *end = strchr(r->res.report.s, '\n');

		strbuf_addf(out, " (%.*s)",
			(int)(end ? end - r->res.report.s : (ptrdiff_t)r->res.report.n),
			r->res.report.s);
	}
}

static void compare_output(const struct testcase *tc, const struct strbuf *got, const char *who,
	struct trial_result *res)
{
	const char *text = got->s ? got->s : "";

	if (tc->noutput < 0 || res->verdict != TRIAL_SAME)
		return;
	switch (output_compare(tc->output ? tc->output : "", (size_t)tc->noutput, text, got->n,
		tc->fate == EXEC_EXITED)) {
	case OUTPUT_SAME: return;
	case OUTPUT_ORDER:
		strbuf_addf(&res->notes, "%s printed the same lines in another order\n", who);
		return;
	case OUTPUT_OTHER: break;
	}
	res->verdict = TRIAL_DIFFERENT;
	strbuf_addf(&res->what, ", but %s printed something else (%zu bytes, expected %lld)", who,
		got->n, (long long)tc->noutput);
}

static void only_machine(
	const struct testcase *tc, const struct rehearsal *r, struct trial_result *res)
{
	bool failed = r->res.fate == EXEC_FAULT || r->res.fate == EXEC_DEADLOCK;

	res->failed = failed;
	machine_words(r, &res->what);
	if (rehearsed(tc, r)) {
		res->verdict = TRIAL_SAME;
		compare_output(tc, &r->output, "the machine", res);
		return;
	}
	res->verdict = r->res.fate == EXEC_STOPPED       ? TRIAL_UNKNOWN
		       : judge_is_failure(tc) && !failed ? TRIAL_GONE
							 : TRIAL_DIFFERENT;
	strbuf_adds(&res->what, "; expected: ");
	judge_expected(tc, &res->what);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void conclude(const struct testcase *tc, const struct rehearsal *r, const struct native *nv,
	struct trial_result *res)
{
	bool on_machine = r && rehearsed(tc, r);

	switch (judge(tc, r, nv, &res->what)) {
	case SIGHT_SEEN: res->verdict = TRIAL_SAME; break;
	case SIGHT_MACHINE_ONLY: res->verdict = on_machine ? TRIAL_MACHINE_ONLY : TRIAL_GONE; break;
	case SIGHT_DIVERGED: res->verdict = TRIAL_DIVERGED; break;
	case SIGHT_UNKNOWN: res->verdict = TRIAL_UNKNOWN; break;
	case SIGHT_OTHER:
		res->verdict =
			judge_is_failure(tc) && !judge_failed(nv) ? TRIAL_GONE : TRIAL_DIFFERENT;
		break;
	}
	res->failed = res->verdict == TRIAL_SAME ? judge_is_failure(tc) : judge_failed(nv);
	compare_output(tc, &nv->output, "it", res);
	if (res->verdict == TRIAL_SAME)
		return;
	strbuf_adds(&res->what, "; expected: ");
	judge_expected(tc, &res->what);
	if (res->verdict == TRIAL_MACHINE_ONLY)
		strbuf_adds(&res->what,
			", which was seen on heddle's machine; the real program shows no sign of it");
}

static void add_notes(const struct testcase *tc, const struct trial_program *tp,
	const struct rehearsal *r, struct trial_result *res)
{
	if (tc->identity && tc->identity != tp->identity)
		strbuf_addf(&res->notes, "'%s' was built again since the test was made\n", tp->exe);
	if (r && r->trouble)
		strbuf_addf(&res->notes, "%s\n", r->trouble);
	if (r && !rehearsed(tc, r)) {
		strbuf_adds(&res->notes, "on the machine it ");
		machine_words(r, &res->notes);
		strbuf_addc(&res->notes, '\n');
	}
	if (tc->incomplete)
		strbuf_adds(
			&res->notes, "something on its path was assumed: it may end otherwise\n");
}

/* A test case that the machine stopped has no outcome to compare, so the real program is not
 * run. Only a false assumption counts as an outcome: the path ends there by definition. */
static void stopped(const struct testcase *tc, const struct rehearsal *r, struct trial_result *res)
{
	bool assumed = tc->stop == STOP_ASSUMPTION;

	machine_words(r, &res->what);
	strbuf_adds(&res->what, "; the program was not run");
	res->verdict = assumed && rehearsed(tc, r) ? TRIAL_SAME : TRIAL_UNKNOWN;
}

static int on_program(const struct testcase *tc, struct trial_program *tp,
	const struct rehearsal *r, const struct trial_options *opt, struct trial_result *res)
{
	struct native nv;

	if (tc->fate == EXEC_STOPPED && r) {
		stopped(tc, r, res);
		return 0;
	}
	if (native_cannot(tc) && !r) {
		res->verdict = TRIAL_UNKNOWN;
		strbuf_addf(&res->what, "was not run: it cannot be given '%s'", native_cannot(tc));
		return 0;
	}
	if (native_cannot(tc)) {
		only_machine(tc, r, res);
		if (res->verdict == TRIAL_SAME)
			res->verdict = TRIAL_MACHINE_ONLY;
		strbuf_addf(&res->what, " on the machine; the program cannot be given '%s'",
			native_cannot(tc));
		return 0;
	}
	if (native_run(&nv, tc, tp, r ? r->schedule : NULL, opt))
		return -1;
	conclude(tc, r, &nv, res);
	native_release(&nv);
	return 0;
}

int trial_run(const struct testcase *tc, struct trial_program *tp, const struct trial_options *opt,
	struct trial_result *res)
{
	double started = clock_seconds();
	struct rehearsal r;
	int rc = 0;

	*res = (struct trial_result){0};
	if (opt->native) {
		rc = on_program(tc, tp, NULL, opt, res);
	} else {
		if (rehearse(&r, tc, tp))
			return -1;
		res->moves = r.schedule->moves.n;
		if (opt->machine)
			only_machine(tc, &r, res);
		else
			rc = on_program(tc, tp, &r, opt, res);
		add_notes(tc, tp, opt->machine ? NULL : &r, res);
		rehearsal_release(&r);
	}
	res->seconds = clock_seconds() - started;
	if (rc)
		trial_result_release(res);
	return rc;
}
