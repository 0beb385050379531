/* The test cases of findings on the real program, before anybody is told that they are confirmed. */
#include "cli/exploring.h"

#include "base/diag.h"
#include "cli/load.h"
#include "replay/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_program(struct trial_program *tp, const char *path)
{
	char *exe = realpath(path, NULL);
	struct ir_program *p = exe ? load_program(exe, LOAD_MODELS) : NULL;
	struct ir_program *own = p ? load_program(exe, 0) : NULL;
	int r = -1;

	if (own)
		r = trial_program_init(tp, exe, p, own);
	else if (p)
		ir_program_free(p);
	free(exe);
	return r;
}

static void tell(const struct explore_finding *f, const struct trial_result *r)
{
	const char *what = r->what.s ? r->what.s : "";

	printf("%s", fault_words[f->fault].title);
	if (f->file)
		printf(" at %s:%u", f->file, f->line);
	if (r->verdict == TRIAL_SAME)
		printf(": confirmed on the real program: %s\n", what);
	else if (r->verdict == TRIAL_MACHINE_ONLY)
		printf(": machine only: seen on heddle's machine; the real program shows no sign of "
		       "such a fault: %s\n", what);
	else
		printf(": not confirmed, %s: %s\n", trial_words[r->verdict], what);
}

static void confirm(struct exploring *e, struct trial_program *tp, const struct explore_finding *f)
{
	struct trial_options opt = {.seconds = 20};
	struct trial_result r;
	struct testcase tc;

	if (!f->test || testcase_read(&tc, f->test))
		return;
	if (!trial_run(&tc, tp, &opt, &r)) {
		e->confirmed += r.verdict == TRIAL_SAME;
		if (!e->a->json)
			tell(f, &r);
		trial_result_release(&r);
	}
	testcase_release(&tc);
}

void exploring_replay(struct exploring *e, struct explore *ex, const char *program)
{
	const struct explore_finding *f;
	struct trial_program tp;
	uint32_t n;

	f = explore_findings(ex, &n);
	if (!n || open_program(&tp, program))
		return;
	for (uint32_t i = 0; i < n; i++)
		confirm(e, &tp, &f[i]);
	trial_program_release(&tp);
}
