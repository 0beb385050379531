/*
 * Several runs of one program in one model (Fusion, §8). A thread that took different paths in
 * different runs has each of them as an *alternative*: a ctp_thread of its own, in one `group` with
 * the others. A linearization executes at most one alternative of each group; the φ-functions of
 * the paper express that choice. A path that a thread took in two runs is in the model once.
 *
 * The runs must have been extracted into one table of terms (extract_options.ts) with the same
 * shared bytes (extract_options.also), and with the same addresses. A run that does not fit (its
 * memory lies elsewhere, more threads use a barrier than it waits for, another thread runs the
 * routine of a once) is left out, with a sentence in limits. A thread that was cut off and whose
 * events are a prefix of a path in the model is that path.
 *
 * The observed order is that of the first run; the other runs' events are not in it.
 */
#ifndef HEDDLE_CTP_MERGE_H
#define HEDDLE_CTP_MERGE_H

#include "base/vec.h"
#include "ctp/ctp.h"

/*
 * Finds the bytes that all runs must treat as shared: two threads access them, one of them with a
 * write, in one run or in different runs. Each run is extracted once with extract_options.every and
 * added; after merge_uses_join(), `shared` has the ranges for extract_options.also. Overlapping
 * cells of several runs count together.
 */
struct merge_use { /* accesses of one cell by one thread */
	uint64_t addr, size, thread; /* thread: ctp_thread_name() */
	bool write;
};
struct merge_uses {
	VEC(struct merge_use) at;
	VEC(struct ctp_range) shared;
};
void merge_uses_add(struct merge_uses *u, const struct ctp *c);
void merge_uses_join(struct merge_uses *u);
void merge_uses_release(struct merge_uses *u);

/* Begins a model of several runs: a copy of the first, without its limits. The run owns terms,
 * trace and synchronization, and must outlive the model. ctp_finish() ends the building. */
struct ctp *ctp_merge_base(const struct ctp *run);
/* Adds the runs to `into`, which is not finished. The caller owns the runs; they must live as long
 * as `into`. Returns how many were added; taken[i], if taken is not NULL: whether run i was. Linear
 * in the number of all events, except for the comparison of paths. */
uint32_t ctp_merge(
	struct ctp *into, const struct ctp *const *runs, uint32_t n, bool *taken);

#endif
