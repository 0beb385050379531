/*
 * The format of the log: the contract between instrumented code, the runtime in the target, the
 * collector, and the readers of the log.
 *
 * Each thread writes one *stream* of bytes, in chunks, into memory shared with the collector.
 * A stream holds, in the order of execution and unpadded:
 *  - values: raw little-endian bytes that instrumented code could not recompute (facts/plan.h says
 *    which instruction logs how many bytes). They have no tag: the reader re-executes the thread
 *    and so knows what is next
 *  - records: the packed struct of the record's kind; its first byte is the enum log_tag. They are
 *    written at the start of a thread, at every call that leaves traced code, and at the end
 * Addresses and branches are not logged. Records have a rolling hash of them (LOG_HASH_* below), so
 * that an inexact re-execution is detected.
 *
 * A stream, as a grammar (docs/trace.md explains it at length):
 *	stream    := THREAD words { activation } ( END | STOP | nothing: it was cut off )
 *	activation:= CALLBACK words body CALLBACK_END
 *	body      := { value | bulk bytes | left | STATE words }     in the order of instructions
 *	left      := { activation | SYNC(more) items | BLOCKED } ( RETURN items | SYNC items | SETJMP | JUMP |
 *	             STOP )                                   a call that leaves traced code
 *	items     := { ITEM_READ | ITEM_WRITE bytes } ITEM_END      only if the record says LOG_F_ITEMS
 *
 * The runtime includes this header, which includes no other header of heddle.
 */
#ifndef HEDDLE_LOG_FORMAT_H
#define HEDDLE_LOG_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define LOG_VERSION 4

/* ---- the rolling hash ----------------------------------------------------------------------- */

/* Entering a block: hash = hash * 5 + plan's constant of the block. Access k of a segment whose
 * address is hashed: hash += address * LOG_HASH_COEF(k). Modulo 2^64; records carry it folded. */
#define LOG_HASH_MUL     5u
#define LOG_HASH_COEF(k) ((const uint8_t[4]){1, 3, 5, 9}[(k) & 3])
static inline uint32_t log_fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* ---- records -------------------------------------------------------------------------------- */

enum log_tag {
	LOG_END_OF_CHUNKS, /* never written */
	LOG_THREAD,
	LOG_CALLBACK,
	LOG_CALLBACK_END,
	LOG_RETURN,   /* a native call returned; its results follow as logged values */
	LOG_SYNC,     /* a call of a function in sync.def returned, or (MORE) has begun */
	LOG_SETJMP,   /* setjmp returned for the first time */
	LOG_JUMP,     /* control returned to a setjmp by longjmp, pthread_exit or cancellation */
	LOG_STOP,     /* the thread is not recorded from here on */
	LOG_END,      /* the thread ended */
	LOG_BLOCKED,  /* the call of sync.def must wait; if no record follows, it never returned */
	LOG_STATE,    /* whole images only: the registers of the innermost traced frame */
	LOG_NTAGS,
};

enum { /* flags of records */
	LOG_F_MORE = 1 << 0,  /* the call has not returned: another record of it follows */
	LOG_F_ITEMS = 1 << 1, /* items follow after the record and its words below */
	LOG_F_HASH = 1 << 4,  /* the hash so far, folded: u32 */
	LOG_F_TSC = 1 << 5,   /* the time stamp: u64 */
	LOG_F_RESULT = 1 << 6, /* the int result of the call: i32; without this flag it is 0 */
	LOG_F_VALUE = 1 << 2, /* a pointer or 64-bit result: u64 */
	LOG_F_EXTRA = 1 << 3, /* u32 seq2, u32 extra */
	LOG_F_WAITED = 1 << 7, /* the operation had to wait */
};

#define LOG_PACKED __attribute__((packed))

enum log_thread_kind {
	LOG_T_MAIN,    /* from the start of the process, constructors included */
	LOG_T_CREATED, /* by pthread_create or thrd_create in traced code */
	LOG_T_FOREIGN, /* created by native code; its log begins when it calls traced code */
	LOG_T_SIGNAL,  /* one activation of a signal handler, on another thread's stack */
};

struct log_thread { /* followed by ntls addresses; MAIN: then nglobals, then nfuncs addresses (u64) */
	uint8_t tag, kind;
	uint16_t signo;    /* SIGNAL */
	uint32_t parent;   /* CREATED: the creator; SIGNAL: the thread interrupted */
	uint32_t ntls;     /* thread-local globals in order of their ids in the program */
	uint32_t nglobals; /* every global that is not thread-local, in order of ids; 0 = absent */
	uint32_t nfuncs;   /* every function, in order of ids; 0 = absent */
	uint64_t tsc;
	uint64_t stack_lo, stack_hi; /* its native stack, 0 if unknown */
	uint64_t self;     /* pthread_self() */
} LOG_PACKED;

