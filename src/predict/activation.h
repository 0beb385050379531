/*
 * Where two events of a thread meet in the program: the innermost activation of a function that
 * both belong to, and whether one decides there about the other. From call stacks; where these are
 * not known, events meet only in the function that both stand in.
 *
 * Call stacks do not tell two calls from one place apart: "the same activation" is then one of two
 * that follow each other.
 *
 * Lifetime: heap, activations_release().
 */
#ifndef HEDDLE_PREDICT_ACTIVATION_H
#define HEDDLE_PREDICT_ACTIVATION_H

#include "extract/ctp.h"

struct activations {
	const struct ctp *c;
	struct map control;    /* function -> struct control * */
	struct vec_u32 stream; /* by thread of the program: its index in the trace */
};

struct meeting {
	uint32_t func;
	uint32_t insn_a, insn_b;   /* there: the event's own, or the call that leads to it */
	uint32_t depth_a, depth_b; /* calls from there to the event */
};

void activations_init(struct activations *ac, const struct ctp *c);
void activations_release(struct activations *ac);
/* false: they have no activation in common that is known */
bool activations_meet(struct activations *ac, uint32_t a, uint32_t b, struct meeting *out);
/* The branch at event g, in the function where both meet, decides whether e is reached
 * (control dependence, through other branches too). */
bool activations_controls(struct activations *ac, uint32_t g, uint32_t e);
/* The same if the stack of g is not known: of the activations that e belongs to, the innermost one of
 * g's function is taken for g's. `at`, in that function: e's instruction, or the call that leads to
 * it. */
bool activations_leads(struct activations *ac, uint32_t g, uint32_t e, uint32_t *at);

#endif
