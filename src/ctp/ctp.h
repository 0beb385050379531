/*
 * The concurrent trace program of a recorded run (Fusion, §3): for each thread, in program order,
 * its events that another thread can observe. The values are terms over the values that the thread
 * read from shared cells; computation that is local to a thread is part of the terms.
 *
 * A *linearization* is an interleaving of prefixes of the threads' events in which
 *  - every read returns the value of the last write to its cell before it (or the initial one)
 *  - every guard holds under these values
 *  - synchronization obeys its semantics (model/model_sync.c encodes it)
 * The real program can reach every state that a linearization reaches. The model is conservative:
 * it may omit behaviour of the program, and it adds none.
 *
 * A *cell* is a range of memory of 1 to 16 bytes that each event accesses whole or not at all.
 * Accesses of different sizes are cut into cells, so an event may access several. Each generation
 * of memory has its own cells. Only cells that are shared (accessed by two threads, by one of them
 * with a write) have events.
 *
 * Symbols: the value that a READ or RMW reads from a cell is a symbol of its own (ctp_access.sym),
 * of 8 * size bits. A value that is the same in every linearization is a constant.
 *
 * Life of a trace program: extract.h makes it from a whole run, partition.h from a chunk, merge.h
 * from several runs. Who builds a program has a pointer to a struct ctp that is not const, and ends
 * the building with ctp_finish(). Lifetime: heap, ctp_free().
 */
#ifndef HEDDLE_CTP_CTP_H
#define HEDDLE_CTP_CTP_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "term/term.h"

#include <assert.h>

#define CTP_NONE UINT32_MAX
#define CTP_ANY_FILE UINT64_MAX

enum ctp_kind {
#define CTP(id, text) CTP_##id,
#include "ctp/ctp.def"
	CTP_NKINDS
};
const char *ctp_kind_name(enum ctp_kind k);

struct ctp_access {
	uint32_t cell;
	term_t sym;   /* symbol of the value that was read; TERM_NONE: no read */
	term_t value; /* term of the value that was written; TERM_NONE: no write */
	u128 seen, put; /* the values that were read and written in the recorded run */
};

struct ctp_range { /* of bytes */
	uint64_t addr, size;
};

enum { /* ctp_event.flags */
	CTP_ATOMIC = 1 << 0,   /* the access is atomic: it races with plain ones only */
	CTP_WROTE = 1 << 1,    /* the access wrote in the recorded run; HIDDEN: it changes the state */
	CTP_HAD_READ = 1 << 2, /* the access read in the recorded run; HIDDEN: its results depend on
				  the state */
	CTP_TIMED = 1 << 3,    /* the operation has a time limit */
	CTP_RECURSIVE = 1 << 4, /* LOCK, UNLOCK of an inner level: no critical section of its own */
	CTP_ERRORCHECK = 1 << 5, /* LOCK: of an errorcheck mutex; TRYFAIL: with EDEADLK */
	CTP_STACK_UNSURE = 1 << 6,
	CTP_TRIED = 1 << 7,    /* LOCK, RDLOCK, SEM_WAIT, JOIN by a try that succeeded: it never
				  blocks */
	CTP_RAN = 1 << 11,     /* ONCE: it ran the routine */
	CTP_PENDING = 1 << 9,  /* last event of its thread: the operation had not returned when the
				  recording ended. No linearization executes it; a query can only
				  ask that the thread is at it. Its rank is UINT32_MAX */
	CTP_NATIVE_USE = 1 << 8, /* the access was made by a library function (memcpy, strlen …);
				    UNLOCK of a robust mutex: by the end of its thread */
	CTP_UNRECOVERABLE = 1 << 12, /* TRYFAIL: with ENOTRECOVERABLE, which needs no holder */
	CTP_BASE_KNOWN = 1 << 10, /* DEREF: the address is of.base, the same in every linearization
				     and inside `block`, plus an offset that depends on symbols */
	CTP_LENGTH = 1 << 12,  /* DEREF: of a block operation whose length depends on symbols. Its
				  address is the end of the range, and its size is 0 */
	CTP_OUTSIDE = 1 << 13, /* DEREF without an operand: a block operation or library function went
				  beyond the end of `block` in the recorded run. With CTP_NATIVE_USE
				  it has no scheduling point of its own */
	CTP_RETURN = 1 << 14, /* FREE: of a variable, by the return of its function, which is no
				 scheduling point */
	CTP_LATE = 1 << 15,   /* access: it comes after the FREE of the variable in the observed order */
};

