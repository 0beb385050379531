/*
 * From a trace to its concurrent trace program (ctp.h): every thread is re-executed once more in the
 * careful mode, with a shadow beside each register and each byte of memory: a term, or nothing where
 * the value is the same in every linearization.
 *
 *  - what is read from a shared cell is a symbol; the rest of the thread's own memory has shadows
 *  - a branch whose condition has a shadow is a guard; ASSERT if the other way ends in a failure
 *  - an address with a shadow is fixed to its recorded value by a DEREF guard
 *  - floating point, operations without a term, and native calls fix their operands (FIX), except
 *    where the callee only prints and its result is not used
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_H
#define HEDDLE_EXTRACT_EXTRACT_H

#include "extract/ctp.h"
#include "trace/collect.h"
#include "trace/trace.h"

struct extract_range {
	uint64_t addr, size;
};

struct extract_options {
	struct terms *ts; /* where to make terms; NULL: a table of its own */
	/* bytes that count as shared whoever touches them in this run, cut at these ends too: so that
	 * several runs have the same cells (merge.h) */
	const struct extract_range *also;
	uint32_t nalso;
	bool every; /* all bytes count as shared that a thread may see of another */
	/* what a thread was started with and what it returned are cells too, and all blocks have their
	 * events: so that the paths of one run fit to those of another (merge.h). No sentence says so if the
	 * order is not exact */
	bool merge;
	uint32_t jobs;
	uint64_t max_events; /* of accesses to shared cells; more are cut off at the end of the run,
				and said so in ctp.limits; 0 = 4 million */
};

/* NULL after error_(). The trace must outlive it; the collected synchronization belongs to it. */
struct ctp *extract(struct trace *t, const struct extract_options *opt);

#endif
