/*
 * A schedule for the real program, and what became of it: the memory that heddle shares with the
 * runtime of an *enforce* image (runtime/enforce). One thread runs at a time; who is next is decided
 * at *points*.
 *
 * A *point* is a place in a thread's execution right before
 *  - an instruction with PLAN_F_EVENT (facts/plan.h): an access that others may see
 *  - each operation that makes one record of log/sync.def, also those with two records: a cond_wait
 *    has one point before it begins and one before it takes its mutex again (it may pass that one
 *    only when it was woken); a barrier one before it enters and one before it leaves; a once one
 *    after the routine, where its record stands
 * They are numbered from 0 in each thread, as the instruments and the re-execution count them: the
 * number of a point is the number of points that the thread passed before. The start of a thread is
 * before its point 0. Failed operations count too; wrappers called by native code do not.
 *
 * Threads are named by who created them: thread 0 is the main one; another is the nth thread that
 * its parent created (n from 0, successful creations by traced code only). Numbers are those of
 * the schedule.
 *
 * A *step* (thread, until) lets that thread run until it stands before its point `until`. Steps of
 * one thread have rising numbers. A thread that cannot go on (it would block, it ended, it waits in
 * native code) before it gets there: the schedule has *diverged* at that step. One that ended with
 * exactly so many points has got there. After the last step the *goal* is looked at, and the
 * program goes on: the thread of the last step first, each until it blocks, ends, yields, waits for
 * others in a loop (some 20 points in a row that only read the same few places, or fail to change them:
 * runtime/enforce/spin.h), or has passed SCHED_QUANTUM points while others could run, then the next
 * that can run. That too is deterministic. If all who can run wait in loops, and nobody can change what
 * they wait for, it is a livelock.
 *
 * Time is virtual where it can be: sleeps and timed waits end when no other thread can run, the
 * earliest first, or when a step wants their thread to go on. At random a thread that sleeps may be
 * next at any time: a sleep orders nothing. A thread in a native call that sleeps
 * for 100 ms (or works for 2 s) while others could run loses its turn until its next point:
 * SCHED_F_NATIVE is set then, the order was not fully ours.
 *
 * Addresses: a block that traced code allocates lies where follows from the name of the thread and from
 * what it allocated before, a thread's stack (and with it its pthread_t) where follows from its name
 * (runtime/enforce/region.h), whatever the schedule. Not so what the library allocates for itself or
 * returns (strdup), nor mmap().
 */
#ifndef HEDDLE_LOG_SCHEDULE_H
#define HEDDLE_LOG_SCHEDULE_H

#include <stdint.h>

#define SCHED_ENV     "HEDDLE_SCHEDULE_FD" /* number of an inherited descriptor, taken away at start */
#define SCHED_MAGIC   0x3148435344444548ull /* "HEDDSCH1" */
#define SCHED_VERSION 2
#define SCHED_NONE    UINT32_MAX
#define SCHED_QUANTUM 20000
/* exit codes of a process that the runtime ended: fates SCHED_DEADLOCK and SCHED_STUCK */
#define SCHED_EXIT_DEADLOCK 86
#define SCHED_EXIT_STUCK    87

enum sched_mode {
	SCHED_STEPS,  /* the steps below, then deterministic */
	SCHED_RANDOM, /* at every point, the next thread at random among those that can run */
	SCHED_PCT,    /* Burckhardt et al. 2010: random priorities, `depth` - 1 changes among `length` */
	SCHED_FREE,   /* no control but the bookkeeping: the operating system decides */
};

struct sched_thread {
	uint32_t parent, nth; /* of thread 0: SCHED_NONE */
};

struct sched_step {
	uint32_t thread;
	uint32_t flags; /* 0 */
	uint64_t until;
};

enum sched_goal { /* what the runtime looks at when the steps are done */
	SCHED_GOAL_NONE,   /* nothing: the fate of the program is what is wanted */
	SCHED_GOAL_RACE,   /* threads a and b stand before points at_a and at_b: two accesses to
	                      overlapping bytes, one of them a write, not both atomic */
	SCHED_GOAL_ACCESS, /* thread a stands before point at_a: is its address freed, null, or outside
	                      of the block it was computed for? (see sched_outcome.memory) */
	SCHED_GOAL_STUCK,  /* deadlock: looked for by letting everybody go on as far as possible,
	                      beginning with those of the steps; nobody may make progress in the set */
};

struct sched_memory { /* of a point that is an access or a free */
	uint64_t addr, size;
	uint8_t write, atomic;
	uint8_t what; /* enum sched_what */
	uint8_t pad[5];
	uint64_t block, block_size; /* heap block that it is in, or was in, or lies nearest below it */
	uint32_t freed_by;          /* thread, SCHED_NONE: not freed */
	uint32_t pad2;
};
enum sched_what { SCHED_OK, SCHED_NULL, SCHED_FREED, SCHED_OUTSIDE, SCHED_UNMAPPED };

enum sched_fate { /* the first that is noted stays, but EXITED and MISUSE give way to the others */
	SCHED_RUNNING,  /* it was killed from outside, or exec'd, or is not there yet */
	SCHED_EXITED,   /* exit code in `code` */
	SCHED_ASSERT,   /* __assert_fail and its kin, heddle_assert, abort: `thread`, `point`, `text` */
	SCHED_SIGNAL,   /* signal number in `code`, of thread `thread` at `point`; `addr` */
	SCHED_DEADLOCK, /* nobody can run: who waits for what stands in `waits` */
	SCHED_MISUSE,   /* a primitive was used wrongly: `text` (double unlock, destroyed in use, …) */
	SCHED_STUCK,    /* no progress, and not because of locks: a livelock (`text` says who waits at which
	                   point), native code, or no end for `patience` points */
};