struct hidden_fn; /* log/hidden.h */

/*
 * One event. The kind determines which of the fields below are used; each field has one meaning.
 * `of` and `link` hold fields of some kinds only: they are written where events are made, and read
 * with the functions below, which assert the kind.
 */
struct ctp_event {
	uint8_t kind; /* enum ctp_kind */
	uint16_t flags;
	uint32_t thread; /* index in ctp.threads */
	uint32_t func, insn; /* place in the program; IR_NONE: none */
	uint32_t stack;  /* call stack (stacks of the thread), 0 = unknown */
	uint32_t rank;   /* index in ctp.order, the observed order; UINT32_MAX: not in it */
	uint64_t point;  /* number of its scheduling point (log/schedule.h). An event without a
			    point of its own (a guard, say) has the number of the next point of the
			    thread: when the thread has reached that point, the event is executed */
	uint64_t index;  /* instructions of the thread up to it, its own included */
	uint64_t object; /* synchronization: address of the object; 0 for other kinds */
	uint64_t at, size; /* accesses, DEREF, FREE, ALLOC: address and size as recorded; else 0 */
	uint32_t first, n; /* range in ctp.accesses. Operations on an object whose state is a cell
			      have one; n is 0 for other kinds that are no access */
	uint32_t region;   /* critical section that this event begins or ends; CTP_NONE */
	uint32_t block;    /* ALLOC, FREE, DEREF and accesses: heap block; CTP_NONE */
	term_t cond;       /* guards: one bit */
	term_t operand;    /* the value that the event depends on: the address of a DEREF or FREE,
			      the divisor, the function of a CALL, the value of a switch (BRANCH,
			      ASSERT). TERM_NONE: it is the same in every linearization, or the
			      event has none */
	union {
		uint64_t mutex;   /* WAIT, WOKEN, TIMEOUT */
		uint64_t decided; /* guards except DEREF: the recorded value of the condition (0,
				     1), the low 64 bits of the value of a switch or FIX, or the
				     address of the function */
		uint64_t base;    /* DEREF with CTP_BASE_KNOWN: constant part of the address */
		struct ctp_start {
			uint64_t argument, function;
		} start;          /* CREATE */
		struct ctp_hidden {
			const struct hidden_fn *fn;
			uint64_t object;   /* the open file, pipe …; 0: the whole state */
			uint64_t contents; /* the file whose contents it reads or writes; 0: none;
					      CTP_ANY_FILE: not known which */
			uint64_t end; /* bytes that the thread has transferred to or from the object
					 when it returns; 0: not known */
			uint32_t bytes; /* that it transferred itself, if `end` is known */
			uint32_t data;  /* a hash of the bytes that it wrote; 0: not known */
			bool waits;     /* it waits until there are data */
			bool full;      /* it transferred as many bytes as it was asked for */
			bool flushes;   /* it may write what a stream has buffered */
			bool versioned; /* accesses to a version of the state show its order */
		} hidden;         /* HIDDEN. The numbers are the same for the same object */
	} of;
	union {
		uint32_t peer;    /* CREATE, JOIN, JOINFAIL: index of the other thread; CTP_NONE */
		uint32_t wait;    /* WOKEN, TIMEOUT: its WAIT; CTP_NONE */
		uint32_t runner;  /* ONCE: the ONCE that ran the routine, maybe itself; CTP_NONE */
		uint32_t round;   /* BARRIER_ENTER, BARRIER_LEAVE: number of the round */
		uint32_t none;    /* other kinds: CTP_NONE */
	} link;
};

struct ctp_region { /* a critical section: from a successful lock to its unlock */
	uint64_t object;
	uint32_t thread;
	uint32_t begin, end; /* events. end CTP_NONE: never unlocked; begin CTP_NONE: the lock is
				not modelled */
	bool shared;  /* a read lock */
	bool foreign; /* another thread unlocked it */
};

struct ctp_cell {
	uint64_t addr;
	uint32_t size;
	uint32_t gen;  /* generation of memory, which gives the cell its name */
	u128 initial;  /* value before the first event */
	bool known;    /* the initial value is known */
	bool version;  /* of state that the library keeps (bitcode/hidden_order.h); no variable of the
			  program */
};

