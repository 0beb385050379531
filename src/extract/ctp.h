/*
 * The concurrent trace program of a recorded run (Fusion, §3): what every thread did to others, in
 * the order of the thread, as terms over the values that it read from others. Everything that
 * concerns one thread only has folded into the terms.
 *
 * A *linearization* is an interleaving of prefixes of the threads' events in which
 *  - every read returns the value of the last write to its cell before it (or the initial one)
 *  - every guard holds under these values
 *  - synchronization obeys its semantics (sync.h says which)
 * Whatever is reachable by a linearization is reachable by the real program: conservative means here
 * that something is left out, never that something is added.
 *
 * A *cell* is a piece of memory, 1 to 16 bytes, that is always accessed as a whole by the events
 * that are kept: accesses of different size are cut into cells, and an event may have several. Each
 * generation of memory has its own cells. Only cells that two threads touch, one of them writing,
 * have events.
 *
 * Symbols: the value that a READ or RMW got for a cell is a symbol of its own (ctp_access.sym), of 8
 * * size bits. A value that no other schedule can change is a constant.
 *
 * Extraction (extract.h) fills it, for a whole run or for a chunk (partition.h), stutter.h takes rounds
 * of waiting loops out, merge.h adds other runs; then ctp_finish(), and it is const. Lifetime: heap,
 * ctp_free().
 */
#ifndef HEDDLE_EXTRACT_CTP_H
#define HEDDLE_EXTRACT_CTP_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "smt/term.h"

#include <assert.h>

#define CTP_NONE UINT32_MAX

enum ctp_kind {
#define CTP(id, text) CTP_##id,
#include "extract/ctp.def"
	CTP_NKINDS
};
const char *ctp_kind_name(enum ctp_kind k);

struct ctp_access {
	uint32_t cell;
	term_t sym;   /* what was read; TERM_NONE: nothing was */
	term_t value; /* what was written; TERM_NONE: nothing was */
	u128 seen, put; /* concretely, in the recorded run */
};

enum { /* ctp_event.flags */
	CTP_ATOMIC = 1 << 0,   /* the access is atomic: it races with plain ones only */
	CTP_WROTE = 1 << 1,
	CTP_HAD_READ = 1 << 2,
	CTP_TIMED = 1 << 3,    /* the operation has a time limit */
	CTP_RECURSIVE = 1 << 4, /* LOCK, UNLOCK of a level above the first: no region of its own */
	CTP_ERRORCHECK = 1 << 5,
	CTP_STACK_UNSURE = 1 << 6,
	CTP_TRIED = 1 << 7,    /* LOCK, RDLOCK, SEM_WAIT by a try that succeeded: it never blocks */
	CTP_RAN = 1 << 11,     /* ONCE: it ran the routine */
	CTP_PENDING = 1 << 9,  /* last event of its thread: under way when the recording ended; it was not
	                          executed then, and never is in a linearization: only AT. Not in the
	                          observed order: rank UINT32_MAX */
	CTP_NATIVE_USE = 1 << 8, /* the access was made by a library function (memcpy, strlen, free …) */
	CTP_BASE_KNOWN = 1 << 10, /* DEREF: the address is of.base, the same in every linearization and
				    inside `block`, plus an offset that depends on symbols */
};

/*
 * One event. The kind says which of the fields below have a meaning; no field has two. Fields of some
 * kinds only that no other kind needs are in `of` and `link`: they are written where events are made,
 * and read by the functions below, which assert the kind.
 */
struct ctp_event {
	uint8_t kind; /* enum ctp_kind */
	uint16_t flags;
	uint32_t thread; /* index in ctp.threads */
	uint32_t func, insn; /* place in the program; IR_NONE: none */
	uint32_t stack;  /* call stack (stacks of the thread), 0 = unknown */
	uint32_t rank;   /* place in the observed order of all events */
	uint64_t point;  /* log/schedule.h: number of the point that it stands before. A guard has that of
			    the next point after it: when the thread stands there, the guard is over */
	uint64_t index;  /* instructions of the thread up to it, its own included */
	uint64_t object; /* synchronization: address of the object; 0 for other kinds */
	uint64_t at, size; /* accesses, DEREF, FREE, ALLOC: address and size as recorded; else 0 */
	uint32_t first, n; /* accesses; n is 0 for other kinds */
	uint32_t region;   /* that this event begins or ends; CTP_NONE */
	uint32_t block;    /* ALLOC, FREE, DEREF and accesses: heap block; CTP_NONE */
	term_t cond;       /* guards: one bit */
	term_t operand;    /* the value that the event depends on: the address of a DEREF or FREE, the
			      divisor, the function of a CALL, what a switch (BRANCH, ASSERT) goes by.
			      TERM_NONE: it is the same in every linearization, or the event has none */
	union {
		uint64_t mutex;   /* WAIT, WOKEN, TIMEOUT */
		uint64_t decided; /* guards but DEREF: what decided, as recorded: the condition (0, 1), the
				     low bits of the value that was switched on, the function */
		uint64_t base;    /* DEREF with CTP_BASE_KNOWN: the part of the address without symbols */
		struct ctp_start {
			uint64_t argument, function;
		} start;          /* CREATE */
	} of;
	union {
		uint32_t peer;    /* CREATE, JOIN: index of the other thread; CTP_NONE */
		uint32_t wait;    /* WOKEN, TIMEOUT: its WAIT; CTP_NONE */
		uint32_t runner;  /* ONCE: the ONCE that ran the routine, itself if it did; CTP_NONE */
		uint32_t round;   /* BARRIER_ENTER, BARRIER_LEAVE: number of the round of the barrier */
		uint32_t none;    /* other kinds: CTP_NONE */
	} link;
};

