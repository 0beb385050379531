/*
 * Shared by the files of the enforcing runtime. One thread runs at a time: the thread that holds
 * the *token*; the others wait for it. The next thread is chosen when the holder stands before a
 * scheduling point, cannot continue, or ends. log/schedule.h describes the schedule and the
 * outcome; runtime.h has the rules of all code here.
 *
 * The lock of struct control protects everything, except what the holder of the token owns (its own
 * struct controlled). Signal handlers never take the lock.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_CONTROL_H
#define HEDDLE_RUNTIME_ENFORCE_CONTROL_H

#include "log/schedule.h"
#include "runtime/enforce.h"
#include "runtime/runtime.h"

enum thread_state {
	THREAD_READY,    /* stands before a point, or did not start yet */
	THREAD_RUNNING,  /* holds the token */
	THREAD_BLOCKED,  /* until ready() */
	THREAD_SLEEPING, /* until its deadline */
	THREAD_NATIVE,   /* lost the token in native code; waits for it at its next point */
	THREAD_ENDED,
};

#define NO_DEADLINE UINT64_MAX

enum { SPIN_POINTS = 20, SPIN_MOST = 2000, SPIN_LONG = 4000, SPIN_PLACES = 4 };

struct spin { /* spin.h: a thread that waits for others in a loop */
	struct spin_place {
		uint64_t addr;
		uint64_t was;  /* the value before the last update */
		uint32_t size; /* its size in bytes; 0: there was no update */
	} at[SPIN_PLACES];     /* the places of its last points */
	uint32_t n;
	uint32_t quiet; /* points in a row that changed nothing */
	uint32_t since; /* the same, since the thread last gave way */
	uint32_t limit; /* it gives way after so many, as long as control.changes is `epoch` */
	uint64_t epoch;
	bool tries, locks; /* failed tries, and locks, are among the points */
	uint64_t cycle;    /* control.changes + 1 when it returned to an earlier state */
};

struct controlled {
	uint64_t count; /* points passed */
	uint64_t stop;  /* the count at which the next thread must be chosen */
	/* over all points in their order: of all threads under control, or only its own */
	uint64_t *hash;
	uint64_t own_hash;
	/* the point before which it stands */
	bool standing;
	uint8_t kind;  /* LOG_S_*, or POINT_ACCESS */
	uint8_t flags; /* POINT_* of an access */
	uint64_t addr, size;
	uint64_t from; /* of a copy: the address that it reads; else 0 */

	struct controlled *next; /* of those alive, in the order of creation */
	uint32_t number;         /* in the schedule; SCHED_NONE if it has none */
	uint32_t parent, nth;
	uint32_t children;
	uint64_t path;          /* hash of its name and of its creators' names; 0: it has no name */
	uint32_t slot;          /* region.h: index of its region + 1; 0: it has none */
	uint32_t state;         /* enum thread_state */
	_Atomic uint32_t token; /* futex: 1 = the thread got the token and has not noticed yet */
	/* BLOCKED */
	bool (*ready)(struct controlled *t);
	uint8_t wait_kind;
	const volatile void *object, *mutex;
	struct controlled *target; /* the thread that it joins */
	uint64_t deadline;         /* virtual ns; UINT64_MAX: none */
	bool timed_out;
	/* condition variables */
	uint64_t wait_seq;           /* when the wait began */
	bool in_wait, granted, late; /* waits; woken by a broadcast; its time is over */
	bool joined, detached;
	bool ending;    /* it ends the process as soon as no other thread can go on */
	bool left;      /* its stream has ended; its later points are not counted */
	bool cancelled; /* pthread_cancel() was called for it, and it has not tested that yet */
	uint64_t generation; /* of the barrier at which it waits */
	/* descriptors.c */
	const struct waited_fds *fds; /* the descriptors for which it waits, or NULL */
	int interrupted; /* the last signal whose handler ran during the wait; 0: none */
	bool outside;    /* no thread can end its wait: it waits in the system */

