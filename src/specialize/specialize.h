/*
 * Control-flow specialization: a program whose threads can only do the synchronizations of one
 * schedule, in its order. After Wu, Tang, Hu, Cui, Yang, "Sound and Precise Analysis of Parallel
 * Programs through Schedule Specialization" (PLDI 2012), section 5.1, Algorithm 1.
 *
 *  - a synchronization is true (a call of a library function that synchronizes) or derived (a call of
 *    a function that may synchronize). With the derived ones each synchronization has exactly one
 *    call stack (Figure 5b), so a schedule is a tree of frames for each thread
 *  - each frame becomes a function of its own: one copy of each segment, the part of the CFG between
 *    two synchronizations that follow one another in the frame. The segments are joined at the
 *    synchronizations, so these follow one another in a line (Figure 6)
 *  - a segment is a set of nodes and of edges: an edge out of a synchronization belongs to the
 *    next one (Figure 7)
 *  - a derived synchronization calls the copy for its frame; the creation of a thread starts the copy
 *    for the thread's outermost frame. Where the function comes from a pointer, the copy is called if
 *    the pointer has the address of the schedule's function, else what it points to
 *  - an edge on which the schedule cannot be continued leads to a trap: a run for whose input the
 *    schedule does not hold stops there
 *  - a function that does not synchronize stays as it is
 *
 * The result is as large as the schedule: each frame is a copy, each segment has the size of its
 * part of the function at most.
 *
 * Registers: a segment repeats parts of the CFG, so a register of the original has several
 * definitions in a copy. Uses get the one that reaches them, through copies on edges where several
 * do (Braun et al., "Simple and Efficient Construction of Static Single Assignment Form", CC 2013).
 */
#ifndef HEDDLE_SPECIALIZE_SPECIALIZE_H
#define HEDDLE_SPECIALIZE_SPECIALIZE_H

#include "base/base.h"
#include "base/vec.h"
#include "ir/ir.h"

struct spec_sync {
	uint32_t insn;  /* in the function of the frame: a call, or an operation of its own */
	uint32_t frame; /* derived: the frame of the callee; IR_NONE: a true synchronization */
	uint32_t
		thread; /* creates that thread; IR_NONE: none, or one that is not in the schedule */
	uint32_t start; /* of a creation: number of the argument that is the thread's function */
};

struct spec_frame {
	uint32_t func;
	bool returns;                /* false: the thread or the process ends inside */
	VEC(struct spec_sync) syncs; /* in the order of execution */
};

/* Lifetime: heap, spec_schedule_release(). */
struct spec_schedule {
	VEC(struct spec_frame) frames;
	VEC(uint32_t)
	threads; /* the outermost frame of each, or IR_NONE; 0 is the main thread,
				  whose function is main */
};

/* Whether the instruction, which is no terminator, is a synchronization, true or derived. */
typedef bool (*spec_is_sync)(void *ctx, uint32_t func, uint32_t insn);

/* Adds the copies to the program, which the caller owns: main is then the copy of the main thread's
 * frame, and the original is renamed. -1 after error_at(): the schedule is none of the program. The
 * program can then only be freed. */
FOR_TESTS int specialize_program(
	struct ir_program *p, const struct spec_schedule *s, spec_is_sync is_sync, void *ctx);

FOR_TESTS void spec_schedule_release(struct spec_schedule *s);

#endif
