/*
 * Runs a test case (finding/testcase.h), as a finding that has it, on the real program.
 *
 *	rehearse()      executes it on the machine: gives the schedule             rehearse.c
 *	replay_run()    runs the enforce image with this schedule and the inputs   run.c
 *	replay_judge()  decides by the sign of its fault what the run showed       judge.c
 *	test_run()      does all three and gives the verdict                       test_run.c
 *
 * A verdict relies only on what was seen. A fault that neither the processor nor the runtime
 * detects is *machine only*: the machine reports it, the program continues. It is not confirmed.
 */
#ifndef HEDDLE_REPLAY_TEST_RUN_H
#define HEDDLE_REPLAY_TEST_RUN_H

#include "base/strbuf.h"
#include "finding/finding.h"
#include "finding/testcase.h"
#include "replay/rehearse.h"

/* X(ID, word) */
#define TEST_VERDICTS(X)                                                                          \
	X(SAME, "same")           /* the outcome is that of the test case */                       \
	X(MACHINE_ONLY, "machine only") /* seen on the machine; the program shows no sign of it */ \
	X(GONE, "gone")           /* the test case fails, the program does not */                  \
	X(DIFFERENT, "different") /* another outcome */                                            \
	X(DIVERGED, "diverged")   /* the replay left the schedule */                               \
	X(UNKNOWN, "unknown")     /* not run, or the run did not end by itself */
enum test_verdict {
#define X(id, word) TEST_##id,
	TEST_VERDICTS(X)
#undef X
		TEST_NVERDICTS
};
extern const char *const test_verdict_words[TEST_NVERDICTS];

struct test_options {
	bool machine;     /* run on the machine only */
	bool native;      /* run the real program only, with the runtime's default schedule */
	bool write_files; /* the program changes the real files, not private copies */
	bool show;        /* print the program's output */
	const char *keep; /* not NULL: directory that keeps input, output and files of the run;
			     NULL: a temporary directory, which is removed */
	double seconds;   /* time limit of one run; 0 = 60 */
};

struct test_result {
	enum test_verdict verdict;
	bool failed; /* the real program failed; with opt.machine: the machine reported a failure */
	struct strbuf
		what; /* half a sentence: what happened, and what was expected if that differs */
	struct strbuf notes; /* further remarks, lines that end in a newline */
	uint64_t hash;       /* of the events of the run; 0: it was not run */
	double seconds;      /* duration of rehearsal and run */
};
/* Runs the test case of f, and replaces the schedule of f by the one of the rehearsal; f has no
 * schedule if the machine did not show the outcome of the test case. -1 after error_(): it could not
 * be run, and there is nothing to release. */
int test_run(struct finding *f, struct test_program *tp, const struct test_options *opt,
	struct test_result *res);
void test_result_release(struct test_result *res);

#endif
