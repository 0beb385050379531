/*
 * Shared by the files of the runtime inside a recorded program. hooks.h is the interface to
 * instrumented code, log/format.h to the collector.
 *
 * Rules for all code here, because it runs inside the program of a user:
 *  - no malloc, stdio or lock shared with the target; memory is static or from mmap
 *  - system calls are made directly (sys_*), so that errno does not change
 *  - a signal may interrupt any code; its handler records into a stream of its own (signal.c)
 *  - the process may be killed at any time: the memory that the collector reads is valid after
 *    every single store
 *  - a wrapper that native code calls (ctl->native) only calls the real function
 */
#ifndef HEDDLE_RUNTIME_RUNTIME_H
#define HEDDLE_RUNTIME_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <x86intrin.h>
#include "runtime/hooks.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define COLD        __attribute__((cold, noinline))
#define WEAK        __attribute__((weak))
/* A wrapper of log/sync.def. It is in the section of traced code, so that it logs also when traced
 * code calls it through a pointer. */
#define WRAP(type, name) HOOK __attribute__((section("heddle_text"))) type __heddle_##name

/* ---- system calls: the result, or -errno ------------------------------------------------ */

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long r;
	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}
#define sys4(n, a, b, c, d) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys3(n, a, b, c)    sys4(n, a, b, c, 0)

/* Not memcpy: the program may define its own. */
static inline void copy_bytes(void *to, const void *from, uint64_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* ---- the state of the process ------------------------------------------------------- */

struct runtime {
	struct log_shared *shared; /* NULL: the process was never recorded */
	uint8_t *base;             /* the address of the shared memory */
	_Atomic uint32_t on;       /* new threads are recorded; 0 in a forked child */
	int pid;
	bool collector_is_parent;
	bool is_static;                     /* there is no dynamic loader */
	uint64_t main_stack_hi, stack_size; /* of the main thread; default of others */
	char dump[1024]; /* path for the bytes of the globals at the end; "" = none */
};
extern struct runtime rt;

/* __heddle_ctl of a thread that is not known to the runtime: native, no room. */
extern struct log_ctl rt_unknown;

static inline bool ctl_known(const struct log_ctl *ctl)
{
	return ctl != &rt_unknown;
}

/* ---- chunk.c ---------------------------------------------------------------------------- */

static inline struct log_chunk *chunk_at(uint32_t i)
{
	return (struct log_chunk *)(rt.base + LOG_CHUNK_AT(i));
}
/* Makes room for n bytes at ctl->cur, between two records. The recording of the thread may stop. */
void chunk_room(struct log_ctl *ctl, uint64_t n);
/* Gives a ctl in shared memory its first chunk, or scratch memory. */
void chunk_first(struct log_ctl *ctl);
/* A LOG_STATE follows. */
void chunk_has_state(struct log_ctl *ctl);
/* Ends the stream at ctl->cur. The ctl has no room afterwards. */
void chunk_last(struct log_ctl *ctl);
/* Stops the recording of the thread: the ctl continues in scratch memory. `between`: the thread is
 * in the middle of a record, so the stream ends at the last complete one; else `why` is logged. */
void ctl_stop(struct log_ctl *ctl, enum log_stop_why why, bool between);
void ctl_to_scratch(struct log_ctl *ctl);
/* A jump has left any place of the code of the thread, hooks included. Returns the ctl with which
 * the thread continues: the same, stopped; or a new one if the old one was being changed. */
struct log_ctl *ctl_torn(struct log_ctl *ctl, enum log_stop_why why);
/* A ctl in private memory, which scratch_free() releases. */
struct log_ctl *scratch_new(void);
void scratch_free(struct log_ctl *ctl);
/* Zeroed memory; NULL if there is none. */
void *map_memory(uint64_t n);
void unmap_memory(void *p, uint64_t n);
/* Writes raw bytes, which may be split between chunks. */
void put_bytes(struct log_ctl *ctl, const void *p, uint64_t n);

/* ---- records ---------------------------------------------------------------------------- */

/* Room for one record. The collector ignores it until the next ctl_commit(). */
static inline uint8_t *ctl_room(struct log_ctl *ctl, uint64_t n)
{
	if (unlikely((uint64_t)(ctl->end - ctl->cur) < n))
		chunk_room(ctl, n);
	return ctl->cur;
}

/* The bytes of a record are written before the collector may take them. */
static inline void ctl_commit(struct log_ctl *ctl, uint8_t *cur)
{
	ctl->cur = cur;
	atomic_signal_fence(memory_order_seq_cst);
	*(uint8_t *volatile *)&ctl->commit = cur;
}

/* Copies a struct; returns the address behind it. */
static inline uint8_t *put_struct(uint8_t *at, const void *s, uint64_t n)
{
	__builtin_memcpy(at, s, n);
	return at + n;
}

struct sync_more { /* a record of a synchronization operation with all its fields */
	uint8_t kind;
	uint16_t flags; /* LOG_F_*: which of the other fields are used */
	int32_t result;
	uint32_t seq, seq2, extra;
	uint64_t value;
};
/* With LOG_F_ITEMS the caller writes the items and then calls put_items_end(). */
void put_sync_more(struct log_ctl *ctl, const struct sync_more *m);
/* The common case: a result of 0 and no other field. */
static inline void put_sync(struct log_ctl *ctl, uint32_t kind, int32_t result, uint32_t seq)
{
	struct log_sync s = {.tag = LOG_SYNC, .kind = (uint8_t)kind, .seq = seq};
	if (likely(!result && ++ctl->records % LOG_STAMPED))
		ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(s)), &s, sizeof(s)));
	else
		put_sync_more(ctl,
			&(struct sync_more){.kind = (uint8_t)kind, .result = result, .seq = seq});
}