	uint64_t self; /* pthread_t */
	uint32_t tid;
	struct log_ctl *const *ctl; /* its __heddle_ctl */
	uint64_t flushed;           /* the count in the outcome */
	uint64_t segment;           /* the count when it got the token */
	int64_t priority;           /* PCT */
	struct spin spin;
	bool failed; /* its last try or timed wait failed */
	bool yielded;
	uint64_t idle_at; /* the count at which it yields and sleeps, and how often it did */
	uint32_t idle;
	/* what it saw of the holder of the token when it last checked (watch) */
	const struct controlled *seen;
	uint64_t seen_count, seen_times;
};

enum { /* points that are accesses: kind and flags */
	POINT_ACCESS = 255,
	POINT_WRITE = 1,
	POINT_ATOMIC = 2,
	POINT_BLOCK = 4, /* a copy or fill */
};

/* Defines the replacement of a function of log/instead.def. */
#define INSTEAD(type, name) HOOK type __heddle_instead_##name

struct control {
	struct sched_shared *shared; /* NULL: there is no schedule */
	struct sched_outcome *out;
	const struct sched_step *steps;
	struct sched_thread *names;
	struct sched_switch *switches;
	uint64_t *counts;
	bool on; /* one thread runs at a time */
	_Atomic uint32_t lock;
	struct controlled *holder; /* of the token; NULL: the next thread that asks gets it */
	struct controlled *last;   /* the holder before that */
	uint32_t nthreads, nalive;
	struct controlled *alive;
	uint32_t step;     /* index of the current segment of the schedule */
	bool steps_done;   /* all segments are done, and the goal was checked */
	bool tell_done;    /* the debugger has to be told so */
	uint64_t patience; /* the number of points after which the run ends */
	uint64_t hash;
	uint64_t now;      /* virtual time in ns: sleeps and timed waits */
	uint64_t wait_seq; /* counts waits and signals of condition variables */
	uint64_t random;
	uint64_t changes; /* points that changed something, or may have */
	uint32_t ending;  /* threads that wait to end the process: */
	uint64_t held_at; /* points when the first of them began to wait */
	uint64_t held;    /* choices of other threads since */
	bool let_end;     /* the others had their time */
	bool forked;      /* another process may wake a thread */
	uint32_t dying;   /* tid of the thread that ended last; 0 = none */
};
extern struct control control;

/* The calling thread. Threads without control, and signal handlers, share `uncontrolled`. */
extern __thread struct controlled *me __attribute__((tls_model("initial-exec")));
extern struct controlled uncontrolled;

/* The calling thread runs only while it holds the token. */
static inline bool in_control(void)
{
	return me != &uncontrolled && control.on;
}

/* ---- control.c ------------------------------------------------------------------------------ */

void control_lock(void);
void control_unlock(void);
/* The calling thread stands before a scheduling point; returns when the thread may pass it. */
void arrive(uint8_t kind, const volatile void *object);
static inline void count_point(struct controlled *t, uint64_t kind)
{
	uint64_t h = (*t->hash ^ kind ^ (uint64_t)t->number << 32) + t->count;
	h *= 0x9e3779b97f4a7c15ull;
	*t->hash = h ^ h >> 29;
	t->count++;
}
/* The thread has passed the point at which it arrived. */
void passed(void);
/* The calling thread is blocked: other threads run until ready() is true. deadline: in virtual
 * time; false if it came first. */
bool wait_until(uint8_t kind, const volatile void *object, bool (*ready)(struct controlled *),
	uint64_t deadline);
/* Other threads may run until that virtual time; not a scheduling point. */
void sleep_until(uint64_t deadline);
void yield_token(void);
/* Waits for the token if the calling thread has lost it in native code. */
void regain_token(void);
/* The thread, which may have ended; NULL if there is none. */
struct controlled *thread_of_number(uint32_t number);
struct controlled *thread_of_self(uint64_t self);
struct controlled *thread_of_tid(uint32_t tid);
/* Writes the points and context switches of the thread so far into the outcome. */
void flush(struct controlled *t);
/* The same for the last thread of a run, which may be inside a point. */
void flush_last(struct controlled *t);

