/* Replays the findings of an exploration and stores them in `.heddle`. */
#include "cli/explore_report.h"

#include "base/diag.h"
#include "base/print.h"
#include "cli/load_test_program.h"
#include "finding/findings.h"
#include "replay/explored.h"

#include <stdio.h>

enum { SECONDS = 20 }; /* time limit of one replay */

/* tp: the program for the replay; NULL: no replay. -1 after error_(). */
static int add_finding(struct explore_report *e, const struct explore_finding *ef,
	struct findings *db, struct test_program *tp)
{
	struct test_options opt = {.seconds = SECONDS};
	struct finding *f = explored_finding(ef->tc, ef->test);

	if (tp)
		explored_confirm(f, tp, &opt);
	if (findings_put(db, f, NULL)) {
		finding_free(f);
		return -1;
	}
	if (set_aside_has(&e->aside, f))
		set_aside_take(&e->aside, f);
	else
		vec_push(&e->findings, f);
	return 0;
}

int explore_report_findings(struct explore_report *e, struct explore *ex, const char *program)
{
	bool replay = !e->a->no_replay && !e->a->from;
	const struct explore_finding *ef;
	struct test_program tp;
	struct findings *db;
	uint32_t n;
	int rc = 0;

	ef = explore_findings(ex, &n);
	if (!n)
		return 0;
	db = findings_open(e->a->dir ? e->a->dir : ".", true);
	if (!db)
		return -1;
	rc = set_aside_read_known(&e->aside, &e->a->aside, db);
	if (replay && load_test_program(&tp, program))
		replay = false;
	for (uint32_t i = 0; i < n && !rc; i++)
		if (ef[i].tc)
			rc = add_finding(e, &ef[i], db, replay ? &tp : NULL);
		else if (!e->a->json)
			print_clean(stdout, "%s\n", ef[i].report);
	if (replay)
		test_program_release(&tp);
	findings_close(db);
	return rc;
}

void explore_report_release(struct explore_report *e)
{
	vec_each (&e->findings, i)
		finding_free(e->findings.at[i]);
	vec_release(&e->findings);
	set_aside_release(&e->aside);
	verdict_release(&e->verdict);
}
