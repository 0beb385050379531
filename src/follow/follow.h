/*
 * Re-execution: the machine interprets one thread of a recorded run, alone, from its log. The
 * values that the plan logs come from the thread's stream (log/format.h); everything else is
 * computed, with the addresses of the recorded process. Memory is the thread's own view: its own
 * writes, and the contents at the start of the first thread (a snapshot of the main thread's
 * memory).
 *
 * The rolling hash is compared with each record that has one. A difference means that the run
 * cannot be reproduced from there on. It does not mean that the program misbehaved.
 *
 * An observer gets the events in the order of the thread. A struct follow_event is valid only
 * during the call. The fast mode does not stop for kinds of events that have no observer.
 *
 * Lifetime: heap; one struct follow for each thread, used by one host thread at a time. Several may
 * share a program, a plan and a snapshot.
 */
#ifndef HEDDLE_FOLLOW_FOLLOW_H
#define HEDDLE_FOLLOW_FOLLOW_H

#include "base/strbuf.h"
#include "machine/eval.h"
#include "facts/plan.h"
#include "log/faults.h"
#include "log/format.h"

struct follow;
struct follow_snapshot; /* memory at the start of the first thread; reference counted */

/* Gives the next piece of the stream; false at its end. The piece is valid until the next call. */
typedef bool (*follow_next)(void *ctx, const uint8_t **data, size_t *n);

enum follow_kind {
	FOLLOW_READ, /* a logged load or the source of a copy: addr, size, value (up to 16 bytes) */
	FOLLOW_WRITE,    /* a store to memory that may be shared, or the target of a copy or fill */
	FOLLOW_RMW,      /* an atomic update that read `old` and wrote `value` */
	FOLLOW_CAS_FAIL, /* a compare-and-swap that read `old` and wrote nothing */
	FOLLOW_FENCE,
	FOLLOW_BRANCH, /* branch or switch: value is the condition, taken the number of the edge */
	FOLLOW_SYNC,   /* a record of log/sync.def: sync, object, value, extra, … */
	FOLLOW_BLOCKED, /* a synchronization operation blocks: callee, object, args */
	FOLLOW_CALL,   /* a native call begins: callee (IR_NONE if not in the program), args */
	FOLLOW_NATIVE_READ,
	FOLLOW_NATIVE_WRITE, /* an access by a native call: addr, size; bytes of a write */
	FOLLOW_RETURN,       /* a native call returned: value */
	FOLLOW_ENTER,
	FOLLOW_LEAVE, /* a traced function: func */
	FOLLOW_LOCAL, /* a stack variable with a logged address is allocated: addr, size, local */
	FOLLOW_BEGIN, /* the thread begins: *thread */
	FOLLOW_END,   /* the thread ended normally */
	FOLLOW_NKINDS,
};
#define FOLLOW_BIT(k) (1u << (k))

struct follow_frame {
	uint32_t func, insn; /* insn of an outer frame: its call */
};

struct follow_sync { /* a record of log/sync.def */
	uint8_t kind;
	uint16_t flags;
	int32_t result;
	uint32_t seq;
};

struct follow_event {
	uint8_t kind;        /* enum follow_kind */
	uint8_t order;       /* enum ir_order of an access; IR_O_NONE: plain */
	uint32_t func, insn; /* place */
	uint64_t index;      /* instructions of the thread executed before it */
	uint64_t addr, size;
	struct val value, old;
	uint32_t local, taken, callee;
	const uint8_t *bytes;           /* NATIVE_WRITE, copies: the bytes written or read */
	const struct follow_sync *sync; /* SYNC */
	uint64_t object;                /* SYNC: address of the object, 0 if it has none */
	uint64_t sync_value;            /* SYNC with LOG_F_VALUE */
	uint32_t seq2, extra;           /* SYNC with LOG_F_EXTRA */
	const struct val *args;         /* CALL, BLOCKED, SYNC (not later records of one call) */
	uint32_t nargs;
	const struct log_thread *thread; /* BEGIN */
	uint64_t tsc;                    /* BEGIN, SYNC, END */
};

enum follow_status {
	FOLLOW_DONE,     /* the record of the thread's end was reached */
	FOLLOW_CUT,      /* the stream ends before the thread: killed, or still running at exit */
	FOLLOW_STOPPED,  /* the runtime stopped recording; see reason */
	FOLLOW_DIVERGED, /* not reproducible after the last matching record; see reason */
	FOLLOW_BAD,      /* the stream is damaged; see reason */
};

