/*
 * Runs of the machine held against what context.h says of the places that they pass. Contexts are
 * taken from a first run, at random moments: the stacks of some of its threads as they are then. In
 * further runs, whenever threads stand like that, every fact must hold of the machine's state:
 * there must be values for the symbols. A symbol that stands for an address or a register has the
 * machine's; one that is what a register or a place of memory holds is bound to that first; facts
 * with other symbols in them are not looked at.
 */
#ifndef HEDDLE_TESTS_CONTEXT_WATCH_H
#define HEDDLE_TESTS_CONTEXT_WATCH_H

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "context/context.h"
#include "machine/exec.h"

struct watched { /* one context */
	struct vec_context_thread threads;
	struct context *c;
	uint32_t passed;
};

struct context_watch {
	const struct ir_program *p;
	const struct points_to *pt;
	struct terms *ts;
	VEC(struct watched *) contexts;
	struct map at; /* func << 32 | insn of the first thread's place -> contexts, chained */
	struct vec_u32 next; /* by context */
	VEC(uint64_t) locks; /* addresses that were locked once */
	uint64_t rng;
	uint32_t wanted; /* contexts still to be taken */
	uint32_t every;  /* one instruction in that many */
	bool taking;
	struct context_options opt;
	void (*spoil)(struct context *c);          /* for tests of this test */
	uint64_t passed, checked, skipped, missed; /* contexts; facts */
	uint64_t known;                            /* registers that are no symbols of their own */
	uint64_t facts, holds, must, may, counts;  /* as many were checked */
	struct strbuf misses;
};

void context_watch_init(struct context_watch *w, const struct ir_program *p,
	const struct points_to *pt, uint64_t seed);
/* Takes up to n contexts from a run. */
enum exec_fate context_watch_take(struct context_watch *w, uint64_t seed, uint32_t n,
	uint32_t every, uint64_t max_instructions);
/* A context of the test's own. */
void context_watch_add(struct context_watch *w, const char *places);
/* Another run, checked. */
enum exec_fate context_watch_run(struct context_watch *w, uint64_t seed, uint64_t max_instructions);
void context_watch_release(struct context_watch *w);

#endif
