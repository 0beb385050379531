/*
 * A rehearsal: the execution of a test case on the machine, with concrete inputs and the test's
 * choices of threads. It gives the outcome on the machine and the schedule for the real program.
 * Lifetime: heap, rehearsal_release().
 */
#ifndef HEDDLE_REPLAY_REHEARSE_H
#define HEDDLE_REPLAY_REHEARSE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding.h"
#include "machine/exec.h"
#include "facts/plan.h"
#include "image/image.h"

struct test_program {
	char *exe;
	struct ir_program *p;   /* the program with the models linked in */
	struct ir_program *own; /* the program without models */
	struct plan *plan;      /* of own */
	uint64_t identity;      /* hash of the bitcode, as testcase.identity */
	struct image_file image; /* the enforce image; empty until the first native run */
};
/* Takes ownership of p and own, also on failure. -1 after error_(). */
int test_program_init(
	struct test_program *tp, const char *exe, struct ir_program *p, struct ir_program *own);
void test_program_release(struct test_program *tp);

struct rehearsal {
	struct exec_result res;
	struct finding_place place; /* of a fault: innermost frame outside of the models */
	uint32_t thread;            /* the thread that ran last */
	VEC(uint64_t) counts;       /* by thread: scheduling points that it passed */
	struct strbuf output;       /* bytes written to descriptor 1 */
	char *trouble;              /* the first choice that was impossible; NULL: none */
};

/* Executes the test case of f and replaces the schedule of f: threads, moves, goal, and as steps the
 * places at which threads stop. -1 after error_(). */
int rehearse(struct rehearsal *r, struct finding *f, const struct test_program *tp);
void rehearsal_release(struct rehearsal *r);
/* Whether the outcome on the machine is that of the test case. */
bool rehearsal_agrees(const struct rehearsal *r, const struct testcase *tc);
/* Replaces the schedule of f (threads, steps, moves, goal) by the one of `schedule`, which is freed. */
void schedule_replace(struct finding *f, struct finding *schedule);

#endif