struct ctp_block { /* of the heap; or a variable of a function that returns while others use it */
	uint64_t addr, size;
	uint32_t alloc, free; /* events; CTP_NONE: none, or before the modelled part */
	uint32_t gen;
	bool stack; /* a variable: its FREE is the return of its function */
};

struct ctp_object { /* of synchronization */
	uint64_t addr;
	uint8_t kind;    /* enum check_primitive */
	uint8_t type;    /* mutex: 0 normal, 1 recursive, 2 errorcheck, 3 adaptive */
	int64_t initial; /* semaphore: value before the first event; barrier: count; -1 = unknown */
	uint32_t func, insn; /* place of one operation on it, for its name */
	uint32_t gen;
};

struct ctp_thread {
	uint32_t id;            /* in the trace */
	uint32_t parent, nth;   /* creator (CTP_NONE: main thread); number among its children */
	uint32_t first, n;      /* events: contiguous in ctp.events */
	uint32_t create, begin; /* events; CTP_NONE */
	uint32_t end;           /* event; CTP_NONE: no end, it is not known, or it is that of the
				   process */
	uint32_t start_func;    /* function of the program that it runs; IR_NONE */
	bool exits;             /* it ended the process, by exit() or _exit(): no join of it returns,
				   and `end` is CTP_NONE unless it is the main thread */
	bool cut;               /* its execution after its last event is not known */
	uint32_t alt;           /* 0: the only thread of its name, or the first of several
				   *alternatives* (merge.h); else 1 + the index of the first
				   alternative */
};

struct trace;
struct collected;
struct ctp_names; /* ctp_names.c */

struct ctp {
	struct terms *ts;
	bool shared_terms; /* ts has another owner: ctp_free() leaves it */
	bool shared_sync;  /* sync has another owner */
	VEC(struct ctp_event) events;
	VEC(struct ctp_access) accesses;
	VEC(struct ctp_region) regions;
	VEC(struct ctp_cell) cells;
	VEC(struct ctp_block) blocks;
	VEC(struct ctp_object) objects;
	VEC(struct ctp_thread) threads;
	struct vec_u32 order;    /* events in the observed order */
	bool order_exact;        /* replaying that order gives every read its recorded value */
	/* a chunk of a longer run (partition.h): the segments that execute its prefix */
	VEC(struct ctp_move { uint32_t thread; uint64_t until; }) before;
	struct trace *trace;     /* names, program; NULL in tests */
	struct collected *sync;  /* NULL in tests */
	struct ctp_names *names; /* cache of names (ctp_names.h); NULL: addresses stand for names */
	/* for the report */
	uint64_t nfixed;         /* guards of kind FIX */
	uint64_t instructions, all_events; /* of the run; all_events: accesses to all memory */
	VEC(char *) limits;      /* sentences: "signal handlers are not modelled" */
	struct arena arena;
};

struct ctp *ctp_new(void);
void ctp_free(const struct ctp *c);
struct ctp_names *ctp_names_new(void);
void ctp_names_free(struct ctp_names *n);

static inline const struct ctp_event *ctp_at(const struct ctp *c, uint32_t e)
{
	return &c->events.at[e];
}
/* The event before it in its thread, CTP_NONE for the first. */
static inline uint32_t ctp_pred(const struct ctp *c, uint32_t e)
{
	const struct ctp_thread *t = &c->threads.at[c->events.at[e].thread];
	return e == t->first ? CTP_NONE : e - 1;
}
static inline bool ctp_is_guard(enum ctp_kind k)
{
	return k >= CTP_BRANCH && k <= CTP_ASSUME;
}
static inline bool ctp_is_access(enum ctp_kind k)
{
	return k <= CTP_RMW;
}
/* Operations that may read and write the cell of their object's state. */
static inline bool ctp_has_state(enum ctp_kind k)
{
	switch (k) {
	case CTP_LOCK:
	case CTP_UNLOCK:
	case CTP_TRYFAIL:
	case CTP_SEM_WAIT:
	case CTP_SEM_POST:
	case CTP_BARRIER_ENTER:
	case CTP_INIT:
	case CTP_STATE: return true;
	default: return false;
	}
}
/* ---- fields of some kinds ------------------------------------------------------------------- */

