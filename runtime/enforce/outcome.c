/*
 * The outcome of the run: sched_outcome, which is valid after every single store, because the
 * process may be killed at any time. Nothing here takes the lock, because a crash may happen
 * anywhere.
 */
#include <assert.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "runtime/enforce/control.h"

/* ---- text --------------------------------------------------------------------------------- */

void text_add(struct text *t, const char *s)
{
	while (*s && t->n + 1 < sizeof(t->s))
		t->s[t->n++] = *s++;
	t->s[t->n] = 0;
}

static void text_digits(struct text *t, uint64_t n, uint32_t base)
{
	char digits[24], *at = digits + sizeof(digits);
	*--at = 0;
	do
		*--at = "0123456789abcdef"[n % base];
	while (n /= base);
	text_add(t, at);
}

void text_number(struct text *t, uint64_t n)
{
	text_digits(t, n, 10);
}

void text_hex(struct text *t, uint64_t n)
{
	text_add(t, "0x");
	text_digits(t, n, 16);
}

static void put_text(const struct text *t)
{
	copy_bytes(control.out->text, t->s, t->n + 1);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static bool is_final(uint32_t fate)
{
	return fate != SCHED_RUNNING && fate != SCHED_EXITED && fate != SCHED_MISUSE;
}

void fate_note(enum sched_fate fate, int code, const struct text *t)
{
	struct sched_outcome *out = control.out;
	const struct controlled *c = me;
	if (!out || is_final(out->fate) || (fate == SCHED_EXITED && out->fate == SCHED_MISUSE))
		return;
	out->code = code;
	if (fate != SCHED_EXITED || out->fate == SCHED_RUNNING) {
		out->thread = c->number;
		out->point = c->standing || !c->count ? c->count : c->count - 1;
	}
	if (t && (fate != SCHED_EXITED || !out->text[0]))
		put_text(t);
	out->fate = fate;
}

void flush_outcome(void)
{
	if (control.out && me != &uncontrolled)
		flush_last(me);
}

static _Noreturn void end_process(int code)
{
	if (control.holder)
		flush(control.holder);
	process_exits(EXIT_NOW, code);
	for (;;)
		sys3(SYS_exit_group, code, 0, 0);
}

void enforce_exit(uint32_t kind, int status)
{
	struct text t;
	text_init(&t);
	if (!control.out || kind == EXIT_EXEC)
		return;
	if (kind == EXIT_ABORT) {
		text_add(&t, "abort");
		fate_note(SCHED_ASSERT, SIGABRT, &t);
	} else {
		fate_note(SCHED_EXITED, status & 255, NULL);
	}
	flush_outcome();
}

void enforce_crash(int signo, uint64_t addr)
{
	struct text t;
	text_init(&t);
	if (!control.out)
		return;
	text_add(&t, "signal ");
	text_number(&t, (uint64_t)signo);
	if (addr) {
		text_add(&t, " at ");
		text_hex(&t, addr);
	}
	control.out->addr = addr;
	fate_note(SCHED_SIGNAL, signo, &t);
	flush_outcome();
}

void enforce_assert(const char *expression, const char *file, int line, const char *function)
{
	struct text t;
	text_init(&t);
	if (!control.out)
		return;
	text_add(&t, file ? file : "?");
	text_add(&t, ":");
	text_number(&t, (uint64_t)line);
	text_add(&t, ": ");
	text_add(&t, function ? function : "?");
	text_add(&t, ": Assertion `");
	text_add(&t, expression ? expression : "?");
	text_add(&t, "' failed");
	fate_note(SCHED_ASSERT, SIGABRT, &t);
	flush_outcome();
}

INSTEAD(_Noreturn void, __assert_fail)
(const char *expression, const char *file, unsigned line, const char *function)
{
	enforce_assert(expression, file, (int)line, function);
	__assert_fail(expression, file, line, function);
}

INSTEAD(_Noreturn void, __assert_perror_fail)
(int error, const char *file, unsigned line, const char *function)
{
	enforce_assert("no error", file, (int)line, function);
	__assert_perror_fail(error, file, line, function);
}

bool enforce_watches(void)
{
	return control.out;
}

static const char *const misuse_words[] = {
	[SCHED_USED_WELL] = "",
	[SCHED_UNLOCK_FREE] = "double unlock: no thread holds it",
	[SCHED_UNLOCK_OTHERS] = "unlock by another thread than its holder",
	[SCHED_LOCK_OWN] = "double lock: the thread holds it",
	[SCHED_DESTROY_HELD] = "destroyed while in use: it is locked",
	[SCHED_DESTROY_WAITED] = "destroyed while in use: a thread waits for it",
	[SCHED_USE_DESTROYED] = "destroyed while in use: a thread uses it afterwards",
	[SCHED_FREE_FREED] = "double free",
	[SCHED_RANGE_OUTSIDE] = "heap overflow: a block operation goes beyond the end of its block",
	[SCHED_RANGE_FREED] = "use after free: a block operation uses a freed block",
	[SCHED_END_HOLDING] = "mismatched recursion: the thread ended while it holds it",
};

void misuse(enum sched_misuse what, const volatile void *object)
{
	struct sched_outcome *out = control.out;
	struct text t;
	text_init(&t);
	if (!out || out->misuse.what)
		return;
	out->misuse.thread = me->number;
	out->misuse.point = me->count;
	out->misuse.object = (uint64_t)object;
	out->misuse.what = what;
	text_add(&t, misuse_words[what]);
	text_add(&t, ", ");
	text_hex(&t, (uint64_t)object);
	if (!is_final(out->fate))
		fate_note(SCHED_MISUSE, 0, &t);
}

/* ---- waits -------------------------------------------------------------------------------- */

static void put_wait(uint32_t i, const struct controlled *t)
{
	const struct controlled *holder = holder_of(t);
	struct sched_wait w = {.thread = t->number,
		.kind = t->wait_kind,
		.point = t->count,
		.object = (uint64_t)t->object,
		.holder = holder ? holder->number : SCHED_NONE};
	if (t->in_wait) {
		w.kind = cond_woken(t) ? LOG_S_COND_WOKEN : LOG_S_COND_WAIT;
		w.object = (uint64_t)(cond_woken(t) ? t->mutex : t->object);
	}
	control.out->waits[i] = w;
	if (control.out->nwaits <= i)
		control.out->nwaits = i + 1;
}

void diverge(const struct controlled *t, const char *why)
{
	const struct sched_step *s = &control.steps[control.step];
	struct text x;
	text_init(&x);
	if (control.out->diverged)
		return;
	text_add(&x, "segment ");
	text_number(&x, control.step);
	text_add(&x, ": thread ");
	text_number(&x, s->thread);
	text_add(&x, " does not reach its scheduling point ");
	text_number(&x, s->until);
	if (t) {
		text_add(&x, ", it is before point ");
		text_number(&x, t->count);
	}
	text_add(&x, ": ");
	text_add(&x, why);
	put_text(&x);
	if (t && t->state == THREAD_BLOCKED && !t->fds)
		put_wait(0, t);
	control.out->diverged = 1;
}

_Noreturn void stuck(const char *why)
{
	struct text t;
	text_init(&t);
	text_add(&t, why);
	fate_note(SCHED_STUCK, SCHED_EXIT_STUCK, control.out->diverged ? NULL : &t);
	end_process(SCHED_EXIT_STUCK);
}

/* Condition variables and barriers are modelled here; native code that signals one may wake a
 * thread. */
static bool could_be_woken(void)
{
	if (!(control.shared->flags & SCHED_OPEN))
		return false;
	for (const struct controlled *t = control.alive; t; t = t->next)
		if (t->in_wait || t->wait_kind == LOG_S_BARRIER_LEAVE)
			return true;
	return false;
}

_Noreturn void deadlock(void)
{
	struct text t;
	text_init(&t);
	uint32_t n = 0;
	for (const struct controlled *c = control.alive; c && n < SCHED_MAX_WAITS; c = c->next)
		put_wait(n++, c);
	if (could_be_woken())
		stuck("no thread can continue, but native code might wake one");
	text_add(&t, "no thread can continue");
	if (control.shared->goal == SCHED_GOAL_STUCK)
		control.out->goal_seen = 1;
	fate_note(SCHED_DEADLOCK, SCHED_EXIT_DEADLOCK, control.out->diverged ? NULL : &t);
	end_process(SCHED_EXIT_DEADLOCK);
}

void find_wait_cycle(struct controlled *t)
{
	const struct controlled *c = t;
	uint32_t n = 0;
	if (control.shared->goal != SCHED_GOAL_STUCK || control.out->goal_seen)
		return;
	do {
		if (c->state != THREAD_BLOCKED || c->deadline != NO_DEADLINE)
			return;
		c = holder_of(c);
		if (!c || n++ > control.nalive)
			return;
	} while (c != t);
	n = 0;
	do {
		if (n < SCHED_MAX_WAITS)
			put_wait(n++, c);
		c = holder_of(c);
	} while (c != t);
	control.out->goal_seen = 1;
}

/* ---- the goal ----------------------------------------------------------------------------- */

static bool stands_at(const struct controlled *t, uint64_t point)
{
	return t && t->standing && t->state != THREAD_ENDED && t->count == point;
}

static void put_memory(uint32_t i, const struct controlled *t)
{
	struct sched_memory *m = &control.out->memory[i];
	*m = (struct sched_memory){.addr = t->addr,
		.size = t->size,
		.write = (t->flags & POINT_WRITE) || t->kind != POINT_ACCESS,
		.atomic = !!(t->flags & POINT_ATOMIC),
		.freed_by = SCHED_NONE};
	heap_describe(m);
}

/* Describes the source of a copy instead of its destination. */
static void put_source(uint32_t i, const struct controlled *t)
{
	struct sched_memory *m = &control.out->memory[i];
	*m = (struct sched_memory){.addr = t->from, .size = t->size, .freed_by = SCHED_NONE};
	heap_describe(m);
}

static bool overlap(const struct sched_memory *a, const struct sched_memory *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool is_race(void)
{
	const struct sched_memory *m = control.out->memory;
	return overlap(&m[0], &m[1]) && (m[0].write || m[1].write) && !(m[0].atomic && m[1].atomic);
}

static void check_race(const struct controlled *a, const struct controlled *b)
{
	if (!stands_at(a, control.shared->at_a) || !stands_at(b, control.shared->at_b) ||
		a->kind != POINT_ACCESS || b->kind != POINT_ACCESS)
		return;
	put_memory(0, a);
	put_memory(1, b);
	control.out->goal_seen = is_race();
	if (!control.out->goal_seen && b->from) {
		put_source(1, b);
		control.out->goal_seen = is_race();
	}
	if (!control.out->goal_seen && a->from) {
		put_source(0, a);
		put_memory(1, b);
		control.out->goal_seen = is_race();
	}
}

static bool on_stack_of(const struct controlled *t, uint64_t addr)
{
	uint64_t top = t->tid == (uint32_t)rt.pid ? rt.main_stack_hi : t->self;
	return addr < top && top - addr <= rt.stack_size;
}

static void check_stack(const struct controlled *a, const struct controlled *b)
{
	if (!b || !stands_at(a, control.shared->at_a) || a->kind != POINT_ACCESS)
		return;
	put_memory(0, a);
	control.out->goal_seen =
		on_stack_of(b, a->addr) && (b->state == THREAD_ENDED || b->count >= control.shared->at_b);
	if (!control.out->goal_seen && a->from && on_stack_of(b, a->from)) {
		put_source(0, a);
		control.out->goal_seen = b->state == THREAD_ENDED || b->count >= control.shared->at_b;
	}
}

void check_goal(void)
{
	const struct sched_shared *sh = control.shared;
	const struct controlled *a = thread_of_number(sh->a), *b = thread_of_number(sh->b);
	switch (sh->goal) {
	case SCHED_GOAL_RACE: check_race(a, b); break;
	case SCHED_GOAL_ACCESS:
		if (!stands_at(a, sh->at_a) || (a->kind != POINT_ACCESS && a->kind != LOG_S_FREE &&
						       a->kind != LOG_S_REALLOC))
			break;
		put_memory(0, a);
		if (control.out->memory[0].what == SCHED_OK && a->from)
			put_source(0, a);
		control.out->goal_seen = control.out->memory[0].what != SCHED_OK;
		break;
	case SCHED_GOAL_STACK: check_stack(a, b); break;
	case SCHED_GOAL_STUCK:
		for (struct controlled *t = control.alive; t; t = t->next)
			find_wait_cycle(t);
		break;
	default: break;
	}
}

/* ---- the start ------------------------------------------------------------------------ */

static bool table_fits(
	const struct sched_shared *sh, uint64_t size, uint64_t at, uint64_t n, uint64_t each)
{
	return at >= sizeof(*sh) && at <= size && n <= (size - at) / each;
}

static bool is_valid(const struct sched_shared *sh, uint64_t size)
{
	return sh->magic == SCHED_MAGIC && sh->version == SCHED_VERSION &&
	       sh->size == sizeof(*sh) && sh->out.max_threads && sh->out.nthreads &&
	       sh->out.nthreads <= sh->out.max_threads &&
	       table_fits(sh, size, sh->threads_at, sh->out.max_threads,
		       sizeof(struct sched_thread)) &&
	       table_fits(sh, size, sh->counts_at, sh->out.max_threads, sizeof(uint64_t)) &&
	       table_fits(sh, size, sh->steps_at, sh->nsteps, sizeof(struct sched_step)) &&
	       table_fits(sh, size, sh->switches_at, sh->out.max_switches,
		       sizeof(struct sched_switch)) &&
	       (!sh->ninputs || table_fits(sh, size, sh->inputs_at, sh->ninputs,
					sizeof(struct sched_input)));
}

void enforce_attach(int fd)
{
	struct stat st;
	if (fd < 0 || sys3(SYS_fstat, fd, &st, 0) < 0 ||
		(uint64_t)st.st_size < sizeof(struct sched_shared))
		return;
	long r = sys6(SYS_mmap, 0, (long)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r < 0 && r > -4096)
		return;
	struct sched_shared *sh = (struct sched_shared *)r;
	if (!is_valid(sh, (uint64_t)st.st_size)) {
		sys3(SYS_munmap, r, st.st_size, 0);
		return;
	}
	uint8_t *base = (uint8_t *)r;
	control.shared = sh;
	control.out = &sh->out;
	control.steps = (const struct sched_step *)(base + sh->steps_at);
	control.names = (struct sched_thread *)(base + sh->threads_at);
	control.switches = (struct sched_switch *)(base + sh->switches_at);
	control.counts = (uint64_t *)(base + sh->counts_at);
	control.on = sh->mode != SCHED_FREE;
	choose_start();
}
