/*
 * Shared by the files of re-execution (follow.h).
 *
 * A re-executed thread has a machine of its own with one struct thread. Its memory is `open`
 * (mem.h): every address exists. The machine calls this room through struct follow_ops
 * (extension.h):
 *  - constants have the addresses of the recorded process
 *  - step_insn() passes each instruction that can be logged or observed to follow_insn()
 *  - the fast mode has operations of its own for logged loads, hashed stores and block entries
 *  - a frame with `entered` is an activation: native code called it. Its return calls
 *    follow_ended()
 */
#ifndef HEDDLE_FOLLOW_FOLLOW_INTERNAL_H
#define HEDDLE_FOLLOW_FOLLOW_INTERNAL_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "follow/follow.h"
#include "log/words.h"
#include "machine/extension.h"

struct follow_snapshot {
	uint32_t refs;      /* atomic */
	struct mem mem;     /* frozen */
	uint64_t *globals;  /* addresses by global; 0 for thread-local ones */
	uint64_t *funcs;    /* addresses by function */
	struct map by_addr; /* address -> function + 1 */
	uint32_t nglobals, nfuncs;
	const struct log_sync_fn **sync; /* by function: its row in log/sync.def; NULL */
};

struct follow_jump { /* a setjmp whose frame may still exist */
	uint64_t buf, serial; /* address of the jmp_buf; serial number of the frame */
	uint32_t insn, ip; /* ip: cinsn after the call, UINT32_MAX in the careful mode */
};

struct follow_save { /* a stack pointer that the program saved */
	uint64_t value, sp; /* of the recorded process; of the machine */
};

struct follow {
	const struct plan *pl;
	struct machine m;
	struct thread *t;
	struct exec_options mopt;
	struct exec_result mres;
	struct follow_options opt;
	struct follow_snapshot
		*shared; /* the snapshot; owned by the main thread until it is handed out */
	bool is_main, handed_out;
	/* the stream; its position and the hash are in m.log */
	follow_next next;
	void *next_ctx;
	uint64_t taken;       /* bytes before the current piece */
	uint64_t piece;       /* bytes of the current piece */
	uint32_t pieces;      /* pieces begun so far */
	const uint8_t *ahead; /* the next piece, if next() was already called for it */
	size_t ahead_n;       /* its bytes */
	bool whole;    /* the stream has states of frames (plan.whole) */
	uint64_t tsc;  /* the last logged time stamp */
	uint64_t sure; /* instructions at the last matching hash */
	uint64_t work; /* of block operations, as instructions */
	uint64_t look_at; /* instructions at which the end of the log is looked for again */
	struct follow_result *res;
	bool over;       /* res is filled: the machine stops */
	uint64_t events; /* passed to the observer */
	uint64_t points; /* scheduling points passed; see follow_points() */
	uint32_t call;   /* instruction of the current call of the top frame */
	uint32_t told;   /* instruction of the top frame in the current event */
	VEC(struct follow_jump) jumps;
	VEC(struct follow_save) saves;
	VEC(uint8_t) bytes;  /* buffer for the bytes of an item or a block operation */
	struct vec_u32 live; /* buffer for the live registers of a frame */
	struct map blocks;   /* blocks that the thread allocated: address -> size in bytes */
	struct {             /* the last range that native code wrote */
		uint64_t addr, n;
	} written;
};

/* ---- the stream (follow.c) ------------------------------------------------------------------ */

/* STEP_JUMPED if the stream has another byte, else the end with FOLLOW_CUT: a thread stops at the
 * end of its log, because nothing after the last record is known to have happened, unless
 * follow_options.beyond says so. */
enum step follow_go_on(struct follow *f);
/* Reads the next n bytes. At the end of the stream: false, after follow_end(FOLLOW_CUT). */
bool follow_take_slow(struct follow *f, void *to, size_t n);
static inline bool follow_take(struct follow *f, void *to, size_t n)
{
	if (unlikely((size_t)(f->m.log.end - f->m.log.at) < n))
		return follow_take_slow(f, to, n);
	memcpy(to, f->m.log.at, n);
	f->m.log.at += n;
	return true;
}
/* follow_take() for logged values. If a piece begins before the value, the state of the frame comes
 * first and is skipped. */
