/*
 * A hash of 128 bits of what the rest of a run depends on: memory, heap, threads with their live
 * registers, wait queue. Not in it: counters of instructions and time, values of uninitialized
 * bytes, registers that are not live. Two states with the same hash have the same futures, if the
 * program does not read the clock; extensions (terms, the world) add what they have.
 */
#ifndef HEDDLE_MACHINE_STATE_HASH_H
#define HEDDLE_MACHINE_STATE_HASH_H

#include "base/base.h"
#include "base/hash.h"
#include "machine/machine.h"

struct hash128 {
	uint64_t a, b;
};

static inline void hash128_add(struct hash128 *h, uint64_t x)
{
	h->a = hash_mix(h->a, x);
	h->b = (h->b ^ x) * 0x9fb21c651e98df25u;
	h->b ^= h->b >> 28;
}

void hash128_bytes(struct hash128 *h, const void *p, size_t n);
void machine_hash(struct machine *m, struct hash128 *h);
/* A hash of the shape of the state: what is in machine_hash(), except for the values of registers and
 * memory, and for heap blocks that were freed. */
void machine_shape_hash(struct machine *m, struct hash128 *h);
/* Calls fn(ctx, thread, frame, register) for each live register of each frame that is in machine_hash(),
 * in a fixed order for states of the same shape. */
void machine_each_register(struct machine *m,
	void (*fn)(void *ctx, struct thread *t, struct frame *f, uint32_t reg), void *ctx);

#endif
