/*
 * A test on the real program: its inputs in a directory of their own, the enforce image, one run.
 */
#ifndef HEDDLE_REPLAY_TRIAL_NATIVE_H
#define HEDDLE_REPLAY_TRIAL_NATIVE_H

#include "base/strbuf.h"
#include "replay/replay.h"
#include "replay/trial.h"

/* Our environment with the variables of the test; a vector, NULL at the end. */
struct environment {
	char **at;
	uint32_t n, cap;
};
void environment_init(struct environment *e, const struct testcase *tc);
void environment_release(struct environment *e);

struct native {
	struct replay_result res;
	struct strbuf output; /* on descriptor 1 */
};
/* schedule: of the rehearsal; one without moves if there was none. -1 after error_(). */
int native_run(struct native *nv, const struct testcase *tc, struct trial_program *tp,
	const struct finding *schedule, const struct trial_options *opt);
void native_release(struct native *nv);

/* An input that the real program cannot be given; NULL if there is none. */
const char *native_cannot(const struct testcase *tc);

#endif
