/*
 * Finds the object that an address belongs to: a global, thread-local variable, heap block, stack
 * variable or region (lazy.h). The resolution of symbolic addresses needs its bounds.
 */
#ifndef HEDDLE_SYMBOLIC_FIND_OBJECT_H
#define HEDDLE_SYMBOLIC_FIND_OBJECT_H

#include "symbolic/lazy.h"

struct object {
	uint64_t base, size;
	uint32_t region;     /* number in struct lazy, or IR_NONE */
	bool dead, readonly; /* dead: freed, or its frame has returned */
};

/* The object that contains the address or ends at it (a red zone follows each object). False: none.
 * Logarithmic for globals, heap and regions; linear in the variables of a thread. */
bool find_object(struct machine *m, uint64_t a, struct object *o);
void object_of_region(struct machine *m, uint32_t region, struct object *o);

#endif