enum sched_misuse { /* of a primitive */
	SCHED_USED_WELL,
	SCHED_UNLOCK_FREE,    /* unlocked, and nobody had locked it */
	SCHED_UNLOCK_OTHERS,  /* unlocked, and another thread had locked it */
	SCHED_LOCK_OWN,       /* locked by the thread that has it, and it is not recursive */
	SCHED_DESTROY_HELD,   /* destroyed while it was locked */
	SCHED_DESTROY_WAITED, /* destroyed while a thread waited for it */
	SCHED_USE_DESTROYED,  /* used after it was destroyed */
	SCHED_FREE_FREED,     /* a block freed twice */
	SCHED_END_HOLDING,    /* a thread ended with a recursive lock that it had */
};

enum { SCHED_MAX_WAITS = 64, SCHED_TEXT = 512 };
struct sched_wait { /* a thread that cannot go on */
	uint32_t thread;
	uint8_t kind;       /* LOG_S_* of the operation; of a cond_wait that nobody woke COND_WAIT,
	                       of one that waits for its mutex again COND_WOKEN */
	uint8_t pad[3];
	uint64_t point;
	uint64_t object;    /* address (COND_WOKEN: of the mutex); of a join 0 */
	uint32_t holder;    /* thread that holds the lock, or is joined; SCHED_NONE: nobody that is known */
	uint32_t pad2;
};

struct sched_switch { /* what happened: thread ran up to (not including) its point `until` */
	uint32_t thread, pad;
	uint64_t until;
};

enum {
	SCHED_F_NATIVE = 1,
	SCHED_F_FULL = 2,   /* more switches than room */
	SCHED_F_PLACES = 4, /* a block or a stack is where the library put it: its address may depend on
	                       the schedule */
};

struct sched_outcome { /* written by the runtime, valid after every single store */
	uint32_t fate; /* enum sched_fate */
	int32_t code;
	uint32_t thread; /* in the numbers of the schedule; SCHED_NONE: not named there */
	uint32_t flags;
	uint64_t point, addr;
	uint32_t done;      /* steps that were done */
	uint32_t diverged;  /* 1: the step `done` could not be done: `text` says why, and if its thread
	                       had to wait, waits[0] is what for (nwaits >= 1) */
	uint32_t goal_seen; /* 1: the goal was observed */
	uint32_t nwaits;
	struct sched_memory memory[2]; /* of the goal's points */
	struct sched_wait waits[SCHED_MAX_WAITS];
	uint64_t hash;   /* over (thread, point, kind) of every point in the order in which they were
	                    passed, under control: equal schedules have equal hashes */
	uint64_t points; /* passed, of all threads */
	char text[SCHED_TEXT]; /* a sentence without its end */
	uint32_t nswitches, max_switches;
	struct { /* the first misuse; the program went on */
		uint32_t what; /* enum sched_misuse */
		uint32_t thread;
		uint64_t point, object;
	} misuse;
	uint32_t nthreads, max_threads; /* names in the array: those of the schedule, then others as
	                                   they were met; threads without a name have no number */
};

enum sched_input_kind {
	SCHED_INPUT_OBJECT, /* the nth object (from 1) that heddle_input() gives that name gets the bytes */
	SCHED_INPUT_FILE,   /* the bytes are the path of the file that traced code gets when it asks for
	                       that name, which is absolute and has no "." and ".." */
};
struct sched_input {
	uint32_t kind, nth;
	uint64_t name_at, bytes_at, n; /* offsets in this memory; the name ends with a NUL, and so does
	                                  the path of a file, which n does not count */
	uint32_t calls; /* of the runtime: how often that name came; in the first input of the name */
	uint32_t pad;
};

struct sched_shared {
	uint64_t magic;
	uint32_t version, size; /* of this struct */
	uint32_t mode;          /* enum sched_mode */
	uint32_t depth;         /* PCT */
	uint64_t seed, length;  /* RANDOM, PCT: length = points to expect */
	uint64_t patience;      /* points without end after which a run counts as stuck; 0 = 50 million */
	uint32_t nthreads, nsteps;
	uint32_t goal, a, b;    /* enum sched_goal, its threads */
	uint32_t flags;         /* SCHED_STOP_AT_SWITCH: int3-free stop for gdb: calls
	                           __heddle_switch_point() (below) at every switch */
	uint64_t at_a, at_b;
	uint64_t threads_at, steps_at, switches_at; /* offsets of the arrays in this memory */
	uint64_t counts_at; /* uint64_t for each name: points that the thread passed, by the time it
	                       last gave way or ended */
	uint64_t inputs_at;
	uint64_t private_at; /* a directory, as a string: traced code that opens a file to change it gets a
	                        copy there, and what it then asks for is the copy; 0 = it gets the file */
	uint32_t ninputs, pad;
	struct sched_outcome out;
};
enum {
	SCHED_STOP_AT_SWITCH = 1,
	SCHED_OPEN = 2, /* parts of the program are not traced: who waits for a condition variable may be
	                   woken by them, and nobody sees it. Then nothing with such a wait is a
	                   deadlock, but SCHED_STUCK */
	SCHED_GUARD = 4, /* what lies behind a block, up to 15 bytes further because of its alignment, and
	                    a freed one cannot be accessed: who does gets a SIGSEGV. Of the first 16000 */
};
/*
 * In the image: void __heddle_switch_point(uint32_t from, uint32_t to, uint32_t done), a global
 * symbol, not inlined, called by the thread `to` when its turn comes, before it goes on; numbers of
 * the schedule, `done` steps are done. And once by the last thread when all of them are done, with
 * from == to. Debuggers stop there.
 */

#endif
