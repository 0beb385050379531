/*
 * A function in a child process with limits, for code that is not trusted with its input: LLVM's
 * reader accesses wild addresses, aborts or loops on a damaged file. The child's death is a result,
 * and its memory is not ours.
 */
#ifndef HEDDLE_BASE_CHILD_H
#define HEDDLE_BASE_CHILD_H

#include "base/strbuf.h"

struct child_call {
	/* In the child: writes text to fd. 0: it succeeded; -1: it failed. */
	int (*work)(void *ctx, int fd);
	void *ctx;
	unsigned seconds; /* of processor time */
	uint64_t memory;  /* bytes of address space besides those that the caller has now */
	bool quiet;       /* its standard error is dropped */
};

/* Calls work() in a child and appends what it wrote to `text`, at most CHILD_TEXT bytes. Returns
 * its result; -1 also if it did not return, and then `death` has the reason: "it crashed
 * (SIGSEGV)". */
enum { CHILD_TEXT = 1 << 16 };
int child_run(const struct child_call *c, struct strbuf *text, struct strbuf *death);

#endif
