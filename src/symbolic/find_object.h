/*
 * The object that an address belongs to, of whatever kind, as symbolic addresses need it: globals,
 * thread-local variables, heap blocks, stack variables, regions (lazy.h).
 */
#ifndef HEDDLE_SYMBOLIC_FIND_OBJECT_H
#define HEDDLE_SYMBOLIC_FIND_OBJECT_H

#include "symbolic/lazy.h"

struct object {
	uint64_t base, size;
	uint32_t region;     /* or IR_NONE */
	bool dead, readonly; /* dead: freed, or its frame has returned */
};

/* The object that has the address, or ends there: a red zone follows each. */
bool find_object(struct machine *m, uint64_t a, struct object *o);
void object_of_region(struct machine *m, uint32_t region, struct object *o);

#endif