/* WAIT, WOKEN, TIMEOUT: these operate on a condition variable and a mutex. */
static inline bool ctp_has_mutex(enum ctp_kind k)
{
	return k >= CTP_WAIT && k <= CTP_TIMEOUT;
}
static inline bool ctp_has_peer(enum ctp_kind k)
{
	return k == CTP_CREATE || k == CTP_JOIN || k == CTP_JOINFAIL;
}
static inline bool ctp_has_wait(enum ctp_kind k)
{
	return k == CTP_WOKEN || k == CTP_TIMEOUT;
}
static inline bool ctp_has_round(enum ctp_kind k)
{
	return k == CTP_BARRIER_ENTER || k == CTP_BARRIER_LEAVE;
}
static inline uint64_t ctp_mutex(const struct ctp_event *e)
{
	assert(ctp_has_mutex(e->kind));
	return e->of.mutex;
}
static inline uint64_t ctp_decided(const struct ctp_event *e)
{
	assert(ctp_is_guard(e->kind) && e->kind != CTP_DEREF);
	return e->of.decided;
}
static inline const struct ctp_start *ctp_start(const struct ctp_event *e)
{
	assert(e->kind == CTP_CREATE);
	return &e->of.start;
}
static inline const struct ctp_hidden *ctp_hidden(const struct ctp_event *e)
{
	assert(e->kind == CTP_HIDDEN);
	return &e->of.hidden;
}
static inline uint32_t ctp_peer(const struct ctp_event *e)
{
	assert(ctp_has_peer(e->kind));
	return e->link.peer;
}
static inline uint32_t ctp_wait(const struct ctp_event *e)
{
	assert(ctp_has_wait(e->kind));
	return e->link.wait;
}
static inline uint32_t ctp_runner(const struct ctp_event *e)
{
	assert(e->kind == CTP_ONCE);
	return e->link.runner;
}
static inline uint32_t ctp_round(const struct ctp_event *e)
{
	assert(ctp_has_round(e->kind));
	return e->link.round;
}
/* The part of the address of a DEREF without symbols; 0: not known, or not a DEREF. */
static inline uint64_t ctp_base(const struct ctp_event *e)
{
	return e->kind == CTP_DEREF && (e->flags & CTP_BASE_KNOWN) ? e->of.base : 0;
}
/* A number from the recorded run, to compare events of one kind: the address of an access, the
 * recorded value of a guard (ctp_decided()), the argument of a new thread; 0 for other kinds. */
static inline uint64_t ctp_recorded(const struct ctp_event *e)
{
	if (ctp_is_guard(e->kind) && e->kind != CTP_DEREF)
		return e->of.decided;
	return e->kind == CTP_CREATE ? e->of.start.argument : e->at;
}

/* The event passes a thread's start argument or its result through a cell outside of the program's
 * memory (extract_options.merge). */
static inline bool ctp_is_handover(const struct ctp_event *e)
{
	return ctp_is_access(e->kind) && e->at >> 63;
}
/* The event writes, or may write: a compare-and-swap does if it succeeds. */
bool ctp_writes(const struct ctp *c, uint32_t event);
/* The index of the first alternative of the thread; its own if there is one only. A linearization
 * executes at most one thread of each group. Any alternative of a thread's creator may create it,
 * and a join of a thread waits for any of its alternatives. */
static inline uint32_t ctp_group(const struct ctp *c, uint32_t thread)
{
	return c->threads.at[thread].alt ? c->threads.at[thread].alt - 1 : thread;
}
/* A number for the thread that is the same in every run: a hash of its creator's name and of its
 * number among the creator's children. */
uint64_t ctp_thread_name(const struct ctp *c, uint32_t thread);
/* Builders sort the objects by address, for ctp_object(). */
void ctp_sort_objects(struct ctp *c);
/* NULL if there is none. Binary search. */
const struct ctp_object *ctp_object(const struct ctp *c, uint64_t addr);

/* NULL if the invariants of the program hold (indices in range, critical sections begin before they
 * end, points of a thread rise, …), else a phrase that names the violation. Linear. */
const char *ctp_wrong(const struct ctp *c);
/* Ends the building: the program is constant then. Builds with assertions check it
 * (ctp_wrong()). Returns c. */
const struct ctp *ctp_finish(struct ctp *c);
/* One line for each cell, object, event and limit, for people and tests. */
void ctp_print(const struct ctp *c, struct strbuf *out);

#endif
