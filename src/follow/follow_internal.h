/*
 * Inside of follow.h: what its files share with each other and with the machine.
 *
 * A followed thread runs on a machine of its own with one struct thread. Its memory is `open`
 * (mem.h): every address exists. The machine calls this room through struct follow_ops (extension.h):
 *  - constants take the addresses of the recorded process
 *  - step_insn() hands every instruction that the plan knows about to follow_insn()
 *  - the fast mode has operations of its own for logged loads, hashed stores and block entries
 *  - a frame with `entered` is an activation: its return goes to follow_ended()
 */
#ifndef HEDDLE_FOLLOW_FOLLOW_INTERNAL_H
#define HEDDLE_FOLLOW_FOLLOW_INTERNAL_H

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "follow/follow.h"
#include "machine/extension.h"

struct follow_snapshot {
	uint32_t refs;      /* atomic */
	struct mem mem;     /* frozen */
	uint64_t *globals;  /* by global; 0 for thread-local ones */
	uint64_t *funcs;    /* by function */
	struct map by_addr; /* address -> function + 1 */
	uint32_t nglobals, nfuncs;
	int8_t *sync_object; /* by function: see follow_sync_objects */
};

struct follow_jump { /* a setjmp whose frame may still be there */
	uint64_t buf, serial;
	uint32_t insn, ip; /* ip: cinsn after the call, UINT32_MAX in the careful mode */
};

struct follow_save { /* a stack pointer that the program keeps */
	uint64_t value, sp;
};

struct follow {
	const struct plan *pl;
	struct machine m;
	struct thread *t;
	struct exec_options mopt;
	struct exec_result mres;
	struct follow_options opt;
	struct follow_snapshot
		*shared; /* addresses; the main thread's own until it is handed out */
	bool is_main, handed_out;
	/* the stream; position and hash are in m.log */
	follow_next next;
	void *next_ctx;
	uint64_t taken;       /* bytes before the current piece */
	uint64_t piece;       /* of the current piece */
	uint32_t pieces;      /* begun so far */
	const uint8_t *ahead; /* the next piece, if it was asked for already */
	size_t ahead_n;
	bool whole; /* states of frames are in the stream */
	uint64_t tsc;  /* the last time that was logged */
	uint64_t sure; /* instructions at the last matching record */
	struct follow_result *res;
	bool over; /* res is filled: the machine only has to stop */
	uint64_t events;
	uint64_t points; /* passed; see follow_points() */
	uint32_t call; /* the call of the top frame that is under way */
	uint32_t told; /* instruction of the top frame in the event under way */
	uint64_t tls_base;
	VEC(struct follow_jump) jumps;
	VEC(struct follow_save) saves;
	VEC(uint8_t) bytes; /* of a long item */
	struct vec_u32 live;
};

/* ---- the stream (follow.c) ------------------------------------------------------------------ */

/* Whether the stream goes on. A thread that was cut off stands still where it does not: nothing
 * after the last record is known to have happened. */
bool follow_more(struct follow *f);
enum step follow_go_on(struct follow *f);
/* The next n bytes; false (and the end is noted) if there are no more. */
bool follow_take_slow(struct follow *f, void *to, size_t n);
static inline bool follow_take(struct follow *f, void *to, size_t n)
{
	if (unlikely((size_t)(f->m.log.end - f->m.log.at) < n))
		return follow_take_slow(f, to, n);
	memcpy(to, f->m.log.at, n);
	f->m.log.at += n;
	return true;
}
/* The same for values of a segment: a piece that begins with one begins with the frame's state. */
bool follow_take_value_slow(struct follow *f, void *to, size_t n);
static inline bool follow_take_value(struct follow *f, void *to, size_t n)
{
	if (unlikely((size_t)(f->m.log.end - f->m.log.at) < n))
		return follow_take_value_slow(f, to, n);
	memcpy(to, f->m.log.at, n);
	f->m.log.at += n;
	return true;
}
/* Compares the hash that a record carries. */
bool follow_check(struct follow *f, uint32_t hash);
/* Ends the run: STEP_STOP. The place is the current instruction. */
enum step follow_end(struct follow *f, enum follow_status st, const char *fmt, ...) PRINTF(3, 4);
/* Hands the main thread's memory out, once. */
void follow_hand_out(struct follow *f);
bool follow_begin_thread(struct follow *f);

static inline bool follow_wants(const struct follow *f, enum follow_kind k)
{
	return f->opt.kinds & FOLLOW_BIT(k);
}
/* Fills in the place and tells the observer. */
void follow_tell(struct follow *f, struct follow_event *e);

static inline const struct plan_insn *follow_plan(
	const struct follow *f, uint32_t func, const struct ir_insn *in)
{
	return &f->pl->funcs[func].insn[in - f->pl->p->funcs.at[func].insns.at];
}

/* ---- instructions (follow_step.c) --------------------------------------------------------------
 */

/* Executes the instruction if the log has its value or its effect: *mine. */
enum step follow_insn(struct machine *m, struct thread *t, const struct ir_insn *in, bool *mine);
/* The careful mode enters a block of the top frame. */
void follow_block(struct machine *m, struct thread *t, uint32_t block);
/* A conditional branch or switch is about to be taken (only if the observer wants branches). */
void follow_branch(struct machine *m, struct thread *t, uint32_t insn);
/* Whether the fast mode may handle the access by itself; then *coef is the hash coefficient. */
bool follow_fast_access(const struct machine *m, uint32_t func, const struct ir_insn *in,
	bool *logged, uint32_t *coef);
bool follow_fast_call(const struct machine *m, uint32_t func);
uint32_t follow_block_hash(const struct machine *m, uint32_t func, uint32_t block);
bool follow_wants_branches(const struct machine *m);

/* ---- calls (follow_call.c) ----------------------------------------------------------------------
 */

/* By function: the argument that names the object of one of log/sync.def, -1 if none does. */
enum { FOLLOW_NO_SYNC = -2 };
int8_t *follow_sync_objects(const struct ir_program *p);
enum step follow_call(struct machine *m, struct thread *t, const struct ir_insn *in);
/* What the function logged at its entry: where its copies of by-value arguments lie. */
bool follow_take_byval(struct follow *f, struct frame *fr, const struct ir_func *fn);
/* Results that stand in the log, those of call `insn` of the frame: they are delivered to it. */
bool follow_take_results(struct follow *f, struct frame *fr, uint32_t insn, struct val *first);
enum step follow_returned(struct machine *m, struct thread *t);
/* The top frame is about to return that value. */
void follow_leave(struct machine *m, struct val v);
/* An activation's frame has returned and is popped: the next record decides what runs. */
enum step follow_ended(struct machine *m, struct thread *t);
/* The records between activations at the bottom of a thread. */
enum step follow_bottom(struct follow *f);

/* ---- states of frames (follow_state.c) ----------------------------------------------------------
 */

/* After a call of the frame came back: its state is in the log if a piece was begun meanwhile. */
enum step follow_skip_state(struct follow *f, const struct frame *fr);
bool follow_skip_segment_state(struct follow *f);
/* The rest of a LOG_STATE when no frame is known: the frame is made. native: a LOG_RETURN stands
 * before it. */
enum step follow_take_state(struct follow *f, bool native);

#endif
