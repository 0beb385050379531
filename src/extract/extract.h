/*
 * Makes the concurrent trace program (ctp.h) of a trace: re-executes every thread in the careful
 * mode with a shadow for each register and each byte of memory. A shadow is a term; a value without
 * a shadow is the same in every linearization.
 *
 *  - a value that is read from a shared cell is a symbol; memory of one thread has shadows
 *  - a branch whose condition has a shadow is a guard; ASSERT if the other edge leads to a
 *    failure
 *  - an address with a shadow is fixed to its recorded value by a DEREF guard
 *  - floating point, operations without a term, and native calls fix their operands (FIX), except
 *    where the callee only prints and its result is not used
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_H
#define HEDDLE_EXTRACT_EXTRACT_H

#include "ctp/ctp.h"
#include "trace/collect.h"
#include "trace/trace.h"

struct spins;

struct extract_options {
	struct terms *ts; /* table for the terms; NULL: the program gets its own */
	/* bytes that count as shared if any thread accesses them, with cells that end where these
	 * ranges end: so that several runs have the same cells (merge.h) */
	const struct ctp_range *also;
	uint32_t nalso;
	bool every; /* all bytes that are accessed after the first creation count as shared */
	/* start arguments and results of threads are cells too, and all heap blocks have ALLOC and
	 * FREE events: so that the paths of one run can be combined with those of another
	 * (merge.h). An observed order that is not exact adds no limit */
	bool merge;
	/* rounds of waiting loops are removed (stutter.h). spins: of the trace's program, to use
	 * them for several runs; NULL: found for this call */
	bool reduce;
	struct spins *spins;
	uint32_t jobs;       /* threads of the fast pass */
	uint64_t max_events; /* accesses to shared cells, divided evenly among the threads; the rest
				of the run is cut off, with a sentence in ctp.limits; 0 = 4
				million */
};

/* NULL after error_(). The trace must outlive the result, which owns the collected
 * synchronization. */
const struct ctp *extract(struct trace *t, const struct extract_options *opt);

#endif
