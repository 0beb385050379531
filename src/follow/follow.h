/*
 * Following a log: one thread of a recorded run is executed again, alone, on the machine. What the
 * plan says was logged is taken from its stream (log/format.h); everything else is computed, with
 * the addresses of the recorded process. Memory is the thread's own view: what it wrote itself, and
 * what stood there when the first thread was started (a snapshot of the main thread's memory).
 *
 * The rolling hash is compared wherever a record has it: a difference means that the run cannot be
 * reproduced from there on, never that something else happened.
 *
 * An observer sees what happens, in the order of the thread. Each struct follow_event is valid
 * during the call only. Without an observer for a kind of event the fast mode does not stop for it.
 *
 * Lifetime: heap; one struct follow for a thread, used by one host thread at a time. Several may
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
struct follow_snapshot; /* memory at the start of the first thread; shared, counted */

/* Where the bytes come from: the next piece of the stream, false at its end. The piece stays valid
 * until the next call. */
typedef bool (*follow_next)(void *ctx, const uint8_t **data, size_t *n);

enum follow_kind {
	FOLLOW_READ, /* a logged load or the source of a copy: addr, size, value (up to 16 bytes) */
	FOLLOW_WRITE,    /* a store that others may see, or the target of a copy or fill */
	FOLLOW_RMW,      /* an atomic that read `old` and wrote `value` */
	FOLLOW_CAS_FAIL, /* a compare-and-swap that read `old` and wrote nothing */
	FOLLOW_FENCE,
	FOLLOW_BRANCH, /* conditional branch or switch: value is the condition, taken the edge's
			  number */
	FOLLOW_SYNC,   /* a record of log/sync.def: sync, object, value, extra, … */
	FOLLOW_BLOCKED, /* a call of log/sync.def has to wait: callee, object, args */
	FOLLOW_CALL,   /* a native call begins: callee (IR_NONE if not in the program), args */
	FOLLOW_NATIVE_READ,
	FOLLOW_NATIVE_WRITE, /* what a native call did: addr, size, bytes */
	FOLLOW_RETURN,       /* a native call came back: value */
	FOLLOW_ENTER,
	FOLLOW_LEAVE, /* a traced function: func */
	FOLLOW_LOCAL, /* a variable whose address is known comes to be: addr, size, local */
	FOLLOW_BEGIN, /* the thread: *thread */
	FOLLOW_END,   /* the thread ended in order */
	FOLLOW_NKINDS,
};
#define FOLLOW_BIT(k) (1u << (k))

struct follow_frame {
	uint32_t func, insn; /* the innermost first; an outer one's insn is its call */
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
	uint32_t func, insn; /* where */
	uint64_t index;      /* instructions of the thread executed before it */
	uint64_t addr, size;
	struct val value, old;
	uint32_t local, taken, callee;
	const uint8_t *bytes;           /* NATIVE_WRITE, copies: what was written or read */
	const struct follow_sync *sync; /* SYNC */
	uint64_t object;                /* SYNC: address of the object, 0 if it has none */
	uint64_t sync_value;            /* SYNC with LOG_F_VALUE */
	uint32_t seq2, extra;           /* SYNC with LOG_F_EXTRA */
	const struct val *args;         /* CALL, BLOCKED, SYNC (not for later records of the same call) */
	uint32_t nargs;
	const struct log_thread *thread; /* BEGIN */
	uint64_t tsc;                    /* BEGIN, SYNC, END */
};

enum follow_status {
	FOLLOW_DONE,     /* the stream's end was reached in order */
	FOLLOW_CUT,      /* the stream ends in the middle: killed, or still running at exit */
	FOLLOW_STOPPED,  /* the runtime stopped recording: reason says why */
	FOLLOW_DIVERGED, /* not reproducible from the last matching record on: reason says why */
	FOLLOW_BAD,      /* the stream is damaged: reason */
};

struct follow_result {
	enum follow_status status;
	struct strbuf reason;  /* with the source place */
	uint64_t instructions; /* executed, of them `sure` before the last matching hash */
	uint64_t sure;
	uint64_t events;   /* of the kinds that the observer asked for */
	uint64_t bytes;    /* of the stream consumed */
	/* It ended because the machine stopped. `fault` says why: FAULT_NULL_DEREF and FAULT_WILD_DEREF
	 * where no process has memory, FAULT_NO_ACCESS at follow_options.crash; FAULT_NONE if the machine
	 * stopped for another reason. */
	bool failed;
	enum fault fault;
};

struct follow_options {
	uint32_t kinds; /* FOLLOW_BIT()s that event() wants */
	void (*event)(void *ctx, struct follow *f, const struct follow_event *e);
	void *ctx;
	/* called before each instruction; everything then runs in the careful mode, many times
	 * slower */
	void (*insn)(void *ctx, struct follow *f, uint32_t func, uint32_t insn);
	bool shifts; /* insn() is there, but only called where the observer asks: follow_shift() */
	uint32_t patience; /* instructions without a byte of the log, at its end, before a thread
			      counts as cut off; 0 = 20 million */
	/* not NULL: an address that the recorded process could not access. It may change while the
	 * thread is followed, 0 = none so far */
	const uint64_t *crash;
	bool window; /* the stream has its first chunk, then goes on at a LOG_STATE */
	/* called for the main thread when it starts the first thread */
	void (*snapshot)(void *ctx, struct follow_snapshot *s);
};

/* `memory`: the main thread's snapshot, NULL for the main thread itself (or if there is none: then
 * a load that needs it is a divergence). Addresses of globals and functions come from the main
 * thread's first record, which the snapshot keeps. */
struct follow *follow_new(const struct plan *pl, struct follow_snapshot *memory, follow_next next,
	void *next_ctx, const struct follow_options *opt);
void follow_free(struct follow *f);
/* Runs to the end. The result's reason is released by the caller (strbuf_release). */
void follow_run(struct follow *f, struct follow_result *res);

/* For observers, during an event that is an access, a record of synchronization or the beginning:
 * from the next instruction on in the careful mode, with these kinds of events, or back in the fast
 * one, which every frame gets into at the end of its block. */
void follow_shift(struct follow *f, bool careful, uint32_t kinds);
/* Instructions executed, the one at hand included. Exact in the careful mode. */
uint64_t follow_instructions(const struct follow *f);
/* Points (log/schedule.h) that the thread has passed; during an access, its own included. Only if all
 * kinds of accesses are observed. */
uint64_t follow_points(const struct follow *f);

/* For observers, during an event: the call stack. Returns how many frames there are. */
uint32_t follow_stack(const struct follow *f, struct follow_frame *out, uint32_t max);
/* The innermost place with a known line: "file:line:col in 'function': ". */
void follow_place(const struct follow *f, struct strbuf *b);
/* The thread's own view of memory; false where it knows nothing. */
bool follow_memory(const struct follow *f, uint64_t addr, void *to, uint32_t n);
/* The value of a register of the innermost frame. */
struct val follow_reg(const struct follow *f, uint32_t reg);

void follow_snapshot_free(struct follow_snapshot *s);
struct follow_snapshot *follow_snapshot_ref(struct follow_snapshot *s);
/* Address of a global (not thread-local) or function in the recorded process; 0 if not known. And
 * the reverse: IR_NONE if there is none. */
uint64_t follow_global_addr(const struct follow_snapshot *s, uint32_t global);
uint64_t follow_func_addr(const struct follow_snapshot *s, uint32_t func);
uint32_t follow_func_at(const struct follow_snapshot *s, uint64_t addr);

#endif
