/*
 * The innermost activation of a function that contains two events of a thread, and whether one
 * event decides there about the other (control dependence). Activations come from call stacks;
 * without these, two events have an activation in common only if both are in the same function.
 *
 * Call stacks do not distinguish two calls from one place: such activations count as the same.
 *
 * Lifetime: heap, activations_release().
 */
#ifndef HEDDLE_PREDICT_ACTIVATION_H
#define HEDDLE_PREDICT_ACTIVATION_H

#include "base/map.h"
#include "base/vec.h"
#include "ctp/ctp.h"

struct activations {
	const struct ctp *c;
	struct map control;    /* function -> struct control * */
	struct vec_u32 stream; /* by thread of the program: its index in the trace */
};

struct meeting {
	uint32_t func;
	uint32_t insn_a,
		insn_b; /* in func: the event's own instruction, or the call that leads to it */
	uint32_t depth_a, depth_b; /* calls from there to the event */
};

void activations_init(struct activations *ac, const struct ctp *c);
void activations_release(struct activations *ac);
/* false: no known activation contains both */
bool activations_meet(struct activations *ac, uint32_t a, uint32_t b, struct meeting *out);
/* The branch at event g, in the function where both meet, decides whether e is reached (control
 * dependence, also through other branches). */
bool activations_controls(struct activations *ac, uint32_t g, uint32_t e);
/* The same without the stack of g: the innermost activation of g's function that contains e is
 * assumed to be g's. `at`, in that function: e's instruction, or the call that leads to it. */
bool activations_leads(struct activations *ac, uint32_t g, uint32_t e, uint32_t *at);
/* The branch at event g is in a function that the meeting of `first` and e calls before e, and that
 * contains `first`. The branch decides what the function returns, and the result decides whether e
 * is reached: `if (is_free()) take();`. */
bool activations_answers(struct activations *ac, uint32_t first, uint32_t g, uint32_t e);

#endif
