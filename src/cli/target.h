/*
 * The program under recording as a process: started, signals forwarded, its log collected, watched
 * for a hang, waited for. `heddle record` and `heddle check` have it in common.
 *
 * What the terminal sends goes to the whole process group: the program has it already, and heddle
 * stays to finish the trace. What somebody sends to heddle alone is meant for the program.
 */
#ifndef HEDDLE_CLI_TARGET_H
#define HEDDLE_CLI_TARGET_H

#include "base/strbuf.h"
#include "cli/recording.h"

enum target_end {
	TARGET_ENDED,   /* by itself */
	TARGET_HUNG,    /* all its threads waited for each other: it was killed */
	TARGET_TIMEOUT, /* it was killed when its time was over */
};

struct target_options {
	bool watch;     /* end it when it hangs */
	double seconds; /* end it after that time; 0 = never */
	bool with_us;   /* it is killed if heddle is */
};

/* 0, or -1 after error_(): it could not be started, and the recording is gone. status: of waitpid().
 */
int target_run(struct recording *r, char **argv, const struct target_options *opt, int *status,
	enum target_end *end);
/* Signals are heddle's own again: after the last run. */
void target_signals_back(void);
/* "program exited with 3", "program was killed by SIGSEGV" */
void target_fate(struct strbuf *b, int status);

#endif
