/*
 * The token: threads under control, how one hands the token to another, and how the others get it
 * when its holder is blocked in native code.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include "runtime/enforce/region.h"
#include "runtime/enforce/spin.h"

enum { MAX_CONTROLLED = 1 << 16, WATCH_MS = 100, WATCH_NATIVE_MS = 10, ENDLESS_TIMES = 10 };

struct control control;
struct controlled uncontrolled = {
	.stop = UINT64_MAX, .number = SCHED_NONE, .hash = &uncontrolled.own_hash};
__thread struct controlled *me __attribute__((tls_model("initial-exec"))) = &uncontrolled;
static __thread struct controlled *own __attribute__((tls_model("initial-exec")));
static __thread uint32_t handlers __attribute__((tls_model("initial-exec")));
static struct controlled threads[MAX_CONTROLLED];

/* ---- the lock ----------------------------------------------------------------------------- */

/* 0 free, 1 taken, 2 taken and a thread waits */
void control_lock(void)
{
	uint32_t was = 0;
	if (atomic_compare_exchange_strong(&control.lock, &was, 1))
		return;
	while (atomic_exchange(&control.lock, 2))
		sys4(SYS_futex, &control.lock, FUTEX_WAIT_PRIVATE, 2, NULL);
}

void control_unlock(void)
{
	if (atomic_exchange(&control.lock, 0) == 2)
		sys3(SYS_futex, &control.lock, FUTEX_WAKE_PRIVATE, 1);
}

/* ---- threads ------------------------------------------------------------------------------ */

struct controlled *thread_of_number(uint32_t number)
{
	for (uint32_t i = 0; i < control.nthreads; i++)
		if (threads[i].number == number)
			return &threads[i];
	return NULL;
}

/* The newest thread: a pthread_t is reused after its thread was joined. */
struct controlled *thread_of_self(uint64_t self)
{
	for (uint32_t i = control.nthreads; i--;)
		if (threads[i].self == self)
			return &threads[i];
	return NULL;
}

struct controlled *thread_of_tid(uint32_t tid)
{
	for (struct controlled *t = control.alive; t; t = t->next)
		if (t->tid == tid)
			return t;
	return NULL;
}

static uint32_t name_of(uint32_t parent, uint32_t nth)
{
	struct sched_outcome *out = control.out;
	for (uint32_t i = 1; i < out->nthreads; i++)
		if (control.names[i].parent == parent && control.names[i].nth == nth)
			return i;
	if (out->nthreads == out->max_threads)
		return SCHED_NONE;
	control.names[out->nthreads] = (struct sched_thread){parent, nth};
	return out->nthreads++;
}

static struct controlled *thread_new(uint32_t state)
{
	if (control.nthreads == MAX_CONTROLLED)
		return NULL;
	struct controlled *t = &threads[control.nthreads++], **end = &control.alive;
	while (*end)
		end = &(*end)->next;
	*end = t;
	control.nalive++;
	t->state = state;
	t->number = t->parent = t->nth = SCHED_NONE;
	t->deadline = NO_DEADLINE;
	t->spin.limit = SPIN_POINTS;
	t->stop = control.on ? 0 : UINT64_MAX;
	t->hash = control.on ? &control.hash : &t->own_hash;
	priority_init(t);
	return t;
}

static void thread_remove(struct controlled *t)
{
	struct controlled **at = &control.alive;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	control.nalive--;
	t->state = THREAD_ENDED;
}

/* The last key of the process, so that its destructor is the last one in the last round. */
static pthread_key_t last_key;
static __thread uint32_t rounds __attribute__((tls_model("initial-exec")));

static void thread_ends(void);

static void last_destructor(void *t)
{
	if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(last_key, t);
	else if (own)
		thread_ends();
}

static void make_last_key(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX];
	uint32_t n = 0;
	while (n < PTHREAD_KEYS_MAX && !pthread_key_create(&keys[n], last_destructor))
		n++;
	last_key = keys[n - 1];
	while (--n)
		pthread_key_delete(keys[n - 1]);
}

static void thread_enter(struct controlled *t)
{
	pthread_setspecific(last_key, t);
	t->self = (uint64_t)pthread_self();
	t->tid = (uint32_t)sys3(SYS_gettid, 0, 0, 0);
	t->ctl = &__heddle_ctl;
	own = t;
	me = t;
}

/* ---- the token --------------------------------------------------------------------------- */

__attribute__((noinline)) HOOK void __heddle_switch_point(uint32_t from, uint32_t to, uint32_t done)
{
	__asm__ volatile("" : : "r"(from), "r"(to), "r"(done) : "memory");
}