bool follow_take_value_slow(struct follow *f, void *to, size_t n);
static inline bool follow_take_value(struct follow *f, void *to, size_t n)
{
	if (unlikely((size_t)(f->m.log.end - f->m.log.at) < n))
		return follow_take_value_slow(f, to, n);
	memcpy(to, f->m.log.at, n);
	f->m.log.at += n;
	return true;
}
/* Whether a process can have the n bytes at an address. False, after follow_end(FOLLOW_BAD), if not. */
bool follow_range(struct follow *f, uint64_t addr, uint64_t n);
/* Compares the hash of a record. False, after follow_end(FOLLOW_DIVERGED), if it differs. */
bool follow_check(struct follow *f, uint32_t hash);
/* Ends the re-execution: returns STEP_STOP. The reason gets the place of the current instruction.
 * The first call wins. */
enum step follow_end(struct follow *f, enum follow_status st, const char *fmt, ...) PRINTF(3, 4);
/* Passes the snapshot of the main thread's memory to the observer, once. */
void follow_hand_out(struct follow *f);

static inline bool follow_wants(const struct follow *f, enum follow_kind k)
{
	return f->opt.kinds & FOLLOW_BIT(k);
}
/* Fills in the place and calls the observer. */
void follow_tell(struct follow *f, struct follow_event *e);

static inline const struct plan_insn *follow_plan(
	const struct follow *f, uint32_t func, const struct ir_insn *in)
{
	return &f->pl->funcs[func].insn[in - f->pl->p->funcs.at[func].insns.at];
}

/* ---- instructions (follow_step.c) ------------------------------------------------------------ */

/* Executes an instruction whose value or effect the log or an observer concerns. *mine is false if
 * the machine has to execute it. */
enum step follow_insn(struct machine *m, struct thread *t, const struct ir_insn *in, bool *mine);
/* Updates the hash when the careful mode enters a block of the top frame. */
void follow_block(struct machine *m, struct thread *t, uint32_t block);
/* Reports a conditional branch or switch before it is taken, if branches are observed. */
void follow_branch(struct machine *m, struct thread *t, uint32_t insn);
/* Whether the fast mode can execute the access without an event. *logged: its value is in the log;
 * *coef: its hash coefficient, 0 = not hashed. */
bool follow_fast_access(const struct machine *m, uint32_t func, const struct ir_insn *in,
	bool *logged, uint32_t *coef);
bool follow_fast_call(const struct machine *m, uint32_t func);
uint32_t follow_block_hash(const struct machine *m, uint32_t func, uint32_t block);
bool follow_wants_branches(const struct machine *m);

/* ---- blocks (follow_heap.c) ------------------------------------------------------------------ */

/*
 * After a free, the allocator and later owners of the memory write to the block, and loads that the
 * plan does not log see bytes that are not in the log. So the bytes of a freed block are lost
 * (mem_lose()) until the thread allocates them again, and a load of them ends the re-execution.
 */
/* A record of the heap: ALLOC (value: the block), REALLOC or FREE of args[0]. */
void follow_heap_record(struct follow *f, uint8_t kind, const char *callee, const struct val *args,
	uint32_t nargs, uint64_t value);
/* A library function returned `value`: a new block, if it wrote there. */
void follow_library_block(struct follow *f, uint64_t value);
/* Whether all bytes have a known value. False, after follow_end(FOLLOW_DIVERGED), if not. */
bool follow_known(struct follow *f, uint64_t addr, uint64_t n);

/* ---- calls (follow_call.c) ------------------------------------------------------------------- */

/* By function: its row in log/sync.def, or NULL. The caller frees the array. */
const struct log_sync_fn **follow_sync_functions(const struct ir_program *p);
enum step follow_call(struct machine *m, struct thread *t, const struct ir_insn *in);
/* Reads the entry values of a function: addresses and bytes of its by-value arguments. */
bool follow_take_byval(struct follow *f, struct frame *fr, const struct ir_func *fn);
/* Reads the logged results of the call `insn` and writes them to the registers of the frame. */
bool follow_take_results(struct follow *f, struct frame *fr, uint32_t insn, struct val *first);
enum step follow_returned(struct machine *m, struct thread *t);
/* Reports that the top frame returns v. */
void follow_leave(struct machine *m, struct val v);
/* Continues after the return of an activation, whose frame is popped: by the next record. */
enum step follow_ended(struct machine *m, struct thread *t);
/* Reads the records at the bottom of a thread, where no frame exists, up to the next activation. */
enum step follow_bottom(struct follow *f);

/* ---- states of frames (follow_state.c) ------------------------------------------------------- */

/* After a call: skips the frame's state, which the log has if a piece began during the call. */
enum step follow_skip_state(struct follow *f, const struct frame *fr);
/* Skips the state of the top frame at the start of a piece. */
bool follow_skip_segment_state(struct follow *f);
/* Reads the rest of a LOG_STATE when no frame exists, and makes the frame. native: the record
 * before it is a LOG_RETURN. */
enum step follow_take_state(struct follow *f, bool native);

#endif
