/*
 * The name of an address by what lies there, for comparing two runs of a program: addresses differ from
 * image to image and from run to run, the things do not.
 *
 *   0x10                    no memory: the number itself
 *   function 7              of the program (ir)
 *   global 12+8
 *   block 3 of main.0+16    the fourth block that the thread allocated; main.0 is the first thread that
 *                           the main one created
 *   stack of main.0         and ", variable 2 of function 7+4" where it is known which lay there
 */
#ifndef HEDDLE_TRACE_ADDRESS_H
#define HEDDLE_TRACE_ADDRESS_H

#include "base/strbuf.h"
#include "trace/collect.h"

/* What lies there when the thread has executed `index` instructions: a generation, 0 = none that is
 * known. */
uint32_t address_generation(
	const struct collected *c, uint32_t thread, uint64_t index, uint64_t addr);
/* Appends the name; false if it has none. gen: the generation that lies there, 0 = none. The main
 * thread must have been followed. */
bool address_name(const struct trace *t, const struct collected *c, uint64_t addr, uint32_t gen,
	struct strbuf *out);
/* Whether that is the address, in this run, of what has the name in another: 1, 0, or -1 if one cannot
 * tell. */
int address_is(const struct trace *t, const struct collected *c, const char *name, uint64_t addr,
	uint32_t gen);
/* The nth thread that the parent created, both as the trace numbers them, UINT32_MAX: none. Of parent
 * UINT32_MAX it is the main one. */
uint32_t address_thread(const struct collected *c, uint32_t parent, uint32_t nth);

#endif
