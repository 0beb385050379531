/*
 * The careful pass of the extraction: re-executes every thread of a trace, and lets extractions
 * (struct extractor) make the events of their *parts*. A whole run is one extraction with one part
 * for each thread. The chunks of a long run (partition.h) are several, each with a part of some
 * threads; between parts a thread is re-executed in the fast mode.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_PASS_H
#define HEDDLE_EXTRACT_EXTRACT_PASS_H

#include "base/vec.h"
#include "extract/extract_internal.h"

struct pass_part { /* the events of one thread in one extraction */
	struct extractor *x;
	uint64_t from;  /* point at which events begin; UINT64_MAX: with the first other thread */
	uint64_t to;    /* point at which they end; UINT64_MAX: at the end of the thread */
	uint64_t early; /* a point, at most `from`, without entries in between, at which the careful
			   mode begins: the fast mode does not report every point */
};

struct pass_stream {
	VEC(struct pass_part) parts; /* by early */
	uint32_t next;               /* the next part that has not begun */
	struct vec_u32 active;       /* indices of parts that have begun and not ended */
	struct touched touched;
	bool careful;
};

struct pass {
	struct extractor *base; /* its tables belong to all extractions */
	struct pass_stream *streams;
	uint32_t nstreams;
	uint32_t at; /* the current stream, CTP_NONE */
	bool shifts; /* the mode changes; false: all threads are in the careful mode */
};

void pass_init(struct pass *p, struct extractor *base, bool shifts);
void pass_add(struct pass *p, uint32_t stream, const struct pass_part *part);
/* 0, or -1 after error_(). */
int pass_run(struct pass *p);
void pass_release(struct pass *p);

#endif