struct follow_result {
	enum follow_status status;
	struct strbuf reason;  /* with the source place */
	uint64_t instructions; /* executed */
	uint64_t sure;         /* instructions executed at the last matching hash */
	uint64_t events;       /* passed to the observer */
	uint64_t bytes;        /* of the stream, consumed */
	/* The machine stopped. `fault` is the reason: FAULT_NULL_DEREF or FAULT_WILD_DEREF for an
	 * address that no process can access, FAULT_NO_ACCESS for follow_options.crash, FAULT_NONE
	 * for another reason. */
	bool failed;
	enum fault fault;
};

struct follow_options {
	uint32_t kinds; /* FOLLOW_BIT()s of the events that event() gets */
	void (*event)(void *ctx, struct follow *f, const struct follow_event *e);
	void *ctx;
	/* called before each instruction, all in the careful mode, which is many times slower */
	void (*insn)(void *ctx, struct follow *f, uint32_t func, uint32_t insn);
	bool shifts; /* insn() is only called in the careful mode that follow_shift() selects */
	uint64_t budget;   /* instructions that the thread may execute; 0 = any number */
	uint32_t patience; /* instructions that a thread may execute after the end of its log before
			      the end counts as FOLLOW_CUT; 0 = 20 million */
	/* NULL, or an address that the recorded process could not access. The value may change
	 * during the re-execution; 0 = none so far */
	const uint64_t *crash;
	bool beyond; /* continue after the last record, up to where the log would go on */
	bool window; /* the stream has its first piece, then a gap, then continues at a LOG_STATE */
	/* called once for the main thread, when it starts the first thread (or ends). The callee
	 * owns a reference. */
	void (*snapshot)(void *ctx, struct follow_snapshot *s);
};

/* `memory` is the main thread's snapshot; NULL for the main thread itself. The snapshot has the
 * addresses of globals and functions, which come from the main thread's first record. */
struct follow *follow_new(const struct plan *pl, struct follow_snapshot *memory, follow_next next,
	void *next_ctx, const struct follow_options *opt);
void follow_free(struct follow *f);
/* Executes the thread to its end. The caller releases res->reason (strbuf_release). */
void follow_run(struct follow *f, struct follow_result *res);

/* For observers, during an access, a synchronization operation or FOLLOW_BEGIN: selects the kinds
 * of events and the mode from the next instruction on. A frame returns to the fast mode at the end
 * of its block. */
void follow_shift(struct follow *f, bool careful, uint32_t kinds);
/* Instructions executed, including the current one. Exact in the careful mode. */
uint64_t follow_instructions(const struct follow *f);
/* A number for the current frame that no other frame of the thread has, rising with each call; 0: no
 * frame. And whether that frame has not returned yet. */
uint64_t follow_frame(const struct follow *f);
bool follow_in_frame(const struct follow *f, uint64_t frame);
/* Scheduling points (log/schedule.h) that the thread has passed; during an access, including its
 * own. Only correct if all kinds of accesses are observed. */
uint64_t follow_points(const struct follow *f);

/* For observers, during an event: the call stack, innermost first. Returns the number of frames,
 * which may be more than max. */
uint32_t follow_stack(const struct follow *f, struct follow_frame *out, uint32_t max);
/* Appends the innermost place with a known line: "file:line:col in 'function': ". */
void follow_place(const struct follow *f, struct strbuf *b);
/* Reads the thread's own view of memory: memory that it never wrote, and that is not in the
 * snapshot, is 0. False if the range wraps around the address space. */
bool follow_memory(const struct follow *f, uint64_t addr, void *to, uint32_t n);
/* Bytes that a call of malloc or its family requests, by its arguments; 0 = unknown. */
uint64_t follow_alloc_size(const char *callee, const struct val *args, uint32_t nargs);
/* The value of a register of the innermost frame. */
struct val follow_reg(const struct follow *f, uint32_t reg);

void follow_snapshot_free(struct follow_snapshot *s);
/* Address of a global (not thread-local) or function in the recorded process; 0 if not known.
 * follow_func_at() is the reverse: IR_NONE if there is no function at the address. */
uint64_t follow_global_addr(const struct follow_snapshot *s, uint32_t global);
uint64_t follow_func_addr(const struct follow_snapshot *s, uint32_t func);
uint32_t follow_func_at(const struct follow_snapshot *s, uint64_t addr);

#endif
