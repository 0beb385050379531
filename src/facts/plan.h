/*
 * What recording logs, instruction by instruction: the agreement between the image that is
 * instrumented (src/build) and the re-execution of its trace (src/trace). Both compute it from the
 * same bitcode and the same options; plan.hash tells whether they got the same. log/format.h has the
 * bytes, docs/trace.md the story.
 *
 * A *segment* is a run of instructions of one block without a break. Breaks are the calls that are
 * not CALL_PURE, and bulk copies of unknown or large length; a break is the last instruction of its
 * segment. One that would need more room than half a chunk also ends before an instruction without a
 * break. Space for all values of a segment is reserved at its start, and the values lie in the log
 * in the order of the instructions. The results of a breaking call are the first values of the next
 * segment of its block (there always is one: a call is not a terminator).
 *
 * A load is not logged, and its memory is kept by the re-execution instead, when everything it may
 * read is
 *  - thread-local (facts/escape.h), and no code outside the program can reach it, or
 *  - constant, or
 *  - written only before the first thread is started or the first signal handler is set: by code
 *    outside never, by the program only in its *early* phase (phase.h)
 * What late code may free is an event even if its contents are known: it may be used after that.
 * In early code itself only what code outside may have written is logged, and nothing is an event:
 * there is nobody else. Early memory of the main thread, as it is at its first call with PLAN_F_LATE,
 * is what all others see of it.
 *
 * Of a variable of which only loads, stores, block operations of constant length and lifetime marks
 * use the address, or one a constant away from it, and all of them stay inside (*private* below), not
 * even the address is logged.
 *
 * Lifetime: heap, plan_free(). The program and its points-to analysis must outlive it.
 */
#ifndef HEDDLE_FACTS_PLAN_H
#define HEDDLE_FACTS_PLAN_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "facts/points_to.h"
#include "ir/live.h"

enum plan_what { /* what an instruction puts into the log */
	PLAN_NOTHING,
	PLAN_VALUES, /* its results, each ir_type_bytes() long: loads, atomics, allocas that are not
	                private (their address), calls that leave traced code, asm, frameaddr, cycles,
	                stacksave */
	PLAN_BYTES,  /* plan_insn.bytes bytes read by a block copy (its source), at most PLAN_INLINE */
	PLAN_BULK,   /* as many bytes as the operand says, read by a block copy; a break */
	PLAN_VA,     /* 24 bytes: the va_list that va_start or va_copy wrote */
};
enum { PLAN_INLINE = 64 };

enum { /* plan_insn.flags */
	PLAN_F_EVENT = 1 << 0,  /* an access that other threads may see: its address is hashed. For a
	                           block copy (both addresses): first the source, then the destination */
	PLAN_F_BREAK = 1 << 1,  /* ends its segment */
	PLAN_F_PRIVATE = 1 << 2, /* alloca: private; load, store, bulk: of a private variable only */
	PLAN_F_READ = 1 << 3,   /* bulk with PLAN_F_EVENT: the source is an event */
	PLAN_F_WRITE = 1 << 4,  /* bulk with PLAN_F_EVENT: the destination is an event */
	PLAN_F_LATE = 1 << 5,   /* call: the early phase ends here, if it has not ended before */
};

enum plan_call { /* of call instructions */
	CALL_NONE,
	CALL_TRACED,   /* a traced function of the program, directly */
	CALL_INDIRECT, /* through a pointer: traced or not is seen at run time. A wrapper of
	                  log/sync.def ends as CALL_SYNC does. What is not traced ends with LOG_RETURN,
	                  and the bytes of its results follow at once: they are in no segment */
	CALL_SYNC,     /* a function of log/sync.def: its wrapper logs; its result is in the record */
	CALL_SETJMP,   /* LOG_SETJMP or LOG_JUMP */
	CALL_LONGJMP,  /* does not come back: LOG_JUMP */
	CALL_PURE,     /* native, writes no memory, calls nothing back, is no cancellation point: only
	                  its result is logged, and the segment goes on */
	CALL_EFFECT,   /* native with known effects: LOG_RETURN with items; plan_insn.effect */
	CALL_UNKNOWN,  /* native, anything may happen to what it can reach: LOG_RETURN */
};

struct plan_insn {
	uint8_t what, flags;
	uint8_t call;    /* enum plan_call */
	uint8_t order;   /* k of LOG_HASH_COEF: hashed addresses of the segment before it */
	uint16_t effect; /* CALL_EFFECT: number in log/effects.def */
	uint32_t bytes;  /* put into the segment's reservation by this instruction; for the results of
	                    a breaking call: into the next segment's */
};

struct plan_segment {
	uint32_t first, n; /* instructions */
	uint32_t bytes;    /* reserved at its start */
};

struct plan_func {
	bool traced;      /* has a body that no native object may replace, and is not excluded */
	bool thunk;       /* can be entered from code that is not traced: by its address, or its name */
	struct plan_insn *insn;       /* by instruction */
	struct plan_segment *segment; /* by rising first */
	uint32_t nsegments;
	uint32_t *block_hash; /* by block: the constant that entering it adds; 0 = nothing is hashed:
	                         it has one predecessor, which ends in a plain jump, or in a branch
	                         whose other target has a constant */
	uint32_t entry_bytes; /* logged at entry, before the first segment, in a reservation of its own:
	                         for every parameter with byval its address (8 bytes) and its bytes.
	                         May be more than a chunk holds */
};

struct plan_options {
	bool whole; /* nothing is left out and nothing is private: every load, every alloca. Then a
	               stream can be read from the middle */
	const char *const *exclude; /* glob patterns of what is not traced, NULL at the end: of functions;
	                               with a slash or a dot, of the source files they stand in */
};

struct plan {
	const struct ir_program *p;
	struct points_to *pt; /* of this plan: excluded functions count as code outside */
	struct plan_func *funcs; /* by function */
	struct bitset early;     /* functions that run before the first thread is started, only */
	bool whole;              /* plan_options.whole */
	uint64_t hash;           /* over everything that the log depends on */
	uint32_t nloads, nlogged; /* load instructions, and those that log */
	struct arena arena;
};

/* opt may be NULL. `open`: see points_to.h (native objects are part of the program). */
struct plan *plan_new(const struct ir_program *p, const struct plan_options *opt, bool open);
void plan_free(struct plan *pl);

/* The registers that are live before the instruction, or after it (a call: with its results), in rising
 * order: how many. What log/format.h calls the state of a frame. live is of the function. */
uint32_t plan_live(const struct ir_func *f, const struct live *live, uint32_t insn, bool after,
	struct vec_u32 *out);
/* The segment that begins at the instruction, or NULL. */
const struct plan_segment *plan_segment_at(const struct plan_func *f, uint32_t insn);

#endif
