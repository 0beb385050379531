/*
 * Diagnostics. A message names the place first, then the severity, then the subject in single
 * quotes and what to do next: "worker.c:31:7: error: unsupported instruction 'callbr' (…)".
 * error*() returns -1 so that a caller can write `return error_at(...)`. No function here exits.
 *
 * diag_set_sink() passes the messages to a function (of a test, of a fuzz target) instead of
 * printing them.
 */
#ifndef HEDDLE_BASE_DIAG_H
#define HEDDLE_BASE_DIAG_H

#include "base/base.h"

struct diag_pos { /* file may be NULL: the message then starts with the program's name */
	const char *file;
	uint32_t line, col; /* 0 = unknown */
};

int error_at(struct diag_pos pos, const char *fmt, ...) PRINTF(2, 3);
int error_(const char *fmt, ...) PRINTF(1, 2);
void warn_(const char *fmt, ...) PRINTF(1, 2);
void note_(const char *fmt, ...) PRINTF(1, 2);

/* Receives one complete message without newline. A sink of NULL restores printing to stderr. */
typedef void (*diag_sink)(void *ctx, const char *message);
FOR_TESTS void diag_set_sink(diag_sink sink, void *ctx);
/* The program's name, which starts a message without a file; "heddle" unless set. Not copied. */
void diag_set_program(const char *name);

#endif
