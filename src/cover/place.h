/*
 * Places of a machine's state that have a value: live registers, and bytes of memory. Two states of one
 * shape (initial.h) have the same places.
 */
#ifndef HEDDLE_COVER_PLACE_H
#define HEDDLE_COVER_PLACE_H

#include "base/strbuf.h"
#include "machine/machine.h"

struct initial_place {
	uint32_t thread, frame; /* register: the thread, and the index of its frame */
	uint32_t reg;           /* IR_NONE: memory */
	uint64_t addr;
	unsigned bits;
};

/* "n", "T1 worker.i": the place in words. */
void place_print(struct machine *m, const struct initial_place *at, struct strbuf *out);
term_t place_value(struct machine *m, const struct initial_place *at);
void place_set(struct machine *m, const struct initial_place *at, term_t value);

#endif