struct log_callback { /* followed by nwords u64: the parameters, two words for one over 64 bits */
	uint8_t tag, pad;
	uint16_t nwords;
	uint32_t func; /* id in the program */
	uint32_t hash;
} LOG_PACKED;

struct log_callback_end {
	uint8_t tag;
	uint32_t hash;
} LOG_PACKED;

struct log_return {
	uint8_t tag, flags; /* LOG_F_ITEMS */
	uint32_t hash;
} LOG_PACKED;

/* Followed by the words that its flags select, in this order: hash, tsc, result, value, seq2 and
 * extra. Records of locks and of the heap are frequent; only one in LOG_STAMPED, and the first
 * after a native call, has a hash and a time stamp. */
struct log_sync {
	uint8_t tag, kind; /* enum log_sync_kind */
	uint16_t flags;
	uint32_t seq;      /* increases over all operations on one object; see sync.def */
} LOG_PACKED;
enum { LOG_STAMPED = 8, LOG_SYNC_MAX = sizeof(struct log_sync) + 4 + 8 + 4 + 8 + 8 };

struct log_blocked {
	uint8_t tag;
	uint32_t hash;
} LOG_PACKED;

struct log_setjmp {
	uint8_t tag;
	uint32_t hash;
} LOG_PACKED;

struct log_jump {
	uint8_t tag;
	uint64_t buf;    /* address of the jmp_buf */
	int32_t result;  /* result of setjmp this time */
	uint32_t hash;
} LOG_PACKED;

struct log_stop {
	uint8_t tag, why; /* enum log_stop_why */
	uint32_t hash;
	uint64_t tsc;
} LOG_PACKED;

struct log_end {
	uint8_t tag;
	uint32_t hash;
	uint64_t tsc;
} LOG_PACKED;

/*
 * In images that log everything (plan_options.whole) a stream can be read from the middle. A chunk
 * that begins because the one before was full begins with the state of the frame. When a call (not
 * a pure one) returns and log_ctl.chunks has changed since the call, the state of the frame
 * follows: after the LOG_RETURN of a native call and before its results. So a reader that begins
 * at a LOG_STATE knows one frame, and gets the state of each outer frame when control returns to
 * it.
 */
struct log_frame { /* followed by nwords u64: the live registers (plan_live), two for one over 64 bits */
	uint8_t tag, after; /* after: insn is a call that returned; else it begins a segment */
	uint32_t func, insn; /* insn LOG_NONE: the function is entered, plan_func.entry_bytes follow */
	uint32_t nwords;
	uint64_t hash;
} LOG_PACKED;

enum log_item_kind { LOG_ITEM_END, LOG_ITEM_READ, LOG_ITEM_WRITE };
struct log_item { /* LOG_ITEM_END is the one byte alone; WRITE: n bytes follow */
	uint8_t kind;
	uint64_t addr, n;
} LOG_PACKED;

/* Kinds of synchronization operations. */
enum log_sync_kind {
#define KIND(id, text) LOG_S_##id,
#include "log/sync.def"
	LOG_NSYNC
};

enum log_stop_why {
#define STOP(id, text) LOG_STOP_##id,
#include "log/stops.def"
#undef STOP
	LOG_NSTOPS
};

/* ---- memory shared between the target and the collector ---------------------------------------- */

/*
 * One memory file (memfd), inherited by the target as the descriptor that the environment variable
 * LOG_ENV_FD names: struct log_shared, then LOG_MAX_THREADS struct log_ctl, then chunks. Everything
 * in it survives the target's death. The target never waits for a lock in it.
 */
#define LOG_ENV_FD      "HEDDLE_LOG_FD"
#define LOG_MAGIC       0x676f6c656c646468ull
#define LOG_CHUNK       (64u << 10) /* with its header */
#define LOG_MAX_THREADS (1u << 16)
#define LOG_MAX_CHUNKS  (LOG_MAX_THREADS + LOG_WAITING)
#define LOG_WAITING     (1u << 9)   /* full chunks, 32 MiB, besides one chunk for each thread: when
                                       so many wait for the collector, the target waits too.
                                       More would not fit in the cache, and cost page faults */
#define LOG_NONE        UINT32_MAX

