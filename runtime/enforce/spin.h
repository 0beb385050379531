/*
 * Threads that wait for others in a loop. A thread *spins* if it has passed some points in a row
 * that changed nothing: reads of the same few addresses, updates that left their memory as it was,
 * tries that failed, waits that timed out, locks that it took and released. It gives way when other
 * threads can run: after SPIN_POINTS such points, and after twice as many each time, up to
 * SPIN_MOST, as long as no thread changes anything.
 *
 * If all threads that can run spin, and no other thread can change anything, the run is a livelock:
 * SCHED_STUCK. Each of them, also one that sleeps or waits with a time limit, has then passed
 * SPIN_LONG such points without a call of native code, and has returned to an earlier place of its
 * code with the same stack and registers, except the hash and the cursor of its log, which
 * instrumented code keeps there too. A loop that counts is not a livelock: it may end. (A loop that
 * counts in memory that is neither shared nor on its stack is reported as a livelock although it is
 * none.) The state of a thread is known at accesses and at tries; a loop that has neither is not
 * seen to be a livelock.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_SPIN_H
#define HEDDLE_RUNTIME_ENFORCE_SPIN_H

#include "runtime/enforce/control.h"

/* The thread passes a point that is not an access. */
void spin_sync(struct controlled *t);
/* The thread changed something, or may have. */
void spin_change(struct controlled *t);
/* The thread accesses other addresses than before. */
void spin_forget(struct controlled *t);
/* With the lock, at a point of the thread: whether it has to give way to others. */
bool spin_gives_way(struct controlled *t);
/* With the lock: ends the process at a livelock. */
void spin_check_livelock(struct controlled *now);

/* ---- at every access and try ---------------------------------------------------------------- */

void spin_reached(struct controlled *t);
void spin_probe(struct controlled *t);
extern bool spin_probing;

/*
 * Defines the function NAME, which continues at BODY, a function of this file with the same
 * parameters. The check for a livelock compares the registers of a thread: those that a call
 * preserves. The others hold no values of the program here.
 */
#define SPIN_ENTRY(SECTION, NAME, BODY)                                                            \
	__asm__(".pushsection " SECTION "\n"                                                       \
		".globl " NAME "\n"                                                                \
		".hidden " NAME "\n"                                                               \
		".type " NAME ", @function\n" NAME ":\n"                                           \
		"	cmpb $0, spin_probing(%rip)\n"                                                   \
		"	je " BODY "\n"                                                             \
		"	movq %rbx, spin_registers(%rip)\n"                                               \
		"	movq %rbp, 8+spin_registers(%rip)\n"                                             \
		"	movq %r12, 16+spin_registers(%rip)\n"                                            \
		"	movq %r13, 24+spin_registers(%rip)\n"                                            \
		"	movq %r14, 32+spin_registers(%rip)\n"                                            \
		"	movq %r15, 40+spin_registers(%rip)\n"                                            \
		"	movq %rsp, 48+spin_registers(%rip)\n"                                            \
		"	jmp " BODY "\n"                                                            \
		".size " NAME ", .-" NAME "\n"                                                     \
		".popsection\n")
/* A wrapper of a function that tries keeps the state of its caller for the check: the name of the
 * wrapper that follows, with parameters P, becomes that of the entry. */
#define SPIN_TRY(NAME, P)                                                                          \
	SPIN_ENTRY("heddle_text,\"ax\",@progbits", "__heddle_" #NAME, "tried_" #NAME);             \
	HOOK int __heddle_##NAME P __asm__("tried_" #NAME)

/* At the begin of a wrapper with SPIN_TRY(). */
static inline void spin_tries(struct controlled *t)
{
	if (unlikely(spin_probing) && control.on)
		spin_probe(t);
}

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

/* Counts one more point that changed nothing, at that address. */
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
	if (unlikely(++s->since >= s->limit))
		spin_reached(t);
	return p;
}

/* Whether an update changed something is found at the next update, or by has_changed(). The first
 * two updates of an address count as changes: memory is read only at addresses that the thread
 * accessed before. */
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
