/*
 * Threads: their numbers, begin and end, and the number of a pthread_t.
 *
 * The destructor of a key of the runtime logs the end of a thread. It asks to be called again until
 * the last round, so that the destructors of the program run before. If traced code is called even
 * later (the last thread of a process runs the atexit handlers after its end), it writes to the
 * stream of a new thread.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include "runtime/enforce.h"
#include "runtime/runtime.h"

/* Number + 1; 0 before the thread is known. A pthread_t is the thread pointer, so the variable of
 * another thread is at a fixed distance from its pthread_t, as long as that is valid. */
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));
static __thread uint32_t destructor_rounds __attribute__((tls_model("initial-exec")));
/* The number of threads that were created and have not set own_number yet. */
static _Atomic uint32_t starting;
static _Atomic uint32_t spare_number = LOG_NONE; /* taken for a thread that was not created */
static pthread_key_t end_key;

uint32_t thread_number(uint64_t thread)
{
	uint64_t offset = (uint64_t)&own_number - (uint64_t)pthread_self();
	const volatile uint32_t *p = (const volatile uint32_t *)(thread + offset);
	while (!*p && atomic_load(&starting)) {
		struct timespec ts = {.tv_nsec = 20 * 1000};
		sys3(SYS_nanosleep, &ts, NULL, 0);
	}
	return *p - 1;
}

struct log_ctl *thread_ctl(uint32_t number)
{
	return (struct log_ctl *)(rt.base + LOG_CTL_AT(number));
}

uint32_t thread_take(void)
{
	if (!atomic_load_explicit(&rt.on, memory_order_relaxed))
		return LOG_NONE;
	uint32_t spare = atomic_exchange(&spare_number, LOG_NONE);
	if (spare != LOG_NONE)
		return spare;
	struct log_shared *sh = rt.shared;
	uint32_t n = __atomic_load_n(&sh->nthreads, __ATOMIC_RELAXED);
	while (n < LOG_MAX_THREADS)
		if (__atomic_compare_exchange_n(
			    &sh->nthreads, &n, n + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return n;
	__atomic_fetch_add(&sh->lost, 1, __ATOMIC_RELAXED);
	return LOG_NONE;
}

static void put_tls(struct log_ctl *ctl)
{
	const struct heddle_image *im = &__heddle_image;
	uint64_t few[64];
	uint64_t n = im->ntls * sizeof(uint64_t);
	uint64_t *words = im->ntls <= 64 ? few : map_memory(n);
	if (!words) {
		ctl_stop(ctl, LOG_STOP_LIMIT, true);
		return;
	}
	im->tls(words);
	put_bytes(ctl, words, n);
	if (words != few)
		unmap_memory(words, n);
}

static void put_thread(struct log_ctl *ctl, const struct thread_info *info)
{
	const struct heddle_image *im = &__heddle_image;
	bool main = info->kind == LOG_T_MAIN;
	struct log_thread t = {.tag = LOG_THREAD,
		.kind = (uint8_t)info->kind,
		.signo = info->signo,
		.parent = info->parent,
		.ntls = im->ntls,
		.nglobals = main ? im->nglobals : 0,
		.nfuncs = main ? im->nfuncs : 0,
		.tsc = __rdtsc(),
		.stack_lo = info->stack_lo,
		.stack_hi = info->stack_hi,
		.self = (uint64_t)pthread_self()};
	put_bytes(ctl, &t, sizeof(t));
	if (im->ntls)
		put_tls(ctl);
	if (main) {
		put_bytes(ctl, im->globals, im->nglobals * sizeof(uint64_t));
		put_bytes(ctl, im->funcs, im->nfuncs * sizeof(uint64_t));
	}
	ctl_commit(ctl, ctl->cur);
	if (im->flags & HEDDLE_IMAGE_WHOLE)
		chunk_room(ctl, 1); /* the first chunk has only log_thread */
}

struct log_ctl *thread_begin(uint32_t number, const struct thread_info *info)
{
	struct log_ctl *ctl;
	if (number == LOG_NONE) {
		ctl = scratch_new();
		ctl->native = 1;
	} else {
		ctl = thread_ctl(number);
		ctl->native = 1;
		ctl->id = number;
		ctl->kind = info->kind;
		ctl->tid = (uint32_t)sys3(SYS_gettid, 0, 0, 0);
		ctl->chunk = LOG_NONE;
		chunk_first(ctl);
		__atomic_store_n(&ctl->state, LOG_RUNNING, __ATOMIC_RELEASE);
		if (!ctl->scratch)
			put_thread(ctl, info);
	}
	__heddle_ctl = ctl;
	return ctl;
}

void thread_end(struct log_ctl *ctl)
{
	if (!ctl->scratch) {
		struct log_end e = {.tag = LOG_END, .hash = log_fold(ctl->hash), .tsc = __rdtsc()};
		ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(e)), &e, sizeof(e)));
	}
	__heddle_ctl = &rt_unknown;
	chunk_last(ctl);
}