struct ctp_region { /* from taking a lock to giving it back */
	uint64_t object;
	uint32_t thread;
	uint32_t begin, end; /* events; end CTP_NONE: not given back. begin CTP_NONE: unlocked only */
	bool shared;
	bool foreign; /* ended by another thread's UNLOCK */
};

struct ctp_cell {
	uint64_t addr;
	uint32_t size;
	uint32_t gen;  /* generation of memory; names come from there */
	u128 initial;  /* value before the first event */
	bool known;    /* the initial value is known */
};

struct ctp_block { /* of the heap */
	uint64_t addr, size;
	uint32_t alloc, free; /* events, CTP_NONE; a block that was there before has no ALLOC */
	uint32_t gen;
};

struct ctp_object { /* of synchronization */
	uint64_t addr;
	uint8_t kind;    /* enum check_primitive */
	uint8_t type;    /* mutex: 0 normal, 1 recursive, 2 errorcheck, 3 adaptive */
	int64_t initial; /* semaphore: value before the first event; barrier: count; -1 = unknown */
	uint32_t func, insn; /* a use, for its name */
	uint32_t gen;
};

struct ctp_thread {
	uint32_t id;            /* in the trace */
	uint32_t parent, nth;   /* index, CTP_NONE: main; how many it had created before */
	uint32_t first, n;      /* events: contiguous in ctp.events */
	uint32_t create, begin; /* events; CTP_NONE */
	uint32_t end;           /* CTP_NONE: it did not end, or is not known to have */
	uint32_t start_func;    /* function of the program that it runs; IR_NONE */
	bool cut;               /* what it did after its last event is not known */
	uint32_t alt;           /* 0: it is the only one of its name; else it is one of several
				   *alternatives* (merge.h), and this is 1 + the index of the first */
};

struct trace;
struct collected;
struct ctp_names; /* ctp_names.c */

struct ctp {
	struct terms *ts;
	bool shared_terms; /* ts is somebody else's */
	bool shared_sync;  /* and so is sync */
	VEC(struct ctp_event) events;
	VEC(struct ctp_access) accesses;
	VEC(struct ctp_region) regions;
	VEC(struct ctp_cell) cells;
	VEC(struct ctp_block) blocks;
	VEC(struct ctp_object) objects;
	VEC(struct ctp_thread) threads;
	struct vec_u32 order;    /* events in the observed order */
	bool order_exact;        /* replaying that order gives every read its recorded value */
	/* a chunk of a longer run (partition.h): the moves that lead to where it begins */
	VEC(struct ctp_move { uint32_t thread; uint64_t until; }) before;
	struct trace *trace;     /* names, program; NULL in tests */
	struct collected *sync;  /* NULL in tests */
	struct ctp_names *names; /* what names were made of so far; NULL: addresses stand for names */
	/* what was not modelled, for the report */
	uint64_t nfixed;         /* guards of kind FIX */
	uint64_t instructions, all_events; /* of the run; before only shared ones were kept */
	VEC(char *) limits;      /* sentences: "calls of 'foo' are taken as they were" */
	struct arena arena;
};

struct ctp *ctp_new(void);
void ctp_free(struct ctp *c);
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
/* ---- fields of some kinds ------------------------------------------------------------------- */

/* WAIT, WOKEN, TIMEOUT: these operate on a condition variable and a mutex. */
static inline bool ctp_has_mutex(enum ctp_kind k)
{
	return k >= CTP_WAIT && k <= CTP_TIMEOUT;
}
static inline bool ctp_has_peer(enum ctp_kind k)
{
	return k == CTP_CREATE || k == CTP_JOIN;
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
/* 0: not known, or not a DEREF. */
static inline uint64_t ctp_base(const struct ctp_event *e)
{
	return e->kind == CTP_DEREF && (e->flags & CTP_BASE_KNOWN) ? e->of.base : 0;
}
/* What the event did in the recorded run, as one number, to compare events of one kind: the address
 * of an access to memory, what decided a guard, the argument of a new thread; 0 for the rest. */
static inline uint64_t ctp_recorded(const struct ctp_event *e)
{
	if (ctp_is_guard(e->kind) && e->kind != CTP_DEREF)
		return e->of.decided;
	return e->kind == CTP_CREATE ? e->of.start.argument : e->at;
}

/* What a thread is started with, or what it returns, as an access (extract_options.merge): no memory of the
 * program. */
static inline bool ctp_is_handover(const struct ctp_event *e)
{
	return ctp_is_access(e->kind) && e->at >> 63;
}
/* The event writes, or may write: a compare-and-swap does if it succeeds. */
bool ctp_writes(const struct ctp *c, uint32_t event);
/* The index of the first of its alternatives: its own where there are none. At most one thread of
 * each group is executed in a linearization; a thread may be created by, and joined after, any that is
 * an alternative of its creator, or of itself. */
static inline uint32_t ctp_group(const struct ctp *c, uint32_t thread)
{
	return c->threads.at[thread].alt ? c->threads.at[thread].alt - 1 : thread;
}
/* A number for the thread that is the same in every run: the same one started it at the same turn. */
uint64_t ctp_thread_name(const struct ctp *c, uint32_t thread);
const struct ctp_object *ctp_object(const struct ctp *c, uint64_t addr);

/* NULL if the program keeps its rules (indices in range, regions nested, points rising, …), else
 * what is wrong. Linear. */
const char *ctp_wrong(const struct ctp *c);
/* The end of building: the program does not change afterwards. Builds with assertions check its
 * rules. */
void ctp_finish(const struct ctp *c);
/* One line an event, for people and tests. */
void ctp_print(const struct ctp *c, struct strbuf *out);

#endif