static void note_switch(struct controlled *t, uint64_t until)
{
	struct sched_outcome *out = control.out;
	struct sched_switch *last = control.switches + out->nswitches - 1;
	if (out->nswitches && last->thread == t->number) {
		last->until = until;
	} else if (out->nswitches < out->max_switches) {
		last[1] = (struct sched_switch){.thread = t->number, .until = until};
		out->nswitches++;
	} else {
		out->flags |= SCHED_F_FULL;
	}
}

void flush(struct controlled *t)
{
	struct sched_outcome *out = control.out;
	if (!out || t == &uncontrolled || t->count == t->flushed)
		return;
	out->hash = control.hash;
	out->points += t->count - t->flushed;
	t->flushed = t->count;
	if (t->number != SCHED_NONE && !t->left)
		control.counts[t->number] = t->count;
	if (control.on)
		note_switch(t, t->count);
}

void flush_last(struct controlled *t)
{
	flush(t);
	if (control.on && control.holder == t)
		note_switch(t, t->count + (t->standing && t->state != THREAD_BLOCKED));
}

static void hand_over_token(struct controlled *next)
{
	if (control.holder)
		control.last = control.holder;
	control.holder = next;
	if (!next)
		return;
	next->state = THREAD_RUNNING;
	next->segment = next->count;
	atomic_store(&next->token, 1);
	sys3(SYS_futex, &next->token, FUTEX_WAKE_PRIVATE, 1);
}

/* Waits until the ended thread is gone, so that what the library does at its end happens before
 * other threads continue. */
static void wait_for_dying(void)
{
	uint32_t tid = control.dying;
	struct timespec ts = {.tv_nsec = 10 * 1000};
	for (int i = 0; tid && i < 5000 && !sys3(SYS_tgkill, rt.pid, tid, 0); i++)
		sys3(SYS_nanosleep, &ts, NULL, 0);
	control.dying = 0;
}

static void tell_debugger(const struct controlled *t)
{
	if (!(control.shared->flags & SCHED_STOP_AT_SWITCH))
		return;
	if (control.last && control.last != t)
		__heddle_switch_point(control.last->number, t->number, control.out->done);
	if (control.tell_done) {
		control.tell_done = false;
		__heddle_switch_point(t->number, t->number, control.out->done);
	}
}

static void watch_holder(struct controlled *t);

static void wait_for_token(struct controlled *t)
{
	while (!atomic_load(&t->token)) {
		bool native = control.out->flags & SCHED_F_NATIVE;
		struct timespec ts = {
			.tv_nsec = (native ? WATCH_NATIVE_MS : WATCH_MS) * 1000 * 1000};
		if (sys4(SYS_futex, &t->token, FUTEX_WAIT_PRIVATE, 0, &ts) == -ETIMEDOUT)
			watch_holder(t);
	}
	atomic_store(&t->token, 0);
	wait_for_dying();
	tell_debugger(t);
}

/* With the lock, which is released. The state of the thread says whether it can continue; returns
 * when the thread holds the token. */
static void give_way(struct controlled *t)
{
	if (control.holder && control.holder != t) {
		control_unlock();
		wait_for_token(t);
		return;
	}
	struct controlled *next = choose(t);
	if (next == t && control.holder == t) {
		t->state = THREAD_RUNNING;
		control_unlock();
		if (unlikely(control.tell_done))
			tell_debugger(t);
		return;
	}
	if (control.holder == t)
		flush(t);
	hand_over_token(next);
	control_unlock();
	wait_for_token(t);
}

/* If the process ends while the thread waits, the log is complete. */
static void commit_log(uint64_t unfilled)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->scratch || !ctl_known(ctl))
		return;
	uint8_t *at = ctl->cur - unfilled;
	if (at > ctl->commit)
		*(uint8_t *volatile *)&ctl->commit = at;
}

static COLD void choose_next(struct controlled *t, uint64_t unfilled)
{
	commit_log(unfilled);
	t->standing = true;
	control_lock();
	t->state = THREAD_READY;
	give_way(t);
}

void arrive(uint8_t kind, const volatile void *object)
{
	struct controlled *t = me;
	t->kind = kind;
	t->flags = 0;
	t->addr = (uint64_t)object;
	t->size = 0;
	t->from = 0;
	t->standing = true;
	if (unlikely(t->count >= t->stop))
		choose_next(t, 0);
}

void passed(void)
{
	struct controlled *t = me;
	if (control.on && t != &uncontrolled)
		spin_sync(t);
	t->standing = false;
	count_point(t, t->kind);
}

