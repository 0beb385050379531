#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/vec.h"
#include "object/exe.h"
#include "replay/flip.h"
#include "replay/replay.h"
#include "replay/serial.h"

#include <stdlib.h>

int replay_bitcode(const char *exe, uint64_t *hash)
{
	struct exe *x = exe_open(exe);
	struct exe_section bc;
	int rc = -1;

	if (!x)
		return -1;
	if (exe_section(x, EXE_BITCODE, &bc)) {
		*hash = hash_bytes(bc.data, bc.n);
		rc = 0;
	} else {
		error_("'%s' carries no bitcode (build it with heddle-cc)", exe);
	}
	exe_close(x);
	return rc;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void set_text(char **field, struct strbuf *text)
{
	free(*field);
	*field = text->n ? strbuf_detach(text) : NULL;
	strbuf_release(text);
}

/* An observed finding did happen in the recorded run, so only a confirmation changes its status. */
static void set_status(struct finding *f, enum finding_status s)
{
	if (f->status != FINDING_OBSERVED || s == FINDING_CONFIRMED)
		f->status = s;
}

static bool same_run(const struct replay_result *x, const struct replay_result *y)
{
	return x->out.hash == y->out.hash && x->out.fate == y->out.fate &&
	       x->out.code == y->out.code && x->out.diverged == y->out.diverged;
}

static int judge_serial(struct finding *f, const struct replay_options *opt,
	const struct replay_result *seen, struct strbuf *outcome)
{
	int differs = serial_compare(f, opt, seen, outcome);

	if (!differs && f->by_outcome) /* a serial order may have the same outcome: no violation */
		set_status(f, FINDING_PREDICTED);
	return MIN(differs, 0);
}

static int judge_runs(
	struct finding *f, const struct replay_options *opt, struct replay_result *runs)
{
	struct strbuf outcome = {0}, other = {0}, divergence = {0};
	bool seen = replay_judge(f, &runs[0], &outcome) == SIGHT_SEEN;
	bool again = replay_judge(f, &runs[1], &other) == SIGHT_SEEN;
	int rc = 0;

	f->hash = 0;
	if (runs[0].out.diverged || runs[1].out.diverged) {
		int k = !runs[0].out.diverged;

		replay_divergence(f, &runs[k], &runs[!k], opt->exe, &divergence);
		set_status(f, FINDING_DIVERGED);
		strbuf_clear(&outcome);
	} else if (!same_run(&runs[0], &runs[1])) {
		strbuf_addf(&divergence, "not deterministic: two replays of the same schedule %s",
			seen != again ? "ended differently" : "had different events");
		set_status(f, FINDING_PREDICTED);
	} else if (seen && again) {
		set_status(f, FINDING_CONFIRMED);
		f->hash = runs[0].out.hash;
		if (f->kind == FAULT_ATOMICITY)
			rc = judge_serial(f, opt, &runs[0], &outcome);
		else if (f->kind == FAULT_BRANCH)
			flip_classify(f, &runs[0]);
	} else {
		set_status(f, FINDING_PREDICTED);
	}
	set_text(&f->outcome, &outcome);
	set_text(&f->divergence, &divergence);
	strbuf_release(&other);
	return rc;
}

int replay_confirm(struct finding *f, const struct replay_options *opt)
{
	struct replay_result runs[2] = {0};
	struct replay_setup s;
	int rc = replay_setup(&s, f, opt);

	s.opt.quiet = true;
	s.opt.mode = SCHED_STEPS;
	if (!rc)
		rc = replay_run(&s.opt, f, &runs[0]);
	s.opt.trace = NULL;
	if (!rc)
		rc = replay_run(&s.opt, f, &runs[1]);
	if (!rc)
		rc = judge_runs(f, &s.opt, runs);
	replay_result_release(&runs[0]);
	replay_result_release(&runs[1]);
	replay_setup_release(&s);
	return rc;
}
