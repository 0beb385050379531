/*
 * Diagnostics. A message names the place first, then the severity, then the subject in single
 * quotes and what to do next: "worker.c:31:7: error: unsupported instruction 'callbr' (…)".
 * error*() returns -1 so that a caller can write `return error_at(...)`. Nobody exits here.
 *
 * A library caller (a test, a fuzz target) can take the messages instead of having them printed.
 */
#ifndef HEDDLE_BASE_DIAG_H
#define HEDDLE_BASE_DIAG_H

#include "base/base.h"

struct diag_pos { /* file may be NULL: then "heddle" stands for the place */
	const char *file;
	uint32_t line, col; /* 0 = unknown */
};

int error_at(struct diag_pos pos, const char *fmt, ...) PRINTF(2, 3);
int error_(const char *fmt, ...) PRINTF(1, 2);
void warn_at(struct diag_pos pos, const char *fmt, ...) PRINTF(2, 3);
void warn_(const char *fmt, ...) PRINTF(1, 2);
void note_(const char *fmt, ...) PRINTF(1, 2);

/* one complete message without newline; NULL restores printing to stderr */
typedef void (*diag_sink)(void *ctx, const char *message);
void diag_set_sink(diag_sink sink, void *ctx);
/* the name that stands for the place when there is none; "heddle" unless set */
void diag_set_program(const char *name);

#endif
