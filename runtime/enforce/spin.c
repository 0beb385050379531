#include "runtime/enforce/spin.h"

#include <sys/syscall.h>
#include <sys/uio.h>

enum { WORDS = 8192, REGISTERS = 6, TRIES = 64, HASHES = 3 };

bool spin_probing;
uint64_t spin_registers[REGISTERS + 1]; /* of the code before its point, then the stack pointer */

/*
 * __heddle_point, as instrumented code calls it.
 */
SPIN_ENTRY(".text", "__heddle_point", "point_access");

/* ---- points ------------------------------------------------------------------------ */

void spin_change(struct controlled *t)
{
	t->spin.n = 0;
	t->spin.quiet = t->spin.since = 0;
	t->spin.tries = t->spin.locks = false;
	control.changes++;
}

void spin_forget(struct controlled *t)
{
	for (uint32_t i = 0; i < t->spin.n; i++)
		control.changes += t->spin.at[i].size != 0;
	t->spin.n = 0;
	t->spin.quiet = t->spin.since = 0;
}

void spin_sync(struct controlled *t)
{
	switch (t->kind) {
	case LOG_S_LOCK:
	case LOG_S_UNLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_UNLOCK: t->spin.locks = true; break;
	case LOG_S_TRYLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_SEM_WAIT:
	case LOG_S_COND_WAIT:
	case LOG_S_COND_WOKEN:
		if (t->failed) {
			t->spin.tries = true;
			break;
		}
		/* fall through */
	default: spin_change(t); return;
	}
	spin_quiet(t, t->addr);
}

/* ---- giving way --------------------------------------------------------------------------- */

/* Not during the segments of a schedule, which decide which thread runs. */
void spin_reached(struct controlled *t)
{
	if (control.steps_done || control.shared->mode != SCHED_STEPS)
		t->stop = 0;
}

bool spin_gives_way(struct controlled *t)
{
	struct spin *s = &t->spin;
	if (s->epoch != control.changes) {
		s->epoch = control.changes;
		s->limit = SPIN_POINTS;
	}
	if (s->since < s->limit)
		return false;
	s->since = 0;
	if (s->limit < SPIN_MOST)
		s->limit *= 2;
	return true;
}

/* Whether an update changed its memory, which may be unmapped by now. */
static bool has_changed(const struct controlled *t)
{
	for (uint32_t i = 0; i < t->spin.n; i++) {
		const struct spin_place *p = &t->spin.at[i];
		uint64_t now = 0;
		struct iovec to = {&now, p->size}, from = {(void *)p->addr, p->size};
		if (p->size && (sys6(SYS_process_vm_readv, rt.pid, (long)&to, 1, (long)&from, 1,
					0) != (long)p->size ||
				       now != p->was))
			return true;
	}
	return false;
}

/* ---- livelocks ---------------------------------------------------------------------------- */

/* The state of a thread at its point: return address, registers, stack from there. */
static struct {
	struct controlled *t;
	uint64_t epoch, natives, place, sp, n;
	uint32_t tries; /* points at that place since */
	uint64_t registers[REGISTERS];
	uint64_t stack[WORDS];
} seen;

static uint64_t stack_words(const struct controlled *t, uint64_t sp)
{
	uint64_t top = t->tid == (uint32_t)rt.pid ? rt.main_stack_hi : t->self;
	return top > sp ? (top - sp) / 8 : UINT64_MAX;
}

static void probe_end(void)
{
	spin_probing = false;
	seen.t = NULL;
}

static void probe_begin(struct controlled *t)
{
	seen.t = t;
	seen.place = 0;
	spin_probing = true;
}

/* The cursor and the hash may differ. Two values of the hash differ in their upper bits, while two
 * values of a counter do not. */
static bool same_word(const struct log_ctl *ctl, uint64_t a, uint64_t b, uint32_t *hashes)
{
	uint64_t end = (uint64_t)ctl->end, d = a > b ? a - b : b - a;
	if (a == b || (end - a <= LOG_CHUNK_DATA && end - b <= LOG_CHUNK_DATA))
		return true;
	return d >> 48 && (*hashes)++ < HASHES;
}

