/*
 * One run of a test case on the real program: writes the inputs to a directory and runs the enforce
 * image.
 */
#ifndef HEDDLE_REPLAY_TRIAL_NATIVE_H
#define HEDDLE_REPLAY_TRIAL_NATIVE_H

#include "base/strbuf.h"
#include "replay/replay.h"
#include "replay/trial.h"

/* The environment of heddle with the variables of the test case; a VEC, NULL at the end. */
struct environment {
	char **at;
	uint32_t n, cap;
};
void environment_init(struct environment *e, const struct testcase *tc);
void environment_release(struct environment *e);

struct native {
	struct replay_result res;
	struct strbuf output; /* bytes written to descriptor 1 */
};
/* Runs the program. schedule: that of the rehearsal; NULL: none. -1 after error_(). */
int native_run(struct native *nv, const struct testcase *tc, struct trial_program *tp,
	const struct finding *schedule, const struct trial_options *opt);
void native_release(struct native *nv);

/* The name of the first input that heddle cannot give to the real program (results of system
 * calls); NULL: none. */
const char *native_cannot(const struct testcase *tc);

#endif
