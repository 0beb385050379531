/*
 * Two accesses of two threads that no chunk of a recorded run contains (partition.h): what the later
 * one's thread did before it depends on what the other thread did after the earlier one. Another
 * order may do without: the *plan* of the pair stops the thread of the earlier access before it and
 * lets the other thread, and the threads whose synchronization it needs, go on until it stands before
 * the later access. Data that the stopped thread would have written is left out, so that the plan is
 * an attempt: only a run of the program shows whether the threads get there.
 *
 * Lifetime: heap, far_pair_release().
 */
#ifndef HEDDLE_EXTRACT_FAR_PAIR_H
#define HEDDLE_EXTRACT_FAR_PAIR_H

#include "base/vec.h"
#include "ctp/ctp.h"

struct past_tables;
struct ix;

struct far_pair {
	uint64_t thread[2];         /* names (ctp_thread_name()) */
	uint64_t point[2];          /* scheduling points of the accesses */
	uint32_t place[2];          /* of the accesses, as in struct ix_entry */
	uint64_t key;               /* of the two places, for the chooser of chunks */
	VEC(struct ctp_move) moves; /* segments of the plan; threads as numbered in the run */
};

/* Makes the plan for entry a of thread t and entry b of thread u. False: synchronization does not
 * let one of them wait for the other. */
bool far_pair_plan(const struct past_tables *p, uint32_t t, uint32_t a, uint32_t u, uint32_t b,
	struct far_pair *out);
void far_pair_release(struct far_pair *f);
/* Finds the two accesses in another run of the program. False: it does not have them. */
bool far_pair_find(
	const struct ix *ix, const struct far_pair *f, uint32_t thread[2], uint32_t pos[2]);

#endif
