/*
 * The first pass over a trace. It re-executes each thread once and keeps its synchronization
 * operations (history.h) and the variables of its stack that other threads may access. It builds
 * the observed order and the generations of memory from them. A second pass needs these to decide
 * which accesses of two threads are to the same memory.
 *
 * Threads have the numbers of trace_thread(); numbers in log records are translated.
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

/* 0, or -1 after error_(), also if the history is invalid (trace_validate.h); then *c is empty. */
int collect(struct collected *c, struct trace *t, uint32_t jobs);
void collect_release(struct collected *c);

#endif
