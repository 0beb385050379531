/*
 * The plan of recording: which instructions of the program are logged, and how. The instrumentation
 * of an image (src/instrument) and the re-execution of its trace (src/follow) both compute the plan
 * from the same bitcode and the same options; plan.hash shows whether the plans are equal.
 * log/format.h defines the bytes of the log, docs/trace.md describes recording.
 *
 * A *segment* is a sequence of instructions of one block without a break before its last
 * instruction. Breaks are the calls that are not CALL_PURE, and logged block copies of unknown or
 * large length. A segment that would need more than half a chunk of the log is also cut, before the
 * instruction that does not fit. Space for all values of a segment is reserved at its start, and
 * the values are in the log in the order of the instructions. The results of a breaking call are
 * the first values of the next segment of its block. There always is a next segment, because a call
 * is not a terminator.
 *
 * A load is not logged, and the re-execution simulates its memory instead, if all memory that it
 * may read is
 *  - thread-local (facts/escape.h), and not reachable for code outside the program, or
 *  - constant, or
 *  - never written by code outside, and written by the program only in its *early* phase, before
 *    the first thread is started and the first signal handler is set (phase.h)
 * A late access to memory that late code may free is an event even if the contents are known,
 * because it may be a use after free. In early code, only reads of memory that code outside may
 * have written are logged, and no access is an event, because no other thread exists. For all other
 * threads, early memory has the contents that it has in the main thread at its first call with
 * PLAN_F_LATE.
 *
 * A variable is *private* if its address, and addresses at constant offsets from it, are used only
 * by loads, stores, block operations of constant length and lifetime marks, and all these accesses
 * are inside the variable. Not even the address of a private variable is logged.
 *
 * Lifetime: heap, plan_free(). The program must outlive the plan; the plan owns its points-to
 * analysis.
 */
#ifndef HEDDLE_FACTS_PLAN_H
#define HEDDLE_FACTS_PLAN_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/vec.h"
#include "facts/points_to.h"
#include "ir/live.h"

enum plan_what { /* the bytes of an instruction in the log */
	PLAN_NOTHING,
	PLAN_VALUES, /* its results, each ir_type_bytes() long: loads, atomics, allocas that are not
			private (their address), calls that leave traced code, asm, frameaddr,
			cycles, stacksave */
	PLAN_BYTES,  /* the source of a block copy: plan_insn.bytes bytes, at most PLAN_INLINE */
	PLAN_BULK,   /* the source of a block copy: as many bytes as its length operand; a break */
	PLAN_VA,     /* 24 bytes: the va_list that va_start or va_copy wrote */
};
enum { PLAN_INLINE = 64 }; /* bytes */

enum { /* plan_insn.flags */
	PLAN_F_EVENT = 1 << 0,  /* an access to memory that other threads may access: its address is
				   hashed. If both addresses of a block copy are hashed, the source
				   is first */
	PLAN_F_BREAK = 1 << 1,  /* ends its segment */
	PLAN_F_PRIVATE = 1 << 2, /* alloca: of a private variable; load, store, bulk: accesses
				    private variables only */
	PLAN_F_READ = 1 << 3,   /* bulk with PLAN_F_EVENT: the source is an event */
	PLAN_F_WRITE = 1 << 4,  /* bulk with PLAN_F_EVENT: the destination is an event */
	PLAN_F_LATE = 1 << 5,   /* call: the early phase ends here if it has not ended before */
};

enum plan_call { /* of call instructions */
	CALL_NONE,
	CALL_TRACED,   /* a direct call of a traced function of the program */
	CALL_INDIRECT, /* through a pointer; whether the callee is traced is known at run time only.
			  The wrapper of a function of log/sync.def ends as for CALL_SYNC. A callee
			  that is not traced ends with LOG_RETURN, and the bytes of its results
			  follow immediately: they are in no segment */
	CALL_SYNC,     /* a function of log/sync.def: its wrapper logs a record with its result */
	CALL_SETJMP,   /* LOG_SETJMP or LOG_JUMP */
	CALL_LONGJMP,  /* does not return: LOG_JUMP */
	CALL_PURE,     /* native, writes no memory, does not call back, is not a cancellation point:
			  only its result is logged, and the segment continues */
	CALL_EFFECT,   /* native with known effects: LOG_RETURN with items; plan_insn.effect */
	CALL_UNKNOWN,  /* native, may change all memory that it can reach: LOG_RETURN */
};

struct plan_insn {
	uint8_t what, flags; /* enum plan_what; PLAN_F_* */
	uint8_t call;    /* enum plan_call */
	uint8_t order;   /* k of LOG_HASH_COEF: number of hashed addresses before it in the segment,
			    mod 256 */
	uint16_t effect; /* CALL_EFFECT: number in log/libc.def */
	uint32_t bytes;  /* that this instruction puts into the reservation of its segment; for the
	                    results of a breaking call: of the next segment */
};

struct plan_segment {
	uint32_t first, n; /* instructions [first, first + n) */
	uint32_t bytes;    /* reserved at its start */
};

struct plan_func {
	bool traced;      /* it has a body that no native object may replace, and is not excluded */
	bool thunk;       /* code that is not traced can call it, by its address or by its name */
	struct plan_insn *insn;       /* by instruction */
	struct plan_segment *segment; /* by ascending first */
	uint32_t nsegments;
	uint32_t *block_hash; /* by block: the constant that is hashed on entry. 0 = nothing is
				 hashed: the block has one predecessor, which ends in a plain jump,
				 or in a branch whose other target has a constant */
	uint32_t entry_bytes; /* bytes logged at entry, before the first segment, in a reservation
				 of their own: for every byval parameter its address (8 bytes) and
				 its contents. May be more than a chunk holds */
};

struct plan_options {
	bool whole; /* log every load (except of constants), the source of every block copy, and
		       every alloca; no variable is private. Such a log can be read from the
		       middle */
	const char *const *exclude; /* glob patterns of functions that are not traced, NULL at the
				       end. A pattern with a slash or a dot matches the source files
				       of functions */
};

struct plan {
	const struct ir_program *p;
	struct points_to *pt; /* of this plan only: excluded functions are code outside */
	struct plan_func *funcs; /* by function */
	struct bitset early;     /* functions of which all instructions are early (phase.h) */
	bool whole;              /* plan_options.whole */
	uint64_t hash;           /* over everything on which the log depends */
	uint32_t nloads, nlogged; /* number of load instructions, and of those that are logged */
	struct arena arena;
};

/* opt may be NULL. `open`: native objects are part of the program (points_to_options.open). */
struct plan *plan_new(const struct ir_program *p, const struct plan_options *opt, bool open);
void plan_free(struct plan *pl);

/* Puts the registers that are live before or after the instruction into out, in ascending order,
 * and returns their number; after a call, its results may be live. These registers are the state of
 * a frame in log/format.h. `live` is that of the function. */
uint32_t plan_live(const struct ir_func *f, const struct live *live, uint32_t insn, bool after,
	struct vec_u32 *out);
/* The segment that begins at the instruction, or NULL. */
const struct plan_segment *plan_segment_at(const struct plan_func *f, uint32_t insn);

#endif
