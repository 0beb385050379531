/*
 * Bytes of a thread's stack that other threads access. The owner's accesses to its own stack are no
 * scheduling points, except for those to lent bytes. There is no static knowledge of them: the
 * exploration collects the bytes while it runs (explore/lend.c), in granules. A granule has the
 * same number on the stack of each thread, and belongs to at most one live variable
 * (stack_alloc()).
 *
 * The begin and the end of a variable with lent bytes are scheduling points, too: before the first
 * and after the second the access of another thread is a fault.
 */
#ifndef HEDDLE_MACHINE_LENT_H
#define HEDDLE_MACHINE_LENT_H

#include "base/bitset.h"
#include "machine/machine.h"

enum { LENT_GRANULE = 16 }; /* bytes */

static inline uint32_t lent_granule(const struct thread *t, uint64_t a)
{
	return (uint32_t)((a - t->stack) / LENT_GRANULE);
}

/* Whether the address is on the thread's stack and not lent. */
static inline bool stack_is_private(const struct machine *m, const struct thread *t, uint64_t a)
{
	return a - t->stack < STACK_LIMIT &&
	       !(m->opt->lent && bitset_has(m->opt->lent, lent_granule(t, a)));
}

/* Whether a byte of the range, which is on the thread's stack, is lent. */
bool lent_any(const struct machine *m, const struct thread *t, uint64_t a, uint64_t n);
/* Whether the next instruction of the thread's top frame begins or ends variables with lent bytes,
 * in the range [*a, *a + *n). */
bool lent_change(
	struct machine *m, struct thread *t, const struct ir_insn *in, uint64_t *a, uint64_t *n);

#endif
