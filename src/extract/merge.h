/*
 * Several runs of one program in one model (Fusion, §8). A thread that took different paths in
 * different runs has each of them as an *alternative*: a ctp_thread of its own, in one `group` with
 * the others. A linearization has at most one alternative of each group; that choice is what φ-functions
 * choose between. Threads that did the same in two runs are there once.
 *
 * The runs must have been extracted into one table of terms (extract_options.ts) with the same shared
 * bytes (extract_options.also), and with the same addresses; where a run does not fit (its memory lies
 * elsewhere, more threads use a barrier than it waits for, another thread runs the routine of a once) it
 * is left out, with a sentence in limits. A thread that was cut off and did no more than what a known one
 * does is that one.
 *
 * The observed order is that of the first run; the other runs' events are not in it.
 */
#ifndef HEDDLE_EXTRACT_MERGE_H
#define HEDDLE_EXTRACT_MERGE_H

#include "base/vec.h"
#include "extract/ctp.h"
#include "extract/extract.h"

/*
 * Bytes that two threads use, one of them writing, be it in different runs, are to be shared in all
 * of them. Each run is extracted once with extract_options.every and added; then `shared` is what
 * extract_options.also wants. Cells of several runs that overlap are shared together.
 */
struct merge_use { /* of one cell by one thread */
	uint64_t addr, size, thread;
	bool write;
};
struct merge_uses {
	VEC(struct merge_use) at;
	VEC(struct extract_range) shared;
};
void merge_uses_add(struct merge_uses *u, const struct ctp *c);
void merge_uses_join(struct merge_uses *u);
void merge_uses_release(struct merge_uses *u);

/* Takes the other runs into the first one, whose model it becomes. They stay the caller's, and must
 * live as long as the first. Returns how many were taken in; taken, if not NULL: which. Linear in
 * the number of events of all, but for paths that are compared. */
uint32_t ctp_merge(struct ctp *into, struct ctp *const *runs, uint32_t n, bool *taken);
/* A copy of a run to merge others into; its terms, trace and history stay the run's. */
struct ctp *ctp_merge_base(const struct ctp *run);

#endif
