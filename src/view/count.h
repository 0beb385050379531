/*
 * The counts of a summary: events by kind and thread, native calls, shared locations,
 * synchronization objects. The second pass over the trace fills them; summary.c and
 * json.c print them.
 */
#ifndef HEDDLE_VIEW_COUNT_H
#define HEDDLE_VIEW_COUNT_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/view.h"

struct thread_count {
	uint64_t events[FOLLOW_NKINDS];
	uint64_t all;
	struct touched touched;
	struct map calls; /* callee + 1, or 0 if it is not in the program -> number of calls */
};

enum call_sort { CALLS_UNKNOWN, CALLS_EXCLUDED, CALLS_NSORTS };
struct call_count {
	const char *name;
	uint64_t n;
	enum call_sort sort;
};

struct location_group { /* locations of one object whose names differ in an index only */
	char *name;
	uint32_t first, n; /* index of the first location; number of locations */
	uint64_t reads, writes, bytes;
	uint32_t locks;    /* lockset held at every access to all of them */
	uint32_t unlocked; /* number of locations without a lock that is held at every access */
	struct bitset threads;
	bool atomic, plain;
};

struct sync_object {
	uint64_t addr;
	uint32_t gen;
	int what;               /* enum check_primitive */
	uint32_t thread, event; /* its first event, by which it is named */
	uint64_t ops, acquired, failed;
	uint64_t waited;      /* acquisitions after a wait */
	uint64_t handed_over; /* acquisitions by another thread than the one before */
	uint32_t holder;      /* thread of the last acquisition; LOG_NONE */
	struct bitset threads;
};

struct counts {
	struct view *v;
	struct thread_count *threads;
	uint64_t events[FOLLOW_NKINDS];
	struct locksets sets;
	struct locations locations;
	VEC(struct location_group) groups; /* most accesses first */
	VEC(struct sync_object) objects;   /* most operations first */
	VEC(struct call_count) calls;      /* most calls first */
};

/* Makes the second pass. 0, or -1 after error_(). Lifetime: counts_release(), also after an error. */
int counts_make(struct counts *c, struct view *v);
void counts_release(struct counts *c);
/* Appends the names of the locks of a lockset, separated by ", ". */
void counts_locks(struct strbuf *out, struct counts *c, uint32_t set);
void counts_object_name(struct strbuf *out, struct counts *c, const struct sync_object *o);

void summary_json(struct counts *c);

#endif
