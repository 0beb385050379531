/*
 * What a summary counts: events by kind and thread, native calls, shared locations, synchronization
 * objects. The second pass over the trace fills it; trace_summary.c prints it, trace_json.c too.
 */
#ifndef HEDDLE_CLI_TRACE_COUNT_H
#define HEDDLE_CLI_TRACE_COUNT_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/trace.h"

struct thread_count {
	uint64_t events[FOLLOW_NKINDS];
	uint64_t all;
	struct touched touched;
	struct map calls; /* callee + 1, 0 for one that is not in the program -> count */
};

enum call_sort { CALLS_UNKNOWN, CALLS_EXCLUDED, CALLS_NSORTS };
struct call_count {
	const char *name;
	uint64_t n;
	enum call_sort sort;
};

struct location_group { /* locations of one object that differ in an index only */
	char *name;
	uint32_t first, n; /* the first location; how many */
	uint64_t reads, writes, bytes;
	uint32_t locks;    /* held at every access to any of them */
	uint32_t unlocked; /* locations that no lock protected at every access */
	struct bitset threads;
	bool atomic, plain;
};

struct sync_object {
	uint64_t addr;
	uint32_t gen;
	int what;               /* enum check_primitive */
	uint32_t thread, event; /* that names it: where it is made, else its first use */
	uint64_t ops, acquired, failed;
	uint64_t waited;      /* could not be taken at once */
	uint64_t handed_over; /* taken by another thread than before */
	uint32_t holder;
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

/* STATUS_* */
int counts_make(struct counts *c, struct view *v);
void counts_release(struct counts *c);
/* The locks of a set by name, ", " between them. */
void counts_locks(struct strbuf *out, struct counts *c, uint32_t set);
void counts_object_name(struct strbuf *out, struct counts *c, const struct sync_object *o);

int summary_text(struct counts *c);
int summary_json(struct counts *c);

#endif
