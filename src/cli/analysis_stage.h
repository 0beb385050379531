/*
 * A stage of an analysis: a process (base/supervise.h) that works on a copy of the analysis and
 * sends findings, gaps and counts to the command, which stores and reports them. A finding is sent
 * before its replay, too, so that it is not lost if the stage is killed meanwhile.
 */
#ifndef HEDDLE_CLI_ANALYSIS_STAGE_H
#define HEDDLE_CLI_ANALYSIS_STAGE_H

#include "base/supervise.h"
#include "cli/analysis.h"

struct stage_writer { /* the end of the pipe in a stage */
	int fd;
};

struct analysis_stage {
	const char
		*doing; /* for messages: "the recording", "the prediction from the recorded run" */
	/* in the stage; -1 after error_() */
	int (*work)(struct analysis *c, void *ctx);
	void *ctx;
	double until;               /* end of its time, in clock_seconds() */
	bool forwards;              /* as in struct supervised */
	struct recorded_runs *runs; /* of the recording: gets the runs; else NULL */
	/* results */
	enum stage_end end;
	bool returned; /* work() returned; else the analysis has a gap that says why not */
};

/* Runs the stage. Adds its results to c, and returns the result of work(). If the stage was killed
 * or died, the result is 0, and *why is the reason, a sentence to free; else *why is NULL. */
int analysis_stage_run(struct analysis *c, struct analysis_stage *s, char **why);

/* In a stage. f: NULL takes back the pending finding. */
void stage_send_finding(const struct stage_writer *w, const struct finding *f, bool pending);
void stage_send_gap(const struct stage_writer *w, const char *sentence);
void stage_send_counts(const struct stage_writer *w, const struct analysis_counts *n);
void stage_send_deep(const struct stage_writer *w, const struct deep_stats *d);
void stage_send_explored(const struct stage_writer *w, const struct explored_stats *e);
void stage_send_run(const struct stage_writer *w, const char *dir, enum observed_end end);

#endif
