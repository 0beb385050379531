/*
 * What the threads of a long run did to each other, a few bytes an event: the fast pass of
 * partition.h. Each thread has a row of *entries*, in its order: one for each cell that an access
 * touches (a read and a write for one that does both), and one for each record of synchronization.
 * Entries of one access follow each other (IX_MORE) and are one event.
 *
 * Entries are numbered through, thread after thread. ix_order() finds the observed order (as
 * extract_order.c does for a concurrent trace program): the place of each entry in it, and what each
 * one stands on: the write that a read got its value from, the operations on the same object before
 * a synchronization.
 *
 * A *border* is a place before an entry where a thread can be stopped in the real program: the entry
 * is a point of its own (log/schedule.h), and not of the access before it. It is *clean* if the thread
 * holds no lock there, and is not inside of a wait, a barrier or a transaction.
 *
 * 36 bytes an entry. Lifetime: heap, ix_free(); the extraction that it was made with must outlive it.
 */
#ifndef HEDDLE_EXTRACT_PARTITION_INDEX_H
#define HEDDLE_EXTRACT_PARTITION_INDEX_H

#include "base/map.h"
#include "base/vec.h"
#include "extract/extract_internal.h"

enum { IX_READ, IX_WRITE, IX_SYNC };
enum { /* ix_entry.flags */
	IX_MORE = 1,   /* the next entry is of the same event */
	IX_BORDER = 2,
	IX_CLEAN = 4,
	IX_UNSEEN = 8, /* a read whose value nobody told: found with the order */
	IX_ATOMIC = 16,
	IX_TOUCHES = 32, /* the access was made by a library function: no point of its own */
	IX_FREES = 64,   /* SYNC: gives back a block with cells */
};

struct ix_entry {
	uint64_t value; /* read, or written; of wide cells a hash. SYNC: a second one that it stands on,
			   + 1 */
	uint32_t what;  /* cell; SYNC: number of the event in the thread's history */
	uint32_t place; /* ix.place_base[func] + insn; IX_NO_PLACE */
	uint32_t point; /* that it stands before */
	uint16_t locks; /* set of locks held, 0 if there are too many sets */
	uint8_t kind, flags;
};
#define IX_NO_PLACE UINT32_MAX

struct ix_thread { /* as numbered in ctp.threads */
	VEC(struct ix_entry) at;
	uint32_t first;          /* number of entry 0 */
	uint32_t stream;
	struct vec_u32 sync_pos; /* by event of its history: place in at, UINT32_MAX */
	uint64_t points;         /* in all */
};

struct ix_user { /* one thread's uses of one cell: uses[first .. first + n), rising */
	uint32_t thread, first, n, cursor;
	bool writes;
};

struct ix_free {
	uint32_t entry, on; /* the free, and the last use of the block by another thread before it */
};

struct ix_run {
	uint32_t thread, to; /* goes on until this place in its row */
};

struct ix {
	struct extractor *x;
	struct ix_thread *threads;
	uint32_t nthreads, n;    /* n: entries */
	uint32_t *place_base;    /* by function */
	uint32_t nplaces;
	uint32_t *rank;          /* by entry: place in the observed order */
	uint32_t *on;            /* by entry: what it stands on, an entry; CTP_NONE */
	uint32_t *user_first;    /* by cell: in users; one more at the end */
	VEC(struct ix_user) users;
	uint32_t *uses;          /* entries */
	VEC(struct ix_run) runs; /* the observed order */
	struct map freed;        /* entry with IX_FREES -> generation */
	VEC(struct ix_free) frees; /* by entry */
	struct vec_u32 forced;   /* reads whose value no write explains */
};

/* x is made ready for its careful pass (extract_open()). 0, or -1 after error_(). */
int ix_build(struct ix *ix, struct extractor *x, uint32_t jobs);
void ix_order(struct ix *ix);
void ix_release(struct ix *ix);

/* The thread of an entry, by number. */
uint32_t ix_thread_of(const struct ix *ix, uint32_t entry);
static inline const struct ix_entry *ix_at(const struct ix *ix, uint32_t thread, uint32_t pos)
{
	return &ix->threads[thread].at.at[pos];
}
const struct sync_event *ix_sync(const struct ix *ix, uint32_t thread, uint32_t pos);
/* How many entries of the thread come before that place of the order. */
uint32_t ix_before(const struct ix *ix, uint32_t thread, uint32_t rank);

#endif
