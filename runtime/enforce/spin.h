/*
 * Threads that wait for others in a loop. A thread *spins* that has passed some points in a row which
 * changed nothing: reads of the same few addresses, updates that left their memory as it was, tries that
 * failed, locks that it took and gave back. It gives way when others can run: after SPIN_POINTS such
 * points, and after twice as many each time, up to SPIN_TURN, as long as nobody changes anything.
 *
 * When all who can run spin, and nobody can change anything any more, that is a livelock: SCHED_STUCK.
 * Each of them has then passed SPIN_LONG such points without a call of native code, and has come back
 * to a place in its code where it had been, with the same stack and registers, but for the hash and the
 * cursor of its log, which instrumented code keeps there too. A loop that counts is no livelock: it may
 * end. (One that counts in memory which nobody else can see, and not on its stack, would be taken for one.)
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_SPIN_H
#define HEDDLE_RUNTIME_ENFORCE_SPIN_H

#include "runtime/enforce/control.h"

/* The thread is at a point of that kind that is no access, and passes it. */
void spin_sync(struct controlled *t);
/* It changed something, or may have. */
void spin_change(struct controlled *t);
/* Its points were at other addresses before. */
void spin_forget(struct controlled *t);
/* With the lock, at its point: it is to give way to others. */
bool spin_gives_way(struct controlled *t);
/* With the lock: ends the process if it is a livelock. */
void spin_look(struct controlled *now);

/* ---- at every access ------------------------------------------------------------------------ */

void spin_reached(struct controlled *t);
void spin_probe(struct controlled *t);
extern bool spin_probing;

static inline uint64_t spin_load(uint64_t addr, uint64_t size)
{
	switch (size) {
	case 1: return *(const volatile uint8_t *)addr;
	case 2: return *(const volatile uint16_t *)addr;
	case 4: return *(const volatile uint32_t *)addr;
	default: return *(const volatile uint64_t *)addr;
	}
}

static inline struct spin_place *spin_find(struct spin *s, uint64_t addr)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].addr == addr)
			return &s->at[i];
	return NULL;
}

/* One more point that changed nothing, at that address. */
static inline struct spin_place *spin_quiet(struct controlled *t, uint64_t addr)
{
	struct spin *s = &t->spin;
	struct spin_place *p = spin_find(s, addr);
	if (!p) {
		if (s->n == SPIN_PLACES)
			spin_forget(t);
		p = &s->at[s->n++];
		*p = (struct spin_place){.addr = addr};
	}
	s->quiet++;
	if (unlikely(++s->turn >= s->limit))
		spin_reached(t);
	return p;
}

/* Whether it changed something is seen when the thread comes to the next one, or when somebody wants to
 * know. The first two that are made there count as if they did: memory is looked at only where the
 * thread was before. */
static inline void spin_update(struct controlled *t, uint64_t addr, uint32_t size)
{
	struct spin_place *p = spin_find(&t->spin, addr);
	if (p && p->size == size && spin_load(addr, size) == p->was) {
		spin_quiet(t, addr);
		return;
	}
	bool known = p != NULL;
	spin_change(t);
	p = spin_quiet(t, addr);
	if (known) {
		p->size = size;
		p->was = spin_load(addr, size);
	}
}

static inline void spin_access(struct controlled *t, uint64_t addr, uint64_t size, uint8_t flags)
{
	if (!(flags & POINT_WRITE))
		spin_quiet(t, addr);
	else if (flags & POINT_ATOMIC && size && size <= 8 && !(size & (size - 1)))
		spin_update(t, addr, (uint32_t)size);
	else
		spin_change(t);
	if (unlikely(spin_probing))
		spin_probe(t);
}

#endif
