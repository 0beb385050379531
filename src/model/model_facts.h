/*
 * Facts that hold in all linearizations of one concurrent trace program. They are found in one pass
 * and shared by the executor (simulate.h), the clocks (mhb.c) and all models.
 *
 *  - edges: `from` is executed before `to` in every linearization that has `to`. They come from
 *    create, join, once and barriers, and from INIT and ALLOC to uses. An object whose semantics is
 *    not known well enough (unlocked by another thread, a semaphore of unknown value, initialized
 *    twice) is *ordered*: its operations keep their observed order. Every edge goes forward in the
 *    observed order, otherwise `wrong` has the reason
 *  - needs, where several runs were merged (merge.h): one of several alternatives comes before
 *  - the writes of each cell and the operations of each object, in observed order
 *  - the critical sections around each event, as lists that share their tails
 *  - derived critical sections (model_facts_sections.c), after facts_derive_sections(): intervals
 *    that exclude each other although no lock is held, by a semaphore or a flag that is used as a
 *    lock
 *  - for each term its value in the recorded run, and the rank of the last read that it depends on
 *
 * Lifetime: heap, facts_free(); refers to the trace program.
 */
#ifndef HEDDLE_MODEL_MODEL_FACTS_H
#define HEDDLE_MODEL_MODEL_FACTS_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctp/ctp.h"
#include "model/model.h"

enum facts_reason {
	FACTS_CREATE,
	FACTS_JOIN,
	FACTS_ONCE,
	FACTS_DATA,
	FACTS_BARRIER,
	FACTS_INIT,
	FACTS_ALLOC,
	FACTS_ORDERED,
};

struct facts_edge {
	uint32_t from, to;
	uint8_t why; /* enum facts_reason */
};

/* one of several events, of alternatives, comes before `to` */
struct facts_need {
	uint32_t to;
	uint32_t first, n; /* into need_from */
	uint8_t why;
};

enum facts_try {       /* what a failed trylock needs */
	TRY_NOTHING,   /* its own thread holds the lock */
	TRY_EXCLUSIVE, /* another thread holds it exclusively */
	TRY_ANY,       /* another thread holds it in some way */
};

struct facts_object {
	uint64_t addr;
	bool ordered;
	bool semaphore;
	bool is_lock;           /* semaphore: its derived critical sections describe it fully */
	int64_t initial;        /* semaphore */
	struct vec_u32 inits, ends; /* INIT and DESTROY; several of each only in alternatives */
	struct vec_u32 ops;     /* events that have a rank, by rank */
};

struct facts_held {
	uint32_t region; /* facts_region() */
	uint32_t next;   /* the enclosing critical section of the thread; CTP_NONE */
};

struct facts {
	const struct ctp *c;
	const char *wrong;    /* NULL, or why no query can be answered; static */
	bool fold;            /* models encode common prefixes of alternatives once */
	bool merged;          /* of several runs: some threads are alternatives (ctp_group()) */
	uint32_t observed;    /* events of the first run: they come first in order */
	struct vec_u32 order; /* events in observed order, then those of other runs in a possible one */
	struct vec_u32 rank;  /* by event: its index in order; UINT32_MAX: never executed */
	VEC(struct facts_object) objects;
	struct map object_at; /* address -> index + 1 */
	bool unknown_cells;   /* the initial value of some cell is not known */
	struct vec_u32 object, object2;   /* by event: index or CTP_NONE */
	struct vec_u32 access_event;      /* by access */
	struct vec_u32 access_of;         /* by number of a symbol: access + 1 */
	struct vec_u32 cell_first, cell_writes; /* accesses that write cell i: [first i, first i+1) */
	VEC(struct facts_edge) edges;     /* rising by `to` */
	struct vec_u32 edge_first;        /* by event; one more at the end */
	VEC(struct facts_need) needs;     /* rising by `to` */
	struct vec_u32 need_first, need_from; /* need_first by event, as edge_first */
	VEC(struct facts_held) held;
	struct vec_u32 held_at; /* by event: the innermost critical section before it, into held or
				   CTP_NONE */
	struct vec_u32 held_end;          /* by thread: after its last event */
	VEC(struct ctp_region) derived;   /* critical sections of one `object` exclude each other */
	struct vec_u32 derived_of; /* by event: the derived section + 1 that it begins or ends */
	struct vec_u32 derived_at, derived_end; /* as held_at, held_end */
	VEC(struct vec_u32) frees;        /* merged: by block */
	VEC(uint8_t) tries;               /* by event: enum facts_try */
	struct map woken_by;    /* SIGNAL -> the WOKEN that it caused in the recorded run */
	struct bitset asserted; /* reads whose values only assertions use */
	bool asserted_known;
	VEC(u128) seen;                   /* by term: value in the recorded run */
	struct vec_u32 late;              /* by term: rank of its latest read + 1; 0: a constant */
};

struct facts *facts_new(const struct ctp *c);
/* the clocks of mhb.c on facts that the caller keeps, and the facts of clocks */
struct mhb *mhb_of(struct facts *f);
struct facts *mhb_facts(const struct mhb *m);
void facts_free(struct facts *f);
/* Finds the derived critical sections again; `values`: also those of flags, which depend on guards.
 */