/* ---- choose_thread.c ---------------------------------------------------------------------- */

void choose_start(void);
bool can_run(struct controlled *t);
/* With the lock: chooses the next thread and sets its stop; NULL if all threads are in native code
 * or have ended. Ends the process at a deadlock. */
struct controlled *choose(struct controlled *now);
/* All threads that can run wait in loops for others. True if a thread waits to end the process: it
 * may do so now. */
bool end_is_due(void);
void priority_init(struct controlled *t);
/* The thread spins or yields: other threads go first. */
void choose_later(struct controlled *t);

/* ---- outcome.c ---------------------------------------------------------------------------- */

struct text { /* for the text of the outcome */
	char s[SCHED_TEXT];
	uint32_t n;
};
static inline void text_init(struct text *t)
{
	t->n = 0;
	t->s[0] = 0;
}
void text_add(struct text *t, const char *s);
void text_number(struct text *t, uint64_t n);
void text_hex(struct text *t, uint64_t n);
/* Sets the outcome, for the calling thread at its last point, unless a more important one is set.
 */
void fate_note(enum sched_fate fate, int code, const struct text *t);
void misuse(enum sched_misuse what, const volatile void *object);
void diverge(const struct controlled *t, const char *why);
void check_goal(void);
/* Before the process ends. */
void flush_outcome(void);
/* After a thread was blocked: notes a cycle of threads that wait for each other. */
void find_wait_cycle(struct controlled *t);
_Noreturn void deadlock(void);
_Noreturn void stuck(const char *why);

/* ---- held_locks.c ------------------------------------------------------------------------- */

void held_take(const volatile void *object, bool recursive);
/* False if the calling thread does not hold the object. */
bool held_give(const volatile void *object);
/* A thread that holds the object, `rather` if it does; NULL if none does. */
struct controlled *held_by(const volatile void *object, struct controlled *rather);
/* The thread ends. */
void held_drop(struct controlled *t);
/* The thread that a waiting thread waits for; NULL if unknown. */
struct controlled *holder_of(const struct controlled *waiting);
/* Whether a thread waits for the object. */
bool waited_for(const volatile void *object);
/* Whether the mutex is free, as its own word says; and the thread that holds it. */
bool mutex_is_free(const volatile void *mutex);
struct controlled *mutex_owner(const volatile void *mutex);
/* Marks an object as destroyed in its first 8 bytes, until it is initialized again. */
void mark_destroyed(void *object);
/* Notes the misuse of a destroyed object and resets its first 8 bytes to zero. */
void check_destroyed(void *object);

/* ---- sync_wait.c -------------------------------------------------------------------------- */

/* Whether the thread, which waits at a condition variable, was woken. */
bool cond_woken(const struct controlled *t);

/* ---- descriptors.c ------------------------------------------------------------------------ */

struct pollfd;
struct waited_fds {
	struct pollfd *at;
	uint64_t n;
};
bool fds_ready(struct controlled *t);

/* ---- heap.c ------------------------------------------------------------------------------- */

/* Describes an address: its block, and whether an access is valid. */
void heap_describe(struct sched_memory *m);
/* Notes a misuse if the range begins in a freed block, or in a block and ends behind it. */
void heap_check_range(uint64_t addr, uint64_t n);
/* The size of a block in a region (region.h); and a free of such a block by native code. */
uint64_t heap_size(uint64_t addr);
void heap_free_native(void *p);

/* ---- virtual_time.c
 * ------------------------------------------------------------------------------- */

struct timespec;
#define BAD_DEADLINE (UINT64_MAX - 1) /* an invalid time */
/* A time of that clock in virtual ns. */
uint64_t deadline_of(int clock, const struct timespec *until);

#endif
