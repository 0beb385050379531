/*
 * The accesses of a concurrent trace program by cell, and within a cell in *streams*: accesses of
 * one thread at one place of the source with the same lockset, all reads or all writes. The
 * locksets of two streams are compared once for all pairs. Along a stream the observed order and
 * must-happen-before agree, so that two long streams need not be compared pair by pair.
 *
 * Building sorts: O(n log n). Lifetime: heap, access_streams_release().
 */
#ifndef HEDDLE_PREDICT_ACCESS_STREAMS_H
#define HEDDLE_PREDICT_ACCESS_STREAMS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/model.h"

struct held_lock {
	uint64_t object;
	bool shared;
};
struct lockset { /* of access_streams.locks */
	uint32_t first, n;
};

struct stream_access {
	uint64_t place;
	uint32_t cell, event, thread;
	uint32_t locks; /* index in access_streams.sets */
	bool write, atomic;
};

struct stream {
	uint32_t first, n; /* of access_streams.at, rising by event */
};

struct access_streams {
	VEC(struct stream_access) at; /* by cell, then stream, then event */
	VEC(struct stream) streams;
	struct vec_u32 by_cell; /* first stream of the cell; one more at the end */
	VEC(struct held_lock) locks;
	VEC(struct lockset) sets; /* 0 is empty */
	struct map set_by_hash;
};

void access_streams_build(struct access_streams *u, const struct ctp *c, const struct mhb *mhb);
void access_streams_release(struct access_streams *u);
/* Both locksets have a lock that excludes the two accesses. */
bool access_streams_exclude(const struct access_streams *u, uint32_t a, uint32_t b);

#endif
