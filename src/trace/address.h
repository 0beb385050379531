/*
 * Names of addresses by the object at the address, to compare two runs of a program. Addresses
 * differ between images and between runs; these names do not.
 *
 *   0x10                    below all objects: the number itself
 *   function 7              number in the program (ir)
 *   global 12+8             number in the program, and offset in bytes
 *   block 3 of main.0+16    the fourth heap block that thread main.0 allocated; main.0 is the first
 *                           thread that the main thread created
 *   stack of main.0         followed by ", variable 2 of function 7+4" if the variable is known
 */
#ifndef HEDDLE_TRACE_ADDRESS_H
#define HEDDLE_TRACE_ADDRESS_H

#include "base/strbuf.h"
#include "trace/collect.h"

/* The generation at the address after the thread has executed `index` instructions; 0: none is
 * known. */
uint32_t address_generation(
	const struct collected *c, uint32_t thread, uint64_t index, uint64_t addr);
/* Appends the name; false if the address has none. gen: the generation at the address, 0 = none.
 * The main thread must have been re-executed. */
bool address_name(const struct trace *t, const struct collected *c, uint64_t addr, uint32_t gen,
	struct strbuf *out);
/* Whether a name from another run names this address of this run: 1, 0, or -1 if this cannot be
 * decided. */
int address_is(const struct trace *t, const struct collected *c, const char *name, uint64_t addr,
	uint32_t gen);
/* The nth thread (from 0) that the parent created, UINT32_MAX: none. Parent and result are numbers
 * of trace_thread(). For parent UINT32_MAX: the main thread. */
uint32_t address_thread(const struct collected *c, uint32_t parent, uint32_t nth);

#endif
