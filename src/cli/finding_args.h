/* Findings that a command line names: H1 of `.heddle` in a directory, or a file with one as JSON.
 */
#ifndef HEDDLE_CLI_FINDING_ARGS_H
#define HEDDLE_CLI_FINDING_ARGS_H

#include "finding/finding.h"

/* dir: where `.heddle` is; NULL: here. NULL after error_(). */
struct finding *finding_named(const char *dir, const char *name);

/* Whether its executable is not the one that it was found in; false too if it cannot be read. */
bool finding_is_stale(const struct finding *f);

#endif
