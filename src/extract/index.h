/*
 * Index of the shared accesses and synchronization of a run. Each thread has a row of *entries* in
 * program order: one for each cell that an access reads, one for each cell that it writes, and one
 * for each synchronization. The entries of one access follow each other (IX_MORE) and are one
 * event. The index of a long run (partition.h) is made by a fast pass over its trace; that of a
 * concurrent trace program by extract_order.c, which also enters the events of other kinds.
 *
 * Entries are numbered consecutively, thread after thread. ix_order() finds the observed order
 * (index_order.c): the rank of each entry, and the entries that it depends on. A read depends on
 * the write that it reads from, a synchronization on the previous operation on the same object.
 *
 * A *border* is a position before an entry at which the real program can stop the thread: the entry
 * has a scheduling point of its own (log/schedule.h), which the entry before it does not share. A
 * border is *clean* if the thread holds no lock there, and is not inside of a wait, a barrier or a
 * transaction.
 *
 * 36 bytes for each entry. Lifetime: heap, ix_release(); the extractor that it was made with must
 * outlive it. Borders, points, places and locksets are those of a long run only.
 */
#ifndef HEDDLE_EXTRACT_INDEX_H
#define HEDDLE_EXTRACT_INDEX_H

#include "base/map.h"
#include "base/vec.h"
#include "extract/extract_internal.h"

enum { IX_READ, IX_WRITE, IX_SYNC, IX_OTHER }; /* OTHER: no access, no synchronization */
enum { /* ix_entry.flags */
	IX_MORE = 1,   /* the next entry is of the same event */
	IX_BORDER = 2,
	IX_CLEAN = 4,
	IX_UNSEEN = 8, /* a read whose value was not recorded: it is found with the order */
	IX_ATOMIC = 16,
	IX_TOUCHES = 32, /* the access was made by a library function: no point of its own */
	IX_FREES = 64,   /* SYNC: frees a block with cells */
};

struct ix_entry {
	uint64_t value; /* value that is read or written; its hash if the cell has more than 8
			   bytes. SYNC: number of a second entry that it depends on, + 1; 0: none */
	uint32_t what;  /* cell; SYNC: index in the thread's synchronization events */
	uint32_t place; /* ix.place_base[func] + insn; IX_NO_PLACE. Of a concurrent trace program:
			   the event */
	uint32_t point; /* number of its scheduling point, or of the next one if it has none */
	uint16_t locks; /* lockset; 0 if its number does not fit */
	uint8_t kind, flags;
};
#define IX_NO_PLACE UINT32_MAX

struct ix_thread { /* as numbered in ctp.threads */
	VEC(struct ix_entry) at;
	uint32_t first;          /* number of entry 0 */
	uint32_t stream;
	struct vec_u32 sync_pos; /* by synchronization event: index in at; UINT32_MAX: none */
	uint64_t points;         /* number of its scheduling points */
};

struct ix_user { /* one thread's accesses of one cell: uses[first, first + n), rising */
	uint32_t thread, first, n, cursor; /* cursor: how many of them ix_order() has executed */
	bool writes;
};

struct ix_op { /* a synchronization, as its place in the observed order depends on it */
	uint32_t rank;      /* in the order of the trace */
	uint32_t entry, on; /* its number; that of an entry which must come before it, CTP_NONE */
	uint64_t object[2]; /* it comes after the earlier operations on them; 0: none */
};

struct ix_freed { /* a block with cells that a thread of the index frees */
	uint32_t entry, thread, gen; /* entry: the free */
};

struct ix_free {
	uint32_t entry, on; /* the free, and the last access of another thread to a cell of the
			       block before it */
};

struct ix_run { /* of consecutive entries of one thread in the observed order */
	uint32_t thread, to; /* to: index in its row at which the run ends */
};

struct ix {
	struct extractor *x;
	struct ix_thread *threads;
	uint32_t nthreads, n;    /* n: entries */
	uint32_t *place_base;    /* by function */
	uint32_t nplaces;
	uint32_t *rank;          /* by entry: index in the observed order */
	uint32_t *on;            /* by entry: the entry that it depends on; CTP_NONE */
	uint32_t *user_first;    /* by cell: first index in users; one element more at the end */
	VEC(struct ix_user) users;
	uint32_t *uses;          /* numbers of entries, see ix_user */
	VEC(struct ix_run) runs; /* the observed order */
	VEC(struct ix_op) ops;   /* by entry; after ix_order() by rank */
	VEC(struct ix_freed) freed;
	uint32_t *block;           /* by cell: index in freed + 1; 0: not freed */
	VEC(struct ix_free) frees; /* sorted by entry */
	struct vec_u32 forced;   /* reads whose value no write explains */
};

/* Indexes a long run. x has been prepared by extract_open(). 0, or -1 after error_(). */
int ix_build(struct ix *ix, struct extractor *x, uint32_t jobs);
void ix_release(struct ix *ix);
/* Numbers the entries, when all rows are complete. */
void ix_number(struct ix *ix);
/* The value of an entry for the value of a cell of that size. */
uint64_t ix_value(u128 value, uint32_t size);

/* Fills rank, on, users, uses, runs, block, frees and forced, and derives unknown initial values of
 * cells from first reads, if every read is explained. by_rank: tries the order of the trace first,
 * not last. Returns CTP_NONE, or the entry of a synchronization that would have to come before
 * itself: the trace contradicts itself. */
uint32_t ix_order(struct ix *ix, bool by_rank);
/* Steps of it (index_tables.c). Makes rank, on, users, uses and block, and sorts ops and freed.
 * Returns by entry the rank of its thread's last synchronization up to it; free it. */
uint32_t *ix_tables(struct ix *ix);
/* Fills frees, when ranks are known: a free depends on the accesses of other threads to the block
 * before it. */
void ix_find_frees(struct ix *ix);
/* Reports that by error_at(), with the place of the synchronization. -1. */
int ix_contradiction(const struct extractor *x, uint32_t func, uint32_t insn);

/* The thread of an entry, by number. */
uint32_t ix_thread_of(const struct ix *ix, uint32_t entry);
static inline const struct ix_entry *ix_at(const struct ix *ix, uint32_t thread, uint32_t pos)
{
	return &ix->threads[thread].at.at[pos];
}
static inline bool ix_is_access(const struct ix_entry *e)
{
	return e->kind <= IX_WRITE;
}
/* The index after the last entry of the event that has an entry at pos. */
static inline uint32_t ix_event_end(const struct ix *ix, uint32_t thread, uint32_t pos)
{
	while (ix_at(ix, thread, pos)->flags & IX_MORE)
		pos++;
	return pos + 1;
}
/* The index of the entry of the thread's nth synchronization event; UINT32_MAX: it has none. */
static inline uint32_t ix_sync_pos(const struct ix *ix, uint32_t thread, uint32_t nth)
{
	const struct ix_thread *th = &ix->threads[thread];

	return nth < th->sync_pos.n ? th->sync_pos.at[nth] : UINT32_MAX;
}
const struct sync_event *ix_sync(const struct ix *ix, uint32_t thread, uint32_t pos);
/* The users of a cell: ix_user *u. */
#define each_user(ix, cell, u)                                                                     \
	for (struct ix_user *u = &(ix)->users.at[(ix)->user_first[cell]];                          \
		u < &(ix)->users.at[(ix)->user_first[(cell) + 1]]; u++)

/* How many entries of the thread have a smaller rank. Binary search. */
uint32_t ix_before(const struct ix *ix, uint32_t thread, uint32_t rank);

#endif