void thread_arm(struct log_ctl *ctl)
{
	/* one of the first keys, whose values need no memory */
	pthread_setspecific(end_key, ctl);
}

static void stack_of(struct thread_info *info, uint64_t lo, uint64_t size)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	if (lo && here >= lo && here < lo + size) {
		info->stack_lo = lo;
		info->stack_hi = lo + size;
	} else {
		info->stack_hi = (uint64_t)pthread_self();
		info->stack_lo = info->stack_hi - (size ? size : rt.stack_size);
	}
}

struct log_ctl *thread_meet(void)
{
	if (signal_top && !signal_top->met)
		return signal_meet(signal_top);
	struct thread_info info = {.kind = LOG_T_FOREIGN, .parent = LOG_NONE};
	stack_of(&info, 0, 0);
	uint32_t number = thread_take();
	if (number != LOG_NONE && !own_number)
		own_number = number + 1;
	struct log_ctl *ctl = thread_begin(number, &info);
	thread_arm(ctl);
	enforce_meet();
	return ctl;
}

/* Called in every round of destructors. */
static void key_destructor(void *ctl)
{
	if (signal_top)
		signal_jumped(UINT64_MAX); /* the thread ended inside a signal handler */
	if (++destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, ctl);
		return;
	}
	struct log_ctl *own = __heddle_ctl;
	if (!ctl_known(own))
		return;
	if (!own->native)
		own = ctl_torn(own, LOG_STOP_ASYNC_CANCEL);
	thread_end(own);
}

void thread_start_up(void)
{
	pthread_key_create(&end_key, key_destructor);
	struct thread_info info = {.kind = LOG_T_MAIN,
		.parent = LOG_NONE,
		.stack_lo = rt.main_stack_hi - rt.stack_size,
		.stack_hi = rt.main_stack_hi};
	uint32_t number = thread_take();
	own_number = number + 1;
	thread_arm(thread_begin(number, &info));
	enforce_main();
}

/* The child has no other threads, and none that is starting. */
void thread_after_fork(void)
{
	atomic_store(&starting, 0);
}

/* ---- creation --------------------------------------------------------------------------- */

struct start { /* the data of a new thread, from the wrapper of its creator to its trampoline */
	_Atomic uint32_t next; /* free list: index + 1 */
	uint32_t number, parent;
	void *(*fn)(void *);
	thrd_start_t c11;
	void *arg;
	uint64_t stack_lo, stack_size;
	struct controlled *controlled;
};
enum { NSTARTS = 1 << 16 };
static struct start starts[NSTARTS];
static _Atomic uint64_t free_starts; /* tag << 32 | index + 1 */
static _Atomic uint32_t nstarts;

static struct start *start_take(void)
{
	uint64_t head = atomic_load(&free_starts);
	while ((uint32_t)head) {
		struct start *s = &starts[(uint32_t)head - 1];
		uint64_t want = ((head >> 32) + 1) << 32 | atomic_load(&s->next);
		if (atomic_compare_exchange_weak(&free_starts, &head, want))
			return s;
	}
	uint32_t n = atomic_fetch_add(&nstarts, 1);
	if (n < NSTARTS)
		return &starts[n];
	atomic_fetch_sub(&nstarts, 1);
	return NULL;
}

static void start_give(struct start *s)
{
	uint64_t head = atomic_load(&free_starts), want;
	do {
		atomic_store(&s->next, (uint32_t)head);
		want = (head & ~(uint64_t)UINT32_MAX) | (uint64_t)(s - starts + 1);
	} while (!atomic_compare_exchange_weak(&free_starts, &head, want));
}

