/*
 * Validation of a trace, before anything uses it. Checksums show that a file did not change
 * since it was written, but not that heddle wrote it. The code after this room relies on what is checked here:
 *  - meta: its fields are there and in their ranges
 *  - threads: the main thread is the first one and the only one; a creator has a smaller number
 *    than the thread that it creates, so that creators form a tree
 *  - synchronization: a thread is created once, by its creator; records that begin and end a thread
 *    do so; blocks of memory are inside the address space
 *  - order: sequence numbers and program order have no contradiction, and every primitive did what
 *    it can do (check.h)
 * What fails is bad input: -1 after error_at() with the directory, the thread and the operation.
 *
 * A log that lacks a part is valid: trace_gap() has the reason, and no claim is made of it.
 */
#ifndef HEDDLE_TRACE_TRACE_VALIDATE_H
#define HEDDLE_TRACE_TRACE_VALIDATE_H

#include "trace/order.h"
#include "trace/trace.h"

struct ir_program;

int trace_validate_meta(const char *dir, const struct store_meta *m);
/* n threads, by number in the log. partial: some threads may be missing. */
int trace_validate_threads(
	const char *dir, const struct trace_thread *threads, uint32_t n, bool partial);
/* After the re-execution of all threads; fates are set. */
int trace_validate_history(const struct trace *t, const struct history *h);
int trace_validate_order(const struct trace *t, const struct sync_order *o);

#endif
