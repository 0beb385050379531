/*
 * Work over processes: items 0 .. n-1. Each forked worker takes the next item that no worker has,
 * and sends its answer, which is text, to the caller. A worker that dies loses one item; another
 * worker is forked in its place while there are items left.
 */
#ifndef HEDDLE_BASE_WORKERS_H
#define HEDDLE_BASE_WORKERS_H

#include "base/strbuf.h"

struct workers_do {
	/* in a worker: appends the answer */
	void (*work)(void *ctx, uint32_t item, struct strbuf *answer);
	/* in the caller, in any order: the answer, which is valid during the call */
	void (*done)(void *ctx, uint32_t item, const char *answer, size_t n);
	/* in the caller: the item has no answer, because its worker died; `why` is valid during the
	 * call. May be NULL. */
	void (*lost)(void *ctx, uint32_t item, const char *why);
	/* in workers and caller: no more items are begun. Items that were not begun are neither
	 * done nor lost. May be NULL. */
	bool (*over)(void *ctx);
	void *ctx;
};
/* Returns when all items are done or lost, or the last worker has seen that the work is over. For
 * one item, for jobs <= 1, and if no process can be made, the caller's process does the work. Returns
 * the number of workers that died. */
uint32_t workers_run(const struct workers_do *w, uint32_t n, uint32_t jobs);

#endif
