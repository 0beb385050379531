/*
 * Synchronization-preserving slices: PrecondSlice() of paper 000 (3.2, Figure 3; Costa et al. 2007).
 * From the trace of one path, the statements that may affect which synchronization operations its
 * threads execute. The conditions that were decided by statements of the slice are a precondition of
 * the schedule: every input that satisfies them leads to the same operations.
 *
 * The trace is read backwards, with the registers and the memory that are *live*: read by a later
 * statement of the slice, and not yet found to be written. A statement is in the slice if
 *  - it synchronizes, or ends the process
 *  - it writes something live
 *  - it is a call, and the slice has statements of the called function
 *  - it is a branch, and (a) the next statement of the slice in its function need not be reached if it
 *    goes another way, or (b) another way may write something live, or (c) may synchronize (between.h)
 * Liveness of memory is shared by the threads, because the schedule orders their accesses; control
 * flow is looked at for each thread alone. The program must not have data races.
 *
 * Registers and known addresses are exact. An access whose address is a term reads and writes
 * anything in its object: it makes the whole object live and never ends the life of memory.
 */
#ifndef HEDDLE_COVER_SLICE_H
#define HEDDLE_COVER_SLICE_H

#include "base/bitset.h"
#include "base/vec.h"
#include "cover/path.h"

struct slice {
	struct bitset steps;    /* of path.steps */
	VEC(term_t) conditions; /* of the decisions of these steps, in the order of the path */
	uint32_t nsteps;
};

void slice_compute(const struct cover_facts *facts, const struct path *p, struct slice *out);
/* Whether the decision was made by a statement of the slice. */
bool slice_has_decision(
	const struct slice *s, const struct path *p, const struct trace_decision *d);
void slice_release(struct slice *s);

#endif
