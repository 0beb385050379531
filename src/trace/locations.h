/*
 * The memory that threads access, exact to the byte, and the locations that they share: bytes that
 * two threads, or a thread and a signal handler, accessed, at least one of them with a write. Bytes
 * of different generations (generations.h) at one address are different bytes.
 *
 * Each thread collects its accesses in its own table (struct touched), as *spans*. The size of the
 * table is proportional to the memory that the thread accessed, not to the length of the run. A
 * sweep goes over the spans of all threads in the order of their addresses: locations_build() uses
 * it for shared locations, the extraction for cells (extract/extract_cells.h).
 *
 * Lifetime: heap.
 */
#ifndef HEDDLE_TRACE_LOCATIONS_H
#define HEDDLE_TRACE_LOCATIONS_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/generations.h"
#include "trace/locksets.h"

struct trace;

enum { TOUCH_READ = 1, TOUCH_WRITE = 2, TOUCH_ATOMIC = 4, TOUCH_PLAIN = 8 };

struct span { /* all accesses of a thread with one address, size and generation */
	uint64_t addr, size;
	uint32_t gen, thread;
	uint32_t last, wrote;   /* synchronization events of the thread before its last access, its
				   last write */
	uint32_t reads, writes; /* numbers of accesses; saturating */
	uint32_t locks;         /* lockset held at every access */
	uint32_t func, insn;    /* of the first write, else of the first read */
	uint8_t how;            /* TOUCH_* of all accesses; 0: the slot is free */
};

struct touched {
	const struct generations *g;
	const struct sync_order *o;
	struct locksets *sets;
	struct span *spans; /* hash table, open addressing */
	uint32_t n, cap;
	uint32_t *recent;        /* by hash of the address: span + 1 that was found last */
	bool ever;               /* touched_generation_ever() gives the generations of the spans */
	uint32_t thread, events; /* thread; its synchronization events so far */
	uint64_t stack_lo, stack_hi; /* stack of the thread */
	uint64_t fixed_lo, fixed_hi; /* range of globals, which have no generations */
	/* the plan of the program, and the instruction that accesses memory next, which the caller
	 * sets: its points-to set tells which variable of another thread's stack it means. NULL,
	 * IR_NONE: the order alone does */
	const struct plan *pl;
	uint32_t func, insn;
	struct live_locals locals;
	struct held held;
};

void touched_init(struct touched *t, const struct generations *g, const struct sync_order *o,
	struct locksets *sets, uint32_t thread);
/* Sets fixed_lo and fixed_hi: the range of the program's own globals, without those of libraries. */
void touched_fixed_range(struct touched *t, const struct trace *tr);
void touched_release(struct touched *t);
/* The thread's next operation, in program order: synchronization, begin of a variable on its stack,
 * access (how: TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC). */
void touched_sync(struct touched *t, const struct sync_event *e);
void touched_local(struct touched *t, uint64_t base, uint64_t size, uint32_t func, uint32_t local);
void touched_access(struct touched *t, uint64_t addr, uint64_t size, unsigned how, uint32_t func,
	uint32_t insn);
/* The generation at the address at the thread's present place. If there is none at this place of the
 * order of synchronization, which between threads is often a guess: any generation that had the
 * address in the run. 0 = none. */
uint32_t touched_generation_ever(const struct touched *t, uint64_t addr);

/*
 * A sweep over spans: gives all bytes that some span contains, as ranges of bytes that the same
 * spans contain, by generation, then address.
 */
struct sweep {
	VEC(struct span) spans; /* the caller adds them before the first sweep_next() */
	uint32_t gen;
	uint64_t from, to;      /* the current range */
	struct vec_u32 active;  /* the spans that contain it */
	uint32_t entered, next; /* spans[entered, next) begin with it */
	bool apart;             /* no span contains bytes of this range and of the one before it */
	bool sorted;
};
/* Goes to the next range; false after the last. */
bool sweep_next(struct sweep *s);
void sweep_release(struct sweep *s);
static inline const struct span *sweep_span(const struct sweep *s, uint32_t i)
{
	return &s->spans.at[s->active.at[i]];
}
/* Adds the spans of a thread. */
void sweep_add(struct sweep *s, const struct touched *t);

struct location {
	uint64_t addr, size;
	uint32_t gen;     /* 0: a global, or unknown */
	uint32_t locks;   /* lockset held at all accesses */
	uint32_t threads; /* set of threads, see location_threads() */
	uint32_t nthreads;
	uint64_t reads, writes;
	uint32_t func, insn; /* of one access; of a write if there is one */
	bool atomic, plain;  /* an access was atomic; one was not */
};

struct thread_set { /* n threads: the largest, and the set of the rest */
	uint32_t rest, thread, n;
};
struct thread_sets {
	VEC(struct thread_set) at; /* 0 is empty */
	struct map by_pair;        /* rest << 32 | thread -> set */
};

struct locations {
	VEC(struct location) at; /* by generation, then address */
	struct thread_sets sets;
};

/* threads: the tables by thread number; NULL for a thread without one. */
void locations_build(
	struct locations *l, struct touched *const *threads, uint32_t n, struct locksets *sets);
void locations_release(struct locations *l);
/* Adds the threads of a set to `out`. */
void location_threads(const struct locations *l, uint32_t set, struct bitset *out);

#endif
