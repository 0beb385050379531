/*
 * The first pass over a trace: every thread is re-executed once, and what it did to others is kept
 * as a history (history.h), with the variables of its stack that others may have seen. From them
 * come the observed order and the generations of memory, which a second pass needs to say which
 * access met which.
 *
 * Threads are numbered here as trace_thread() numbers them; numbers in log records are translated.
 *
 * Lifetime: heap, collect_release().
 */
#ifndef HEDDLE_TRACE_COLLECT_H
#define HEDDLE_TRACE_COLLECT_H

#include "trace/generations.h"
#include "trace/trace.h"

struct collected {
	struct history h;
	struct live_locals *locals; /* by thread */
	struct sync_order o;
	struct generations g;
};

/* 0, or -1 after error_(). */
int collect(struct collected *c, struct trace *t, uint32_t jobs);
void collect_release(struct collected *c);

#endif
