/*
 * A program that a file names: a trace, a finding or a test case, which may come from elsewhere.
 * The user did not write the command line that heddle runs for it, so heddle shows it. What the
 * file says about the program is not true for a program that was built again, so heddle does not
 * run that one.
 */
#ifndef HEDDLE_CLI_NAMED_PROGRAM_H
#define HEDDLE_CLI_NAMED_PROGRAM_H

#include "base/strbuf.h"
#include "finding/finding.h"

struct named_program {
	struct strbuf shown; /* the last command line that was shown */
	bool refused;        /* a program was refused, which was reported */
};

/* Shows the command line of the finding's program, unless it is the same as the last one. */
void named_program_show(struct named_program *p, const struct finding *f);
/* Shows the command line, and returns true, unless the program was built again since the finding
 * was made and `force` is not set: then the first call warns. */
bool named_program_may_run(struct named_program *p, const struct finding *f, bool force);
void named_program_release(struct named_program *p);

#endif
