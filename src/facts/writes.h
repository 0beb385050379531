/*
 * Which memory an instruction of the program writes: the operands that lead there. For calls of library
 * functions this is what log/effects.def and sync.def say of them. Of functions that are not known, or
 * called through a pointer, the points-to analysis has let everything go outside already; what a
 * function of the program writes is asked of its own instructions.
 */
#ifndef HEDDLE_FACTS_WRITES_H
#define HEDDLE_FACTS_WRITES_H

#include "facts/natives.h"

#define WRITES_ALL UINT32_MAX /* a width that is not known */

enum write_kind {
	WRITE_PLAIN,
	WRITE_QUIET, /* by code outside, and not logged: the inside of a mutex, an array being sorted */
	WRITE_DEEP,  /* everything that can be reached from the operand */
	WRITE_FREED, /* the object is freed */
};

struct writes {
	const struct ir_program *p;
	const struct points_to *pt;
	const struct native *natives;
};

/* Calls fn for every write of the instruction, a few times at most: `width` bytes at the operand. */
typedef void (*writes_fn)(void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width,
	enum write_kind kind);
void writes_each(const struct writes *w, uint32_t func, uint32_t insn, writes_fn fn, void *ctx);

#endif
