/*
 * Work over processes: items 0 .. n-1, each done by a worker that was forked for it; what came of
 * it comes back as text. A worker that dies takes one item with it, which has no answer then.
 */
#ifndef HEDDLE_DEEP_WORKERS_H
#define HEDDLE_DEEP_WORKERS_H

#include "base/strbuf.h"

struct workers_do {
	/* in a worker: appends the answer */
	void (*work)(void *ctx, uint32_t item, struct strbuf *answer);
	/* here, in any order */
	void (*done)(void *ctx, uint32_t item, const char *answer, size_t n);
	/* no more items are begun; may be NULL */
	bool (*over)(void *ctx);
	void *ctx;
};
/* Returns how many have no answer. */
uint32_t workers_run(const struct workers_do *w, uint32_t n, uint32_t jobs);

#endif
