/*
 * The sources of one command line, each compiled a second time: to bitcode as the front end writes
 * it (no passes, full debug information), for the worker to clean up. The compiler's messages about
 * it are kept: the user has seen them already from the native compile.
 */
#ifndef HEDDLE_CC_UNIT_H
#define HEDDLE_CC_UNIT_H

#include "base/vec.h"
#include "cc/args.h"

#include <sys/types.h>

struct unit {
	uint32_t arg;       /* in cc_args */
	const char *source; /* as given */
	enum cc_lang lang;
	int raw;   /* memory file with bitcode from the front end; -1 if it is not C */
	int clean; /* memory file for the cleaned unit; -1 likewise */
	int messages;
	pid_t pid;
	char *why; /* why there is no bitcode; NULL = there is, or will be */
};

struct units {
	const struct cc_args *args;
	const char *clang;
	int input; /* what is to be read from stdin; -1 = nothing */
	VEC(struct unit) at;
	uint32_t started;
	uint32_t ntaken; /* units in C */
};

/* `input` is a file that replaces stdin, or -1. */
void units_init(struct units *us, const struct cc_args *a, const char *clang, int input);
void units_release(struct units *us);
/* Starts the first compiles; units_finish() starts the others and waits for all. */
void units_start(struct units *us);
void units_finish(struct units *us);
/* Gives up: ends what is running. */
void units_cancel(struct units *us);

/* Why a source in that language has no bitcode; NULL if it has. */
const char *unit_language_why(enum cc_lang lang);
/* The native object alone, for a container; the exit status of the compiler. */
int unit_compile_native(const struct units *us, const struct unit *u, const char *object);

#endif
