/*
 * Runs the recorded program as a process, for `heddle record` and `heddle check`: starts it,
 * forwards signals, collects its log, detects a hang, and waits for its end.
 *
 * The terminal sends signals to the whole process group: the program has received them, and heddle
 * continues to finish the trace. A signal that is sent to heddle alone is forwarded to the program.
 */
#ifndef HEDDLE_CLI_TARGET_H
#define HEDDLE_CLI_TARGET_H

#include "base/strbuf.h"
#include "cli/recording.h"

enum target_end {
	TARGET_ENDED,   /* by itself */
	TARGET_HUNG,    /* all its threads waited for each other, so it was killed */
	TARGET_TIMEOUT, /* it was killed after its time limit */
	TARGET_CUT,     /* it was killed because the time of the command was used up */
};

struct target_options {
	bool watch;     /* kill the program when it hangs */
	double seconds; /* time limit, after which the program is killed; 0: none */
	double until;   /* end of the time of the command, in clock_seconds(); 0: none */
	bool with_us;   /* the kernel kills the program when heddle ends */
};

/* Runs the program and collects its log. *status: that of waitpid(). -1 after error_() if the
 * program could not be started, and then the recording is released. */
int target_run(struct recording *r, char **argv, const struct target_options *opt, int *status,
	enum target_end *end);
/* Restores heddle's own signal handling, after the last run. */
void target_signals_back(void);
/* "program exited with 3", "program was killed by SIGSEGV" */
void target_fate(struct strbuf *b, int status);

#endif
