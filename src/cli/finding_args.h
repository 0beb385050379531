/* Findings that a command line names: H1 of `.heddle` in a directory, or a file with one as JSON.
 */
#ifndef HEDDLE_CLI_FINDING_ARGS_H
#define HEDDLE_CLI_FINDING_ARGS_H

#include "finding/finding.h"

/* dir: where `.heddle` is; NULL: here. NULL after error_(). */
struct finding *finding_named(const char *dir, const char *name);

/* Whether its executable is not the one that it was found in; false too if it cannot be read. */
bool finding_is_stale(const struct finding *f);

/* Of a finding of `heddle explore`: its test case on the real program, in its directory. The verdict
 * (enum trial_verdict), with f->outcome or f->divergence in words; -1 after error_(). show: with the
 * program's own output. seconds: of one run, 0 = 60. */
int finding_try(struct finding *f, bool show, double seconds);

#endif