static bool same_state(const struct log_ctl *ctl)
{
	uint32_t hashes = 0;
	for (uint32_t i = 0; i < REGISTERS; i++)
		if (!same_word(ctl, seen.registers[i], spin_registers[i], &hashes))
			return false;
	for (uint64_t i = 0; i < seen.n; i++)
		if (!same_word(ctl, seen.stack[i], ((uint64_t *)seen.sp)[i], &hashes))
			return false;
	return true;
}

static void keep_state(struct controlled *t)
{
	seen.sp = spin_registers[REGISTERS];
	seen.place = *(uint64_t *)seen.sp;
	seen.epoch = control.changes;
	seen.natives = (*t->ctl)->natives;
	seen.tries = 0;
	seen.n = stack_words(t, seen.sp);
	if (seen.n > WORDS) { /* too much to compare */
		probe_end();
		return;
	}
	for (uint32_t i = 0; i < REGISTERS; i++)
		seen.registers[i] = spin_registers[i];
	copy_bytes(seen.stack, (void *)seen.sp, seen.n * 8);
}

void spin_probe(struct controlled *t)
{
	if (t != seen.t)
		return;
	uint64_t sp = spin_registers[REGISTERS];
	if (!seen.place) {
		keep_state(t);
	} else if (seen.epoch != control.changes || seen.natives != (*t->ctl)->natives) {
		probe_end();
	} else if (sp == seen.sp && *(uint64_t *)sp == seen.place) {
		if (same_state(*t->ctl)) {
			t->spin.cycle = seen.epoch + 1;
			probe_end();
			t->stop = 0;
		} else if (++seen.tries > TRIES) {
			probe_end();
		}
	}
}

static void add_spinner(struct text *text, const struct controlled *t)
{
	text_add(text, "thread ");
	text_number(text, t->number);
	text_add(text, " at its scheduling point ");
	text_number(text, t->count);
	text_add(text, " (");
	for (uint32_t i = 0; i < t->spin.n; i++) {
		text_add(text, i ? ", " : "");
		text_hex(text, t->spin.at[i].addr);
	}
	text_add(text, ")");
}

static _Noreturn void end_by_livelock(void)
{
	struct text text;
	const char *sep = "";
	text_init(&text);
	text_add(&text, "livelock, all threads that can run spin: ");
	for (struct controlled *t = control.alive; t; t = t->next)
		if (can_run(t)) {
			text_add(&text, sep);
			add_spinner(&text, t);
			sep = ", ";
		}
	stuck(text.s);
}

/* The thread returned to an earlier state. */
static bool is_cyclic(const struct controlled *t)
{
	return t->spin.cycle == control.changes + 1;
}

/* All threads that can run, or that time will let run, are in a cycle of states, and no other
 * thread can become ready. */
static bool is_livelock(void)
{
	uint32_t tries = 0, locks = 0, both = 0;
	for (struct controlled *t = control.alive; t; t = t->next) {
		if (has_changed(t))
			spin_change(t);
		if (t->state == THREAD_NATIVE || t->fds)
			return false; /* the outside may let it continue */
		if (!can_run(t) && t->deadline == NO_DEADLINE)
			continue;
		if (!is_cyclic(t))
			return false;
		tries += t->spin.tries;
		locks += t->spin.locks;
		both += t->spin.tries && t->spin.locks;
	}
	/* a try that fails because another spinning thread holds the lock may succeed the next time
	 */
	return tries * locks == both && !control.forked;
}

void spin_check_livelock(struct controlled *now)
{
	if (now->spin.quiet < SPIN_LONG ||
		(!control.steps_done && control.shared->mode == SCHED_STEPS))
		return;
	if (!is_cyclic(now)) {
		if (!seen.t)
			probe_begin(now);
		return;
	}
	if (is_livelock() && !end_is_due())
		end_by_livelock();
}
