/*
 * Runs a test case (finding/testcase.h) on the real program.
 *
 *	rehearse()    executes it on the machine: gives the schedule             rehearse.c
 *	native_run()  runs the enforce image with this schedule and the inputs   trial_native.c
 *	judge()       decides by kind of fault what the run showed               trial_judge.c
 *	trial_run()   does all three and gives the verdict                       trial.c
 *
 * A verdict relies only on what was seen. A fault that neither the processor nor the runtime
 * detects is *machine only*: the machine reports it, the program continues. It is not confirmed.
 */
#ifndef HEDDLE_REPLAY_TRIAL_H
#define HEDDLE_REPLAY_TRIAL_H

#include "base/strbuf.h"
#include "finding/testcase.h"
#include "facts/plan.h"

/* X(ID, word) */
#define TRIAL_VERDICTS(X)                                                                          \
	X(SAME, "same")           /* the outcome is that of the test case */                       \
	X(MACHINE_ONLY, "machine only") /* seen on the machine; the program shows no sign of it */ \
	X(GONE, "gone")           /* the test case fails, the program does not */                  \
	X(DIFFERENT, "different") /* another outcome */                                            \
	X(DIVERGED, "diverged")   /* the replay left the schedule */                               \
	X(UNKNOWN, "unknown")     /* not run, or the run did not end by itself */
enum trial_verdict {
#define X(id, word) TRIAL_##id,
	TRIAL_VERDICTS(X)
#undef X
		TRIAL_NVERDICTS
};
extern const char *const trial_words[TRIAL_NVERDICTS];

struct trial_program {
	char *exe;
	struct ir_program *p;   /* the program with the models linked in */
	struct ir_program *own; /* the program without models */
	struct plan *plan;      /* of own */
	uint64_t identity;      /* hash of the bitcode, as testcase.identity */
	char *image;            /* path of the enforce image; NULL until the first native run */
};
/* Takes ownership of p and own, also on failure. -1 after error_(). */
int trial_program_init(
	struct trial_program *tp, const char *exe, struct ir_program *p, struct ir_program *own);
void trial_program_release(struct trial_program *tp);

struct trial_options {
	bool machine;     /* run on the machine only */
	bool native;      /* run the real program only, with the runtime's default schedule */
	bool write_files; /* the program changes the real files, not private copies */
	bool show;        /* print the program's output */
	const char *keep; /* not NULL: directory that keeps input, output and files of the run;
			     NULL: a temporary directory, which is removed */
	double seconds;   /* time limit of one run; 0 = 60 */
};

struct trial_result {
	enum trial_verdict verdict;
	bool failed; /* the real program failed; with opt.machine: the machine reported a failure */
	struct strbuf
		what; /* half a sentence: what happened, and what was expected if that differs */
	struct strbuf notes; /* further remarks, lines that end in a newline */
	uint32_t moves;      /* number of segments of the schedule */
	double seconds;      /* duration of rehearsal and run */
};
/* Runs the test case. -1 after error_(): it could not be run, and there is nothing to release. */
int trial_run(const struct testcase *tc, struct trial_program *tp, const struct trial_options *opt,
	struct trial_result *res);
void trial_result_release(struct trial_result *res);

#endif
