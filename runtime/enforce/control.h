/*
 * The enforcing runtime, for its own files: one thread has the *turn*, the others wait for it. Who
 * is next is decided when the one that has it stands before a point, cannot go on, or ends.
 * log/schedule.h is what it is told and what it tells; runtime.h has the rules of all code here.
 *
 * Everything below struct control is protected by its lock, except what the thread with the turn
 * owns (its own struct controlled). Signal handlers never take the lock.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_CONTROL_H
#define HEDDLE_RUNTIME_ENFORCE_CONTROL_H

#include "log/schedule.h"
#include "runtime/enforce.h"
#include "runtime/runtime.h"

enum thread_state {
	THREAD_READY,    /* stands before a point, or did not start yet */
	THREAD_RUNNING,  /* has the turn */
	THREAD_BLOCKED,  /* until ready() */
	THREAD_SLEEPING, /* until its deadline */
	THREAD_NATIVE, /* lost its turn in code that is not traced; asks for it at its next point */
	THREAD_ENDED,
};

#define NO_DEADLINE UINT64_MAX

enum { SPIN_POINTS = 20, SPIN_TURN = 2000, SPIN_LONG = 4000, SPIN_PLACES = 4 };

struct spin { /* spin.h: of a thread that waits for others in a loop */
	struct spin_place {
		uint64_t addr;
		uint64_t was;  /* what stood there before the last update */
		uint32_t size; /* of that; 0: there was none */
	} at[SPIN_PLACES]; /* of its last points */
	uint32_t n;
	uint32_t quiet, turn; /* points that changed nothing: in a row, and since it gave way */
	uint32_t limit;       /* it gives way after so many, as long as control.changes is `epoch` */
	uint64_t epoch;
	bool tries, locks; /* that are among the points */
	uint64_t cycle; /* control.changes + 1 when it was seen to go round in a circle */
};

struct controlled {
	uint64_t count; /* points passed */
	uint64_t stop;  /* the count at which something must be decided */
	uint64_t *
		hash; /* over all points in their order: all threads' that take turns, or its own */
	uint64_t own_hash;
	/* the point that it stands before */
	bool standing;
	uint8_t kind;  /* LOG_S_*, or POINT_ACCESS */
	uint8_t flags; /* POINT_* of an access */
	uint64_t addr, size;
	uint64_t from; /* of a copy: where it reads; else 0 */

	struct controlled *next; /* alive, in the order in which they were made */
	uint32_t number;         /* of the schedule, SCHED_NONE if it has none */
	uint32_t parent, nth;
	uint32_t children;
	uint64_t path; /* hash of its name and those before it; 0: it has none */
	uint32_t slot; /* region.h: its piece of the address space + 1; 0: it has none */
	uint32_t state;        /* enum thread_state */
	_Atomic uint32_t turn; /* futex: it has the turn, and may not know yet */
	/* BLOCKED */
	bool (*ready)(struct controlled *t);
	uint8_t wait_kind;
	const volatile void *object, *mutex;
	struct controlled *target; /* of a join */
	uint64_t deadline;         /* virtual ns; UINT64_MAX: none */
	bool timed_out;
	/* condition variables: waits since, was woken by a broadcast */
	uint64_t wait_seq;
	bool in_wait, granted, late;
	bool joined, detached;
	bool left;           /* its stream has ended; what it still does is not counted */
	bool cancelled;      /* pthread_cancel() was called for it, and was not tried yet */
	uint64_t generation; /* of the barrier it waits at */

	uint64_t self; /* pthread_t */
	uint32_t tid;
	struct log_ctl *const *ctl; /* its __heddle_ctl */
	uint64_t flushed;           /* count as the outcome has it */
	uint64_t segment;           /* count when it got the turn */
	int64_t priority;           /* PCT */
	struct spin spin;
	bool failed; /* the try before its point is passed */
	bool yielded;
	uint64_t idle_at; /* count at which it yields and sleeps, and how often it did */
	uint32_t idle;
	/* the watchdog's last look at the thread with the turn */
	const struct controlled *seen;
	uint64_t seen_count, seen_times;
};

enum { /* points that are accesses; the low 32 bits of what instrumented code says are the size */
	POINT_ACCESS = 255,
	POINT_WRITE = 1,
	POINT_ATOMIC = 2,
};

struct control {
	struct sched_shared *shared; /* NULL: there is no schedule */
	struct sched_outcome *out;
	const struct sched_step *steps;
	struct sched_thread *names;
	struct sched_switch *switches;
	uint64_t *counts;
	bool on; /* threads take turns */
	_Atomic uint32_t lock;
	struct controlled *holder; /* of the turn; NULL: whoever comes first */
	struct controlled *last;   /* ran before */
	uint32_t nthreads, nalive;
	struct controlled *alive;
	uint32_t step;   /* the one that is at work */
	bool steps_done; /* and the goal was looked at */
	bool tell_done;  /* a debugger wants to know */
	uint64_t patience;
	uint64_t hash;
	uint64_t now;      /* virtual ns that were slept and waited */
	uint64_t wait_seq; /* of condition variables */
	uint64_t random;
	uint64_t changes; /* points that changed something, or may have */
	bool forked;    /* there may be others who wake us */
	uint32_t dying; /* kernel's number of the thread that ended last */
};
extern struct control control;