/* The operation has to wait, perhaps forever. */
void put_blocked(struct log_ctl *ctl);
void put_item(struct log_ctl *ctl, uint8_t kind, const void *addr, uint64_t n);
void put_items_end(struct log_ctl *ctl);

/* ---- sequence numbers (sync_records.c) ----------------------------------------------------------
 */

enum { SEQ_BITS = 16 };
extern _Atomic uint32_t rt_seq[1 << SEQ_BITS];
static inline uint32_t seq_of(const volatile void *object)
{
	uint64_t a = (uint64_t)object >> 3;
	_Atomic uint32_t *s = &rt_seq[a * 0x9e3779b97f4a7c15ull >> (64 - SEQ_BITS)];
	return atomic_fetch_add_explicit(s, 1, memory_order_relaxed) + 1;
}

/* ---- thread.c --------------------------------------------------------------------------- */

/* The number of a thread that is known to the runtime, else LOG_NONE. */
uint32_t thread_number(uint64_t pthread_self);
/* Takes a new number; LOG_NONE if there are no more or recording is off. */
uint32_t thread_take(void);
struct log_ctl *thread_ctl(uint32_t number);
struct thread_info {
	enum log_thread_kind kind;
	uint16_t signo;
	uint32_t parent;
	uint64_t stack_lo, stack_hi;
};
/* Makes the calling thread write to the ctl of this number (LOG_NONE: scratch memory), as native.
 */
struct log_ctl *thread_begin(uint32_t number, const struct thread_info *info);
/* Writes LOG_END; the calling thread is unknown afterwards. */
void thread_end(struct log_ctl *ctl);
/* Makes the calling thread, which calls traced code, known; returns its ctl. */
struct log_ctl *thread_meet(void);
void thread_start_up(void); /* once, at the start */
/* The ctl of the thread (not that of a signal handler) ends with the thread. */
void thread_arm(struct log_ctl *ctl);
void thread_after_fork(void);
/* This process is the child of a fork: it must not write to the shared memory. */
void process_is_child(void);

/* ---- signal.c --------------------------------------------------------------------------- */

struct signal_frame { /* one running handler of the calling thread */
	struct signal_frame *outer;
	struct log_ctl *interrupted;
	uint64_t lo, hi; /* the stack addresses of the handler */
	int signo;
	bool met; /* the handler has a stream */
};
extern __thread struct signal_frame *signal_top __attribute__((tls_model("initial-exec")));
/* Makes the stream of the running handler, at its first activation. */
struct log_ctl *signal_meet(struct signal_frame *f);
/* Ends the handlers that a jump to this stack address has left. */
void signal_jumped(uint64_t sp);
void signal_start_up(void);
void signal_after_fork(void);

/* ---- process.c -------------------------------------------------------------------------- */

enum { EXIT_EXIT, EXIT_NOW, EXIT_EXEC, EXIT_ABORT };
void process_exits(uint32_t kind, int status);
void process_start_up(void);
void dump_globals(void);

#endif
