/*
 * The sources of one command line, each compiled a second time: to bitcode as the front end writes
 * it (no passes, full debug information), which the worker cleans up. The messages of this compile
 * are not shown: the native compile prints the same ones.
 */
#ifndef HEDDLE_CC_UNIT_H
#define HEDDLE_CC_UNIT_H

#include "base/vec.h"
#include "cc/args.h"

#include <sys/types.h>

struct unit {
	uint32_t arg;       /* index in cc_args */
	const char *source; /* as written on the command line */
	enum cc_lang lang;
	int raw;      /* memory file with bitcode from the front end; -1 if it is not C */
	int clean;    /* memory file for the bitcode after clean-up; -1 if it is not C */
	int messages; /* memory file with the messages of the compiler */
	pid_t pid;
	char *why; /* why there is no bitcode; NULL = there is, or the compile is not finished */
};

struct units {
	const struct cc_args *args;
	const char *clang;
	int input; /* the file that replaces stdin; -1 = none */
	VEC(struct unit) at;
	uint32_t started; /* units whose compile was started, or that have none */
	uint32_t ntaken;  /* units in C */
};

/* `input` is a file that replaces stdin, or -1. */
void units_init(struct units *us, const struct cc_args *a, const char *clang, int input);
void units_release(struct units *us);
/* Starts the first compiles; units_finish() starts the other ones and waits for all. */
void units_start(struct units *us);
void units_finish(struct units *us);
/* Ends the compiles that are running. */
void units_cancel(struct units *us);

/* Compiles the native object alone, for the container. The exit status of the compiler. */
int unit_compile_native(const struct units *us, const struct unit *u, const char *object);

#endif