/* The calling thread; of threads that are not under control (and in handlers) a common one. */
extern __thread struct controlled *me __attribute__((tls_model("initial-exec")));
extern struct controlled uncontrolled;

/* Under a schedule that decides: operations of traced code are done by turns. */
static inline bool in_control(void)
{
	return me != &uncontrolled && control.on;
}

/* ---- turn.c ------------------------------------------------------------------------------ */

void control_lock(void);
void control_unlock(void);
/* The calling thread stands before a point; comes back when it may pass it. */
void arrive(uint8_t kind, const volatile void *object);
static inline void count_point(struct controlled *t, uint64_t kind)
{
	uint64_t h = (*t->hash ^ kind ^ (uint64_t)t->number << 32) + t->count;
	h *= 0x9e3779b97f4a7c15ull;
	*t->hash = h ^ h >> 29;
	t->count++;
}
/* It did. */
void passed(void);
/* What the calling thread wants cannot be done: others run until ready() says that it may try
 * again. deadline: virtual; false if that came first. */
bool wait_until(uint8_t kind, const volatile void *object, bool (*ready)(struct controlled *),
	uint64_t deadline);
/* Others may run for so long; between points. */
void sleep_until(uint64_t deadline);
void yield_turn(void);
/* The calling thread, if it lost its turn in native code, waits for it. */
void regain_turn(void);
/* also of threads that ended; NULL */
struct controlled *thread_of_number(uint32_t number);
struct controlled *thread_of_self(uint64_t self);
struct controlled *thread_of_tid(uint32_t tid);
/* points and switches of the thread so far into the outcome */
void flush(struct controlled *t);
/* and that it was the last to run, in the middle of a point if it stands there */
void flush_last(struct controlled *t);

/* ---- choose.c: who is next ---------------------------------------------------------------- */

void choose_start(void);
bool can_run(struct controlled *t);
/* With the lock: the next one, its stop set; NULL if all are in native code or ended. May end the
 * process. */
struct controlled *choose(struct controlled *now);
void priority_init(struct controlled *t);
/* It spins or yields: others first. */
void choose_later(struct controlled *t);

/* ---- outcome.c ---------------------------------------------------------------------------- */

struct text { /* into the outcome's text */
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
/* The fate, unless there is one already that counts more; of the calling thread at its last point.
 */
void fate_note(enum sched_fate fate, int code, const struct text *t);
void misuse(enum sched_misuse what, const volatile void *object);
void diverge(const struct controlled *t, const char *why);
void look_at_goal(void);
/* before the process ends */
void last_words(void);
/* after a thread blocked: do some wait for each other in a circle? */
void look_for_circle(struct controlled *t);
_Noreturn void deadlock(void);
_Noreturn void stuck(const char *why);

/* ---- held.c: who has what ----------------------------------------------------------------- */

void held_take(const volatile void *object, bool recursive);
/* false: the calling thread does not have it */
bool held_give(const volatile void *object);
/* a thread that has it, that one if it does; NULL */
struct controlled *held_by(const volatile void *object, struct controlled *rather);
/* the calling thread ends */
void held_drop(struct controlled *t);
/* whom a waiting thread waits for, as far as it is known */
struct controlled *holder_of(const struct controlled *waiting);
/* a thread waits for it */
bool waited_for(const volatile void *object);
/* Nobody has the mutex, as far as its own word says; and the thread that has it. */
bool mutex_is_free(const volatile void *mutex);
struct controlled *mutex_owner(const volatile void *mutex);
/* The object was destroyed: its first 8 bytes say so until it is made anew. */
void mark_destroyed(void *object);
/* notes the misuse of one that is; then it is as if made anew with zeros */
void check_destroyed(void *object);

/* ---- sync_wait.c -------------------------------------------------------------------------- */

/* It waits at a condition variable, and was woken. */
bool cond_woken(const struct controlled *t);

/* ---- heap.c ------------------------------------------------------------------------------- */

/* What is known of an address. */
void heap_look(struct sched_memory *m);
/* Of a block in a region (region.h): its size; and that code which is not traced frees it. */
uint64_t heap_size(uint64_t addr);
void heap_free_native(void *p);

/* ---- time.c ------------------------------------------------------------------------------- */

struct timespec;
#define BAD_DEADLINE (UINT64_MAX - 1) /* there is no such time */
/* A point in time of that clock, in virtual ns. */
uint64_t deadline_of(int clock, const struct timespec *until);

#endif
