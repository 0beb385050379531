/* Findings as operands of a command: a name such as H1, or a JSON file with a finding. */
#ifndef HEDDLE_CLI_FINDING_ARGS_H
#define HEDDLE_CLI_FINDING_ARGS_H

#include "finding/finding.h"

/* Reads the finding. dir: the directory with `.heddle`; NULL: the current one. NULL after
 * error_(). */
struct finding *finding_named(const char *dir, const char *name);

/* Findings that are owned by the list. Lifetime: finding_list_release(). */
struct finding_list {
	struct finding **at;
	uint32_t n, cap;
};
/* Reads the named findings; without names all of the directory. -1 after error_(). */
int findings_named(const char *dir, char *const *names, uint32_t n, struct finding_list *out);
/* The directory has a database of findings. */
bool findings_exist(const char *dir);
void finding_list_release(struct finding_list *l);

/* Whether the executable has changed since the finding was made; false if it cannot be read. */
bool finding_is_stale(const struct finding *f);

/* Runs the test case of a finding of `heddle explore` on the machine and the real program, in the
 * finding's directory. Returns the verdict (enum test_verdict) and sets f->outcome or f->divergence; -1
 * after error_(). seconds: time limit of one run, 0 = 60. */
int finding_confirm(struct finding *f, double seconds);
/* Gives a finding of `heddle explore` its schedule, by a rehearsal on the machine, if it has none or the
 * program has changed. Does nothing for other findings. -1 after error_(). */
int finding_rehearse(struct finding *f);

#endif