struct log_chunk { /* header of a chunk; bytes follow */
	uint32_t thread, seq; /* chunk seq of that thread's stream, from 0 */
	uint32_t used;        /* bytes of data, set when the chunk is handed over */
	uint32_t flags;       /* LOG_CHUNK_* */
	uint32_t next;        /* in the list of done or of free chunks: an index, LOG_NONE at its end */
	uint32_t pad[11];
};
enum { LOG_CHUNK_DATA = LOG_CHUNK - sizeof(struct log_chunk) };
enum {
	LOG_CHUNK_LAST = 1 << 0,  /* the last chunk of the stream */
	LOG_CHUNK_STATE = 1 << 1, /* has a LOG_STATE: reading may begin at it */
	LOG_CHUNK_AT = 16,        /* STATE: from this bit on, offset of its first LOG_STATE */
	LOG_CHUNK_WHY = 8,        /* LAST: from this bit on, enum log_stop_why + 1 if the thread was
	                             stopped. A thread that is stopped between two records has no
	                             LOG_STOP: its stream ends there */
};

enum log_state { LOG_UNUSED, LOG_RUNNING, LOG_ENDED };

/* State of one thread. Instrumented code uses the first five fields, which have fixed offsets. */
struct log_ctl {
	uint8_t *cur, *end; /* address of the next byte; end of the chunk */
	uint64_t hash;
	uint32_t native;    /* not 0: the thread is in code that is not traced */
	uint32_t chunks;    /* that the thread has begun so far */
	/* from here on for the runtime only */
	uint8_t *commit;    /* cur after the last record: all bytes before it are written */
	uint32_t commit_seq; /* of the chunk that commit points into */
	uint32_t id;        /* thread number, from 0 */
	uint32_t chunk;     /* index of the current one, LOG_NONE */
	uint32_t seq;       /* its number in the stream */
	uint32_t state;     /* enum log_state */
	uint32_t kind;
	uint32_t tid;       /* of the kernel */
	/* the fatal signal that the handler caught; 0 = none */
	int32_t crash_signo;
	uint64_t crash_addr, crash_pc;
	/* not NULL: the thread is not recorded; its bytes go to this buffer, which is reused */
	uint8_t *scratch;
	uint32_t records;   /* number of records of locks and the heap */
	uint32_t busy;      /* in a refill: chunk and seq may be inconsistent */
	uint32_t natives;   /* number of native calls that returned */
} __attribute__((aligned(256)));
_Static_assert(sizeof(struct log_ctl) == 256, "struct log_ctl");
_Static_assert(offsetof(struct log_ctl, end) == 8 && offsetof(struct log_ctl, hash) == 16 &&
		offsetof(struct log_ctl, native) == 24 && offsetof(struct log_ctl, chunks) == 28,
	"what instrumented code uses");

struct log_shared {
	uint64_t magic;
	uint32_t version, size;      /* sizeof(struct log_shared) */
	uint64_t base;               /* address of this memory in the target; 0 = not mapped yet */
	uint64_t plan;               /* hash of the plan that the image was built with */
	uint32_t nthreads;           /* struct log_ctl in use */
	uint32_t nchunks;            /* chunks ever used */
	uint32_t nwaiting;           /* chunks that may wait for the collector; 0 = LOG_WAITING */
	uint64_t free_head;          /* LIFO of free chunks: tag << 32 | index + 1 */
	uint64_t done_head;          /* LIFO of chunks for the collector: index + 1 */
	uint32_t wake;               /* futex: changed when done_head grows or the target exits */
	uint32_t waiting;            /* 1: the collector sleeps on wake */
	uint32_t room;               /* futex: changed when chunks become free */
	uint32_t stop;               /* enum log_stop_why + 1: the collector orders a stop; 0 */
	uint32_t collector;          /* pid */
	uint32_t target;             /* pid, set when the runtime starts */
	uint32_t exited;             /* 1: the target ended by itself, as exit_kind says */
	uint32_t exit_kind;          /* 0 exit, 1 _exit, 2 exec, 3 abort or fatal signal */
	int32_t exit_status;
	uint64_t tsc_start, ns_start; /* a pair of readings: TSC and CLOCK_MONOTONIC */
	uint64_t tsc_end, ns_end;
	uint32_t forks;              /* children that were not recorded */
	uint32_t lost;               /* threads that were not recorded: no log_ctl was left */
} __attribute__((aligned(4096)));
_Static_assert(sizeof(struct log_shared) == 4096, "struct log_shared");

#define LOG_CTL_AT(id)   (sizeof(struct log_shared) + (uint64_t)(id) * sizeof(struct log_ctl))
#define LOG_CHUNK_AT(i)  (LOG_CTL_AT(LOG_MAX_THREADS) + (uint64_t)(i) * LOG_CHUNK)
#define LOG_SHARED_SIZE  LOG_CHUNK_AT(LOG_MAX_CHUNKS)

#endif
