/*
 * A schedule for the real program, and the outcome of its replay: the memory that heddle shares
 * with the runtime of an *enforce* image (runtime/enforce). One thread runs at a time; context
 * switches happen at *scheduling points*.
 *
 * A *scheduling point* is a place in a thread's execution right before
 *  - an instruction with PLAN_F_EVENT (facts/plan.h): an access that other threads may observe
 *  - each operation that makes one record of log/sync.def. Calls with two records have two points:
 *    a cond_wait has one before it begins and one before it acquires its mutex again (it passes the
 *    latter only after it was woken); a barrier has one before it enters and one before it leaves;
 *    a once has one before it begins (it passes it only while no thread runs the routine) and one
 *    before it returns, after the routine
 * Points are numbered from 0 in each thread, in the same way by instrumented code and by
 * re-execution: the number of a point is the number of points that the thread passed before. The
 * start of a thread is before its point 0. Failed operations count; wrappers called by native code
 * do not.
 *
 * A thread is named by its creator: thread 0 is the main thread; another is the nth thread that its
 * parent created (n from 0, successful creations by traced code only). Numbers of threads are those
 * of the schedule.
 *
 * A *segment* (struct sched_step) lets its thread run until it is before its point `until`. The
 * points of the segments of one thread increase. If the thread cannot reach that point (it would
 * block, it ended, it waits in native code), the schedule has *diverged* at that segment. A thread
 * that ends after exactly `until` points has reached it. After the last segment the runtime checks
 * the *goal*, and the program continues, the thread of the last segment first. A thread runs until
 * it blocks, ends, yields, waits for others in a loop (about 20 points in a row that only read the
 * same few places, or fail to change them: runtime/enforce/spin.h), or has passed SCHED_QUANTUM
 * points while others could run; then the next thread runs that can. This part is deterministic,
 * too. If all threads that can run wait in loops, and no thread can change the memory that they
 * wait for, the run is a livelock.
 *
 * The end of the process is the last event of the thread that returns from main() or calls exit(). It
 * orders nothing, so it is delayed: after its exit handlers, or at a call of _exit(), the thread
 * waits until no other thread can go on. It is not waited for a thread in native code, nor for more
 * than a while for threads that do not end (runtime/enforce/choose_thread.c).
 *
 * Time is virtual where possible: sleeps and timed waits end when no other thread can run, the
 * earliest first, or when their thread has the next segment. In mode SCHED_RANDOM a thread that
 * sleeps may be next at any time, because a sleep orders nothing. A thread in a native call that
 * sleeps for 100 ms (or works for 2 s) while others could run no longer counts as running: others
 * run until it reaches its next point. SCHED_F_NATIVE is then set, because the runtime did not
 * control the whole order.
 *
 * Addresses do not depend on the schedule: the address of a block that traced code allocates
 * depends on the name of the thread and its earlier allocations, the address of a thread's stack
 * (and so its pthread_t) on its name (runtime/enforce/region.h). This does not hold for memory
 * that the library allocates for itself or returns (strdup), nor for mmap().
 */
#ifndef HEDDLE_LOG_SCHEDULE_H
#define HEDDLE_LOG_SCHEDULE_H

#include <stdint.h>

#define SCHED_ENV     "HEDDLE_SCHEDULE_FD" /* number of an inherited descriptor; unset at start */
#define SCHED_MAGIC   0x3148435344444548ull /* "HEDDSCH1" */
#define SCHED_VERSION 2
#define SCHED_NONE    UINT32_MAX
#define SCHED_QUANTUM 20000
/* exit codes of a process that the runtime ended: fates SCHED_DEADLOCK and SCHED_STUCK */
#define SCHED_EXIT_DEADLOCK 86
#define SCHED_EXIT_STUCK    87

enum sched_mode {
	SCHED_STEPS,  /* the segments below, then deterministic */
	SCHED_RANDOM, /* at every point, a random one of the threads that can run */
	SCHED_PCT,    /* Burckhardt et al. 2010: random priorities, `depth` - 1 changes within
	                 `length` points */
	SCHED_FREE,   /* the operating system schedules; the runtime only keeps its records */
};

struct sched_thread {
	uint32_t parent, nth; /* of thread 0: SCHED_NONE */
};

struct sched_step {
	uint32_t thread;
	uint32_t flags; /* 0 */
	uint64_t until; /* point before which the thread stops */
};