static inline void access_point(uint64_t addr, uint64_t what, uint64_t from)
{
	struct controlled *t = me;
	uint8_t flags = (uint8_t)(what >> 32);
	if (likely(control.on && t != &uncontrolled))
		spin_access(t, addr, (uint32_t)what, flags);
	if (unlikely(t->count >= t->stop)) {
		t->kind = POINT_ACCESS;
		t->flags = flags;
		t->addr = addr;
		t->size = (uint32_t)what;
		t->from = from;
		choose_next(t, what >> 40);
		t->standing = false;
	}
	if (unlikely(flags & POINT_BLOCK)) {
		heap_check_range(addr, (uint32_t)what);
		if (from)
			heap_check_range(from, (uint32_t)what);
	}
	count_point(t, POINT_ACCESS | (uint64_t)flags << 8);
}

/* __heddle_point (spin.c) */
void point_access(uint64_t addr, uint64_t what)
{
	access_point(addr, what, 0);
}

HOOK void __heddle_point_copy(uint64_t addr, uint64_t what, uint64_t from)
{
	access_point(addr, what, from);
}

void enforce_range(uint64_t addr, uint64_t n)
{
	heap_check_range(addr, n);
}

void enforce_point(uint8_t kind, const volatile void *object)
{
	arrive(kind, object);
	passed();
	control.forked |= kind == LOG_S_FORK;
}

bool wait_until(uint8_t kind, const volatile void *object, bool (*ready)(struct controlled *),
	uint64_t deadline)
{
	struct controlled *t = me;
	control_lock();
	t->wait_kind = kind;
	t->object = object;
	t->ready = ready;
	t->deadline = deadline;
	t->timed_out = false;
	t->state = THREAD_BLOCKED;
	find_wait_cycle(t);
	give_way(t);
	t->deadline = NO_DEADLINE;
	return !t->timed_out;
}

static void count_idle(struct controlled *t)
{
	t->idle = t->idle_at == t->count ? t->idle + 1 : 0;
	t->idle_at = t->count;
}

void sleep_until(uint64_t deadline)
{
	struct controlled *t = me;
	control_lock();
	count_idle(t);
	t->deadline = deadline;
	t->state = THREAD_SLEEPING;
	give_way(t);
	t->deadline = NO_DEADLINE;
}

void yield_token(void)
{
	struct controlled *t = me;
	control_lock();
	count_idle(t);
	t->state = THREAD_READY;
	choose_later(t);
	give_way(t);
}

void regain_token(void)
{
	struct controlled *t = me;
	if (likely(control.holder == t) || !in_control())
		return;
	control_lock();
	t->state = THREAD_READY;
	give_way(t);
}

/* ---- native code -------------------------------------------------------------------------- */

static bool sleeps_in_kernel(uint32_t tid)
{
	char path[64] = "/proc/self/task/", text[256], *at = path;
	while (*at)
		at++;
	uint32_t div = 1;
	while (tid / div >= 10)
		div *= 10;
	for (; div; div /= 10)
		*at++ = (char)('0' + tid / div % 10);
	for (const char *s = "/stat"; *s; s++)
		*at++ = *s;
	*at = 0;
	long fd = sys3(SYS_open, path, 0, 0), n;
	if (fd < 0)
		return false;
	n = sys3(SYS_read, fd, text, sizeof(text));
	sys3(SYS_close, fd, 0, 0);
	/* the state follows the name, which is in parentheses and may contain some */
	while (n > 2 && text[n - 1] != ')')
		n--;
	return n > 2 && n + 1 < (long)sizeof(text) && (text[n + 1] == 'S' || text[n + 1] == 'D');
}

/* Whether the holder is blocked in native code: it sleeps in the kernel, or does not return for
 * long. */
static bool is_blocked_in_native(struct controlled *t, struct controlled *holder)
{
	if (t->seen != holder || t->seen_count != holder->count) {
		t->seen = holder;
		t->seen_count = holder->count;
		t->seen_times = 0;
		return false;
	}
	t->seen_times++;
	return (*holder->ctl)->native && (sleeps_in_kernel(holder->tid) || t->seen_times > 20);
}

static bool others_could_run(const struct controlled *holder)
{
	for (struct controlled *t = control.alive; t; t = t->next)
		if (t != holder && (can_run(t) || t->deadline != NO_DEADLINE))
			return true;
	return false;
}

/* The thread would end the process, and the holder passes no point: it may never pass another one. */
static bool waits_for_endless(const struct controlled *t)
{
	return t->ending && t->seen_times > ENDLESS_TIMES;
}

/* A thread that has waited for some time takes the token from a holder that is blocked in native
 * code; one that would end the process also from a holder that computes without end. */
