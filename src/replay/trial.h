/*
 * A test case (finding/testcase.h) on the real program.
 *
 *	rehearse()    on the machine, concretely: the moves of its schedule      rehearse.c
 *	native_run()  the enforce image under these moves, with the inputs       native.c
 *	judge()       what of it can be seen, by kind of fault                   judge.c
 *	trial_run()   all of them, and the verdict                               trial.c
 *
 * A verdict says no more than what was seen. A fault that neither the processor nor the runtime
 * notices is *machine only*: the machine has it, the program went on. It is not confirmed.
 */
#ifndef HEDDLE_REPLAY_TRIAL_H
#define HEDDLE_REPLAY_TRIAL_H

#include "base/strbuf.h"
#include "finding/testcase.h"
#include "facts/plan.h"

/* VERDICT(ID, word) */
#define TRIAL_VERDICTS(X)                                                                          \
	X(SAME, "same")           /* it did what the test says */                                  \
	X(MACHINE_ONLY, "machine only") /* seen on the machine; the program shows no sign of it */ \
	X(GONE, "gone")           /* the test says that it fails, and it does not */               \
	X(DIFFERENT, "different") /* it did something else */                                      \
	X(DIVERGED, "diverged")   /* the schedule could not be followed */                         \
	X(UNKNOWN, "unknown")     /* nobody could tell */
enum trial_verdict {
#define X(id, word) TRIAL_##id,
	TRIAL_VERDICTS(X)
#undef X
		TRIAL_NVERDICTS
};
extern const char *const trial_words[TRIAL_NVERDICTS];

struct trial_program {
	char *exe;
	struct ir_program *p;   /* with models */
	struct ir_program *own; /* without */
	struct plan *plan;      /* of own */
	uint64_t identity;
	char *image; /* enforcing; NULL until it is needed */
};
/* Takes the two programs, after -1 too. */
int trial_program_init(
	struct trial_program *tp, const char *exe, struct ir_program *p, struct ir_program *own);
void trial_program_release(struct trial_program *tp);

struct trial_options {
	bool machine;     /* only on the machine */
	bool native;      /* only the program: its threads in an order of the runtime's */
	bool write_files; /* what the program does to files, it does to them */
	bool show;        /* its output too */
	const char *keep; /* not NULL: a directory for its input, output and files; else they are
			     removed */
	double seconds;   /* for one run; 0 = 60 */
};

struct trial_result {
	enum trial_verdict verdict;
	bool failed; /* the program failed, or the machine where that is all that was asked for */
	struct strbuf
		what; /* half a sentence: what happened, and what was expected if it is not that */
	struct strbuf notes; /* lines, each with its end: what else one should know */
	uint32_t moves;      /* of the schedule */
	double seconds;
};
/* -1 after error_(): it could not be run. */
int trial_run(const struct testcase *tc, struct trial_program *tp, const struct trial_options *opt,
	struct trial_result *res);
void trial_result_release(struct trial_result *res);

#endif