static struct start thread_entered(struct start *shared)
{
	struct start s = *shared;
	start_give(shared);
	own_number = s.number + 1;
	atomic_fetch_sub(&starting, 1);
	struct thread_info info = {.kind = LOG_T_CREATED, .parent = s.parent};
	stack_of(&info, s.stack_lo, s.stack_size);
	thread_arm(thread_begin(s.number, &info));
	enforce_begin(s.controlled);
	return s;
}

static void *trampoline(void *p)
{
	struct start s = thread_entered(p);
	return s.fn(s.arg);
}

static int c11_trampoline(void *p)
{
	struct start s = thread_entered(p);
	return s.c11(s.arg);
}

/* As the library does. */
static void *c11_by_pthread(void *p)
{
	return (void *)(intptr_t)c11_trampoline(p);
}

static int c11_create(thrd_t *thread, struct start *s)
{
	pthread_attr_t own;
	if (!enforce_stack(s->controlled, NULL, &own))
		return thrd_create(thread, c11_trampoline, s);
	int r = pthread_create(thread, &own, c11_by_pthread, s);
	return !r ? thrd_success : r == ENOMEM ? thrd_nomem : thrd_error;
}

static struct start *start_prepare(struct log_ctl *ctl, void *arg)
{
	struct start *s = start_take();
	if (!s)
		return NULL;
	s->number = thread_take();
	s->parent = ctl->id;
	s->arg = arg;
	s->stack_lo = s->stack_size = 0;
	s->controlled = enforce_create();
	atomic_fetch_add(&starting, 1);
	return s;
}

static void start_failed(struct start *s)
{
	enforce_created(s->controlled, 0, false);
	atomic_fetch_sub(&starting, 1);
	if (s->number != LOG_NONE)
		atomic_store(&spare_number, s->number);
	start_give(s);
}

static void put_create(struct log_ctl *ctl, int result, uint32_t number, const pthread_t *thread)
{
	struct sync_more m = {
		.kind = LOG_S_CREATE, .flags = LOG_F_EXTRA, .result = result, .extra = number};
	if (!result)
		m.flags |= LOG_F_ITEMS;
	put_sync_more(ctl, &m);
	if (!result) {
		put_item(ctl, LOG_ITEM_WRITE, thread, sizeof(*thread));
		put_items_end(ctl);
	}
}

/* failed: the start of a thread that was not created; NULL if it was. */
static void finish_create(struct log_ctl *ctl, int result, uint32_t number, struct start *failed,
	struct controlled *child, const pthread_t *thread)
{
	if (failed)
		start_failed(failed);
	else
		enforce_created(child, (uint64_t)*thread, true);
	put_create(ctl, result, failed ? LOG_NONE : number, thread);
}

WRAP(int, pthread_create)
(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (!ctl->native)
		enforce_point(LOG_S_CREATE, NULL);
	struct start *s = ctl->native ? NULL : start_prepare(ctl, arg);
	if (!s)
		return pthread_create(thread, attr, fn, arg);
	s->fn = fn;
	void *lo;
	size_t size;
	pthread_attr_t own;
	if (enforce_stack(s->controlled, attr, &own))
		attr = &own;
	if (attr && !pthread_attr_getstack(attr, &lo, &size)) {
		s->stack_lo = (uint64_t)lo;
		s->stack_size = size;
	}
	uint32_t number = s->number;
	struct controlled *child = s->controlled;
	int r = pthread_create(thread, attr, trampoline, s);
	finish_create(ctl, r, number, r ? s : NULL, child, thread);
	return r;
}

WRAP(int, thrd_create)(thrd_t *thread, thrd_start_t fn, void *arg)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (!ctl->native)
		enforce_point(LOG_S_CREATE, NULL);
	struct start *s = ctl->native ? NULL : start_prepare(ctl, arg);
	if (!s)
		return thrd_create(thread, fn, arg);
	s->c11 = fn;
	uint32_t number = s->number;
	struct controlled *child = s->controlled;
	int r = c11_create(thread, s);
	finish_create(ctl, r, number, r != thrd_success ? s : NULL, child, thread);
	return r;
}