void facts_derive_sections(struct facts *f, bool values);
/* A list of critical sections with one more; without one, those inside of it are copied. */
void facts_hold(struct facts *f, uint32_t *top, uint32_t region);
void facts_give_back(struct facts *f, uint32_t *top, uint32_t region);
/* the exclusive critical section of a lock that e lies in; CTP_NONE */
uint32_t facts_exclusive(const struct facts *f, uint32_t e, uint64_t lock);
/* Updates `seen` and `late` for terms that were made since; call it before either is used. */
void facts_terms(struct facts *f);

/* Only conditions of assertions and divisions depend on the value of the read. The maximal causal
 * model keeps those conditions, so such a read may have any value. */
bool facts_only_asserted(struct facts *f, uint32_t access);
static inline bool facts_is_property(enum ctp_kind k)
{
	return k == CTP_ASSERT || k == CTP_DIVISOR;
}

/* Appends the reads that t depends on whose rank is at least `from`. */
void facts_reads_of(struct facts *f, term_t t, uint32_t from, struct vec_u32 *accesses);

/* a critical section of the program, or with numbers behind these a derived one */
static inline const struct ctp_region *facts_region(const struct facts *f, uint32_t i)
{
	return i < f->c->regions.n ? &f->c->regions.at[i] : &f->derived.at[i - f->c->regions.n];
}
/* the derived critical sections that e lies in, as held_at */
static inline uint32_t facts_derived_at(const struct facts *f, uint32_t e)
{
	return f->derived_at.n ? f->derived_at.at[e] : CTP_NONE;
}
/* the rank of an event */
static inline uint32_t facts_rank(const struct facts *f, uint32_t e)
{
	return f->rank.at[e];
}
static inline bool facts_takes(const struct ctp_event *ev) /* begins a critical section */
{
	return ev->region != CTP_NONE && !(ev->flags & CTP_RECURSIVE) &&
	       (ev->kind == CTP_LOCK || ev->kind == CTP_RDLOCK || ev->kind == CTP_WOKEN ||
		       ev->kind == CTP_TIMEOUT);
}
static inline bool facts_gives(const struct ctp_event *ev) /* ends a critical section */
{
	return ev->region != CTP_NONE && !(ev->flags & CTP_RECURSIVE) &&
	       (ev->kind == CTP_UNLOCK || ev->kind == CTP_RDUNLOCK || ev->kind == CTP_WAIT);
}
/* the event uses a block, and so must not come after the block's FREE */
static inline bool facts_uses_block(const struct facts *f, uint32_t e)
{
	const struct ctp_event *ev = ctp_at(f->c, e);

	return ev->block != CTP_NONE && ev->kind != CTP_ALLOC &&
	       f->c->blocks.at[ev->block].free != e && !(f->merged && ev->kind == CTP_FREE);
}
/* the i-th FREE of a block; CTP_NONE: no more */
static inline uint32_t facts_free_of(const struct facts *f, uint32_t block, uint32_t i)
{
	const struct vec_u32 *more = block < f->frees.n ? &f->frees.at[block] : NULL;

	if (!f->merged)
		return i ? CTP_NONE : f->c->blocks.at[block].free;
	return more && i < more->n ? more->at[i] : CTP_NONE;
}
/* different alternatives of one thread */
static inline bool facts_same_group(const struct facts *f, uint32_t s, uint32_t t)
{
	return s != t && ctp_group(f->c, s) == ctp_group(f->c, t);
}
/* events of different alternatives of one thread: no linearization has both */
static inline bool facts_exclude(const struct facts *f, uint32_t a, uint32_t b)
{
	return f->merged && facts_same_group(f, ctp_at(f->c, a)->thread, ctp_at(f->c, b)->thread);
}
/* the lock that e acquires, releases or tries */
static inline uint32_t facts_lock(const struct facts *f, uint32_t e)
{
	uint8_t k = ctp_at(f->c, e)->kind;

	return k == CTP_WAIT || k == CTP_WOKEN || k == CTP_TIMEOUT ? f->object2.at[e]
								   : f->object.at[e];
}
/* the first event of the thread that is not before that rank; first + n: none */
uint32_t facts_first_event(const struct facts *f, uint32_t thread, uint32_t rank);
/* the last write to a cell before that rank, as an access; CTP_NONE: none */
uint32_t facts_last_write(const struct facts *f, uint32_t cell, uint32_t rank);
/* the value of a cell at that rank of the recorded run; false: not known */
bool facts_cell_value(const struct facts *f, uint32_t cell, uint32_t rank, u128 *value);
/* the index in ops of the first operation that is not before that rank */
uint32_t facts_op_at(const struct facts *f, const struct facts_object *o, uint32_t rank);
/* the value of a semaphore at that rank of the recorded run */
int64_t facts_sem_value(const struct facts *f, uint32_t object, uint32_t rank);
/* Appends the signals and broadcasts in [since, rank) that can wake a thread that waits since
 * `since`. */
void facts_pending_signals(const struct facts *f, uint32_t object, uint32_t since, uint32_t rank,
	struct vec_u32 *out);

#endif
