/*
 * The values that a pointer can have: what was written to the cell that it was read from in the
 * recorded run, and which heap block each value means. Properties propose only candidates whose
 * pointer has one of these values.
 *
 * malloc reuses addresses that were freed, and may not do so in another linearization: an address
 * does not identify a block. Where several blocks had an address, the query names the write.
 *
 * Lifetime: phase; pointers_release(), pointer_release().
 */
#ifndef HEDDLE_PREDICT_POINTER_VALUES_H
#define HEDDLE_PREDICT_POINTER_VALUES_H

#include "base/map.h"
#include "base/vec.h"
#include "predict/candidates.h"

/* Indices over a trace program. */
struct pointers {
	struct candidates *cs;
	const struct ctp *c;
	struct map access_of_sym; /* symbol -> access + 1 */
	struct vec_u32 writes;    /* accesses that write, by cell */
	struct vec_u32 by_cell;   /* first of writes; one more at the end */
	struct vec_u32 event_of;  /* access -> event */
	struct vec_u32 since;     /* cell -> rank of its first access */
	struct vec_u32 blocks;    /* by address */
	struct vec_u32 freed;     /* those that are freed, by address */
};

struct pointer_value {
	uint32_t write; /* event; CTP_NONE: the initial value of the cell */
	uint32_t block; /* that it points into; CTP_NONE: none, or not known */
	u128 value;
};

/* The address of a dereference or free that depends on one read. */
struct pointer {
	term_t addr, sym;
	uint32_t read, cell;
	VEC(struct pointer_value) values;
	struct term_assign as;
};

void pointers_init(struct pointers *ps, struct candidates *cs);
void pointers_release(struct pointers *ps);
/* The number of blocks of a sorted list (blocks, freed) that begin at the address or below. */
uint32_t pointers_blocks_to(const struct pointers *ps, const struct vec_u32 *sorted, uint64_t addr);
/* Another block had addresses of the block, before or after it. */
bool pointers_reuses_block(const struct pointers *ps, uint32_t block);

/* False: the address of the event depends on no read, or on several. */
bool pointer_init(struct pointers *ps, struct pointer *p, uint32_t event);
void pointer_release(struct pointer *p);
/* The address that the event has if the pointer has that value. */
uint64_t pointer_address(struct pointer *p, u128 value);
/* Adds: the pointer has the value from that write, or from another that wrote the same for the same
 * block. */
void pointer_query_value(struct pointers *ps, struct query *q, const struct pointer *p,
	const struct pointer_value *v);

#endif