enum sched_goal { /* what the runtime checks after the last segment */
	SCHED_GOAL_NONE,   /* nothing: the outcome of the run decides */
	SCHED_GOAL_RACE,   /* threads a and b are before points at_a and at_b: two accesses to
	                      overlapping bytes, one of them a write, not both atomic */
	SCHED_GOAL_ACCESS, /* thread a is before point at_a: is its address freed, null, or outside
	                      of the block it was computed for? (see sched_outcome.memory) */
	SCHED_GOAL_STACK,  /* thread a is before point at_a, an access to the stack of thread b, which
	                      has passed at_b points and so has left the function of the variable */
	SCHED_GOAL_STUCK,  /* deadlock: all threads continue as far as possible, those of the
	                      segments first; a set of them makes no progress */
};

struct sched_memory { /* memory of a point that is an access or a free */
	uint64_t addr, size;
	uint8_t write, atomic;
	uint8_t what; /* enum sched_what */
	uint8_t pad[5];
	uint64_t block, block_size; /* heap block that contains or contained it, or nearest below */
	uint32_t freed_by;          /* thread, SCHED_NONE: not freed */
	uint32_t pad2;
};
enum sched_what { SCHED_OK, SCHED_NULL, SCHED_FREED, SCHED_OUTSIDE, SCHED_UNMAPPED };

enum sched_fate { /* the first one is kept, but any other replaces EXITED and MISUSE */
	SCHED_RUNNING,  /* no end was recorded: killed from outside, exec, or still running */
	SCHED_EXITED,   /* exit code in `code` */
	SCHED_ASSERT,   /* __assert_fail etc., heddle_assert, abort: `thread`, `point`, `text` */
	SCHED_SIGNAL,   /* signal number in `code`, of thread `thread` at `point`; `addr` */
	SCHED_DEADLOCK, /* no thread can run: `waits` has the threads and what they wait for */
	SCHED_MISUSE,   /* a primitive was used wrongly: `text` (double unlock, destroyed in use, …) */
	SCHED_STUCK,    /* no progress, and not because of locks: a livelock (`text` names threads
	                   and points), native code, or no end after `patience` points */
};

enum sched_misuse { /* of a primitive, or of memory */
	SCHED_USED_WELL,
	SCHED_UNLOCK_FREE,    /* unlocked while no thread held it */
	SCHED_UNLOCK_OTHERS,  /* unlocked while another thread held it */
	SCHED_LOCK_OWN,       /* locked by the thread that holds it, and it is not recursive */
	SCHED_DESTROY_HELD,   /* destroyed while it was locked */
	SCHED_DESTROY_WAITED, /* destroyed while a thread waited for it */
	SCHED_USE_DESTROYED,  /* used after it was destroyed */
	SCHED_FREE_FREED,     /* a block freed twice */
	SCHED_END_HOLDING,    /* a thread ended while it held a recursive lock */
	SCHED_RANGE_OUTSIDE,  /* a block operation or library function went beyond the end of a block */
	SCHED_RANGE_FREED,    /* a block operation or library function used a freed block */
};

enum { SCHED_MAX_WAITS = 64, SCHED_TEXT = 512 };
struct sched_wait { /* a thread that cannot continue */
	uint32_t thread;
	uint8_t kind;       /* LOG_S_* of the operation; of a cond_wait: COND_WAIT before it is
	                       woken, COND_WOKEN while it waits for its mutex */
	uint8_t pad[3];
	uint64_t point;
	uint64_t object;    /* address (COND_WOKEN: of the mutex); 0 for a join */
	uint32_t holder;    /* thread that holds the lock, or is joined; SCHED_NONE: none known */
	uint32_t pad2;
};

struct sched_switch { /* a segment of the run: the thread ran up to before its point `until` */
	uint32_t thread, pad;
	uint64_t until;
};

enum {
	SCHED_F_NATIVE = 1, /* others ran during a native call: the order was not controlled */
	SCHED_F_FULL = 2,   /* the array of switches was too small */
	SCHED_F_PLACES = 4, /* the library chose the address of a block or stack: it may depend on
	                       the schedule */
	SCHED_F_SURVIVED = 8, /* SCHED_GUARD: memory could not be accessed, and the program went on: a
	                         handler of its own ran, or a call failed with EFAULT */
	SCHED_F_OPEN_BLOCK = 16, /* SCHED_GUARD: a block is not protected */
};

