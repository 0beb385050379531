/*
 * The memory that an instruction of the program writes, as operands that point to it. For calls of
 * library functions this comes from log/libc.def and log/sync.def. Not included are
 *  - writes of unknown functions, among them library functions that are called through a pointer
 *    (points_to_options.direct_only): in the points-to analysis, all memory that they can reach is
 *    reachable for code outside
 *  - writes of called functions of the program: they are writes of the instructions of these
 *    functions
 */
#ifndef HEDDLE_FACTS_WRITES_H
#define HEDDLE_FACTS_WRITES_H

#include "facts/natives.h"

#define WRITES_ALL UINT32_MAX /* an unknown width */

enum write_kind {
	WRITE_PLAIN,
	WRITE_QUIET, /* by code outside, without logging: the inside of a mutex, an array being
			sorted */
	WRITE_DEEP,  /* all memory that is reachable from the operand */
	WRITE_FREED, /* the object is freed */
};

struct writes {
	const struct ir_program *p;
	const struct points_to *pt;
	const struct native *natives;
};

/* Calls fn for every write of the instruction: `width` bytes at the operand `at`. */
typedef void (*writes_fn)(void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width,
	enum write_kind kind);
void writes_each(const struct writes *w, uint32_t func, uint32_t insn, writes_fn fn, void *ctx);

#endif