static void watch_holder(struct controlled *t)
{
	control_lock();
	struct controlled *holder = control.holder;
	if (holder == t || (!t->ending && !others_could_run(holder))) {
		control_unlock();
		return;
	}
	if (!holder) {
		hand_over_token(choose(NULL));
	} else if (holder->ctl && (is_blocked_in_native(t, holder) || waits_for_endless(t))) {
		control.out->flags |= SCHED_F_NATIVE;
		flush(holder);
		holder->state = THREAD_NATIVE;
		holder->stop = 0;
		hand_over_token(choose(NULL));
	}
	control_unlock();
}

/* ---- the life of a thread ----------------------------------------------------------------- */

void enforce_main(void)
{
	if (!control.shared)
		return;
	make_last_key();
	struct controlled *t = thread_new(THREAD_RUNNING);
	t->number = 0;
	region_take(t, NULL);
	thread_enter(t);
	if (!control.on)
		return;
	control.holder = t;
	choose(t);
	tell_debugger(t);
}

struct controlled *enforce_create(void)
{
	struct controlled *parent = me, *t;
	if (parent == &uncontrolled)
		return NULL;
	control_lock();
	t = thread_new(THREAD_NATIVE); /* until it runs: a malloc of the program has points */
	if (t && parent->number != SCHED_NONE) {
		t->parent = parent->number;
		t->nth = parent->children++;
		t->number = name_of(t->parent, t->nth);
		region_take(t, parent);
	}
	if (control.on)
		parent->stop = 0;
	control_unlock();
	return t;
}

/* A stack that the program provides is kept. */
bool enforce_stack(const struct controlled *child, const pthread_attr_t *attr, pthread_attr_t *own)
{
	size_t size, guard;
	void *lo = NULL;
	if (!child || (!attr && pthread_getattr_default_np(own)))
		return false;
	if (attr) {
		if (pthread_attr_getstack(attr, &lo, &size) || (uint64_t)lo + size)
			return false;
		*own = *attr; /* it owns no memory, and is not destroyed */
	}
	if (pthread_attr_getstacksize(own, &size) || pthread_attr_getguardsize(own, &guard))
		return false;
	lo = region_stack(child, size, guard);
	if (!lo)
		control.out->flags |= SCHED_F_PLACES;
	return lo && !pthread_attr_setstack(own, lo, size);
}

void enforce_created(struct controlled *child, uint64_t self, bool done)
{
	if (!child)
		return;
	control_lock();
	if (done) {
		child->self = self;
		if (child->state == THREAD_NATIVE)
			child->state = THREAD_READY;
	} else {
		struct controlled *parent = me;
		thread_remove(child);
		region_give(child);
		if (child->number != SCHED_NONE)
			parent->children--;
		if (child->number + 1 == control.out->nthreads &&
			child->number >= control.shared->nthreads)
			control.out->nthreads--;
		child->number = SCHED_NONE;
	}
	control_unlock();
}

void enforce_begin(struct controlled *t)
{
	if (!t)
		return;
	if (control.on)
		wait_for_token(t);
	thread_enter(t);
}

void enforce_meet(void)
{
	if (!control.shared || handlers)
		return;
	if (own) {
		flush(own);
		own->left = true;
		return;
	}
	control_lock();
	struct controlled *t = thread_new(THREAD_NATIVE);
	control_unlock();
	if (t)
		thread_enter(t);
}

static void thread_ends(void)
{
	struct controlled *t = own;
	control_lock();
	thread_remove(t);
	held_drop(t);
	spin_change(t);
	flush(t);
	if (control.on && control.holder == t)
		note_switch(t, t->count); /* even without a point: others may wait for its end */
	own = NULL;
	me = &uncontrolled;
	if (control.on && (!control.holder || control.holder == t)) {
		control.dying = t->tid != (uint32_t)rt.pid ? t->tid : 0;
		hand_over_token(control.nalive ? choose(NULL) : NULL);
	}
	control_unlock();
}

void enforce_survives(void)
{
	if (control.shared && control.shared->flags & SCHED_GUARD)
		control.out->flags |= SCHED_F_SURVIVED;
}

void enforce_handler(bool fault)
{
	if (fault)
		enforce_survives();
	handlers++;
	if (own && own->fds && signal_top)
		own->interrupted = signal_top->signo;
	me = &uncontrolled;
}

void enforce_handled(void)
{
	if (handlers && !--handlers && own)
		me = own;
}

void enforce_child(void)
{
	atomic_store(&control.lock, 0);
	control.on = false;
	control.shared = NULL;
	control.out = NULL;
	own = NULL;
	me = &uncontrolled;
}