struct sched_outcome { /* written by the runtime; consistent after each store */
	uint32_t fate; /* enum sched_fate */
	int32_t code;
	uint32_t thread; /* number in the schedule; SCHED_NONE: it has none */
	uint32_t flags;
	uint64_t point, addr;
	uint32_t done;      /* number of segments completed */
	uint32_t diverged;  /* 1: the schedule diverged at segment `done`: `text` says why, and if
	                       the thread had to wait, waits[0] says for what (nwaits >= 1) */
	uint32_t goal_seen; /* 1: the goal was observed */
	uint32_t nwaits;
	struct sched_memory memory[2]; /* of the points at_a and at_b of the goal */
	struct sched_wait waits[SCHED_MAX_WAITS];
	uint64_t hash;   /* of (thread, point, kind) of every point passed under control, in order:
	                    equal schedules have equal hashes */
	uint64_t points; /* number of points passed by all threads */
	char text[SCHED_TEXT]; /* a sentence without full stop */
	uint32_t nswitches, max_switches;
	struct { /* the first misuse; the program continued */
		uint32_t what; /* enum sched_misuse */
		uint32_t thread;
		uint64_t point, object;
	} misuse;
	uint32_t nthreads, max_threads; /* names in the array: those of the schedule, then other
	                                   threads in order of appearance; a thread without a name
	                                   has no number */
};

enum sched_input_kind {
	SCHED_INPUT_OBJECT, /* bytes of the nth object (from 1) with that name in heddle_input() */
	SCHED_INPUT_FILE,   /* the bytes are the path of the file that traced code opens instead of
	                       the name, which is an absolute path without "." and ".." */
};
struct sched_input {
	uint32_t kind, nth;
	uint64_t name_at, bytes_at, n; /* offsets in this memory; the name ends with a NUL, and so does
	                                  the path of a file, which n does not count */
	uint32_t calls; /* for the runtime: uses of the name so far; set in its first input */
	uint32_t pad;
};

struct sched_shared {
	uint64_t magic;
	uint32_t version, size; /* of this struct */
	uint32_t mode;          /* enum sched_mode */
	uint32_t depth;         /* PCT */
	uint64_t seed, length;  /* RANDOM, PCT; length: expected number of points */
	uint64_t patience;      /* points after which a run counts as stuck; 0 = 50 million */
	uint32_t nthreads, nsteps;
	uint32_t goal, a, b;    /* enum sched_goal, its threads */
	uint32_t flags;         /* SCHED_STOP_AT_SWITCH (for gdb: call __heddle_switch_point() at
	                           every switch, see below; no int3), SCHED_OPEN, SCHED_GUARD */
	uint64_t at_a, at_b;
	uint64_t threads_at, steps_at, switches_at; /* offsets of the arrays in this memory */
	uint64_t counts_at; /* uint64_t for each name: points that the thread had passed when it was
	                       last switched from or ended */
	uint64_t inputs_at;
	uint64_t private_at; /* offset of a directory name: a file that traced code opens to write
	                        is copied there, and from then on the copy is used; 0 = no copies */
	uint32_t ninputs, pad;
	struct sched_outcome out;
};
enum {
	SCHED_STOP_AT_SWITCH = 1,
	SCHED_OPEN = 2, /* parts of the program are not traced: they may wake a wait on a condition
	                   variable unobserved. A state with such a wait is not a deadlock, but
	                   SCHED_STUCK */
	SCHED_SPURIOUS = 8, /* a segment of a thread that waits on a condition variable, without a
			       signal for it, wakes the thread spuriously */
	SCHED_GUARD = 4, /* memory after a block (up to 15 bytes later because of alignment) and
	                    freed blocks are inaccessible: an access raises SIGSEGV. For the
	                    first 16000 blocks; SCHED_F_OPEN_BLOCK if there are more */
};
/*
 * In the image: void __heddle_switch_point(uint32_t from, uint32_t to, uint32_t done), a global
 * symbol, not inlined, for debuggers to stop at. The thread `to` calls it after a context switch,
 * before it continues. from and to are numbers of the schedule; `done` segments are completed. The
 * last thread calls it once more when all segments are completed, with from == to.
 */

#endif
