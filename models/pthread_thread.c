/*
 * Threads: creation, end, join, detach. The machine makes stacks and thread-local storage; this
 * file adds results, joining, the order of actions at a thread's end, and the end of the process
 * with its last thread.
 */
#include "model_thread.h"
#include <stdlib.h>

void __call_tls_dtors(void); /* exit.c */
/* The cleanup macros fill only the beginning of a jump buffer, so <setjmp.h>'s type is too long. */
extern _Noreturn void jump(struct __cancel_jmp_buf_tag *buf, int value) __asm__("longjmp");

static struct {
	struct model_thread **of; /* by machine id */
	unsigned n, cap;
	unsigned running;
	struct model_thread main; /* added by main_adopt() at the first lookup */
} threads;

static void end_name(struct model_thread *t)
{
	const char *text = t->id ? "the end of thread T" : "the end of main";
	char *at = t->end_name;
	unsigned unit = 1;

	while (*text)
		*at++ = *text++;
	while (t->id / unit >= 10)
		unit *= 10;
	for (; t->id && unit; unit /= 10)
		*at++ = (char)('0' + t->id / unit % 10);
}

static void table_put(struct model_thread *t)
{
	if (t->id >= threads.cap) {
		unsigned cap = 2 * t->id + 16;
		struct model_thread **of =
			__heddle_alloc(cap * sizeof(*of), _Alignof(void *), true);
		if (!of)
			__heddle_unmodelled("a thread without memory for its record");
		for (unsigned i = 0; i < threads.n; i++)
			of[i] = threads.of[i];
		if (threads.of)
			__heddle_free(threads.of);
		threads.of = of;
		threads.cap = cap;
	}
	end_name(t);
	threads.of[t->id] = t;
	if (threads.n <= t->id)
		threads.n = t->id + 1;
	threads.running++;
}

static void main_adopt(void)
{
	int argc;
	char **argv = __heddle_argv(&argc);
	const char *name = argc > 0 ? argv[0] : "";

	for (const char *p = name; *p; p++)
		if (*p == '/')
			name = p + 1;
	for (unsigned i = 0; i < sizeof(threads.main.name) - 1 && name[i]; i++)
		threads.main.name[i] = name[i];
	threads.main.affinity = MODEL_PROCESSORS;
	table_put(&threads.main);
}

struct model_thread *__m_self(void)
{
	if (!threads.n)
		main_adopt();
	return threads.of[__heddle_thread_self()];
}

struct model_thread *__m_thread(pthread_t handle)
{
	if (!threads.n)
		main_adopt();
	return handle && handle <= threads.n ? threads.of[handle - 1] : NULL;
}

struct model_thread *__m_live_thread(pthread_t handle)
{
	struct model_thread *t = __m_thread(handle);

	if (!t)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT, "not a thread", NULL);
	if (t->joined)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"thread used after it was joined", NULL);
	if (t->detached && t->ended)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"detached thread used after its end", NULL);
	return t;
}

/* The wait queue of t's end is named by t's handle, which is not the address of an object. */
static void *end_queue(const struct model_thread *t)
{
	return (void *)(uintptr_t)(t->id + 1);
}

static _Noreturn void thread_end(struct model_thread *t)
{
	__heddle_sync("thread_end", NULL);
	__call_tls_dtors();
	__m_specific_destroy(t);
	__m_robust_release(t);
	if (--threads.running == 0)
		exit(0);
	t->ended = true;
	__heddle_notify_all(end_queue(t));
	__heddle_thread_exit();
}

_Noreturn void __m_unwind(struct model_thread *t)
{
	__pthread_unwind_buf_t *buf = t->cleanup;

	/* before the jump drops the frames that contain them */
	__m_once_abandon(t);
	if (buf) {
		t->cleanup = buf->__pad[0];
		jump(buf->__cancel_jmp_buf, 1);
	}
	thread_end(t);
}

static void thread_run(void *p)
{
	struct model_thread *t = p;

	t->result = t->start ? t->start(t->arg) : (void *)(intptr_t)t->start_c11(t->arg);
	t->cleanup = NULL;
	thread_end(t);
}

int __m_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
	int (*start_c11)(void *), void *arg)
{
	struct model_thread *me = __m_self();
	bool detached = false;
	int err = attr ? __m_attr_check(attr, &detached) : 0;

	if (err)
		return err;
	struct model_thread *t = __heddle_alloc(sizeof(*t), _Alignof(struct model_thread), true);
	if (!t)
		return EAGAIN;
	t->start = start;
	t->start_c11 = start_c11;
	t->arg = arg;
	t->detached = detached;
	t->blocked = me->blocked;
	t->affinity = me->affinity;
	for (unsigned i = 0; i < sizeof(t->name); i++)
		t->name[i] = me->name[i];
	t->id = __heddle_thread_create(thread_run, t);
	table_put(t);
	*handle = t->id + 1;
	return 0;
}

int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attr,
	void *(*start)(void *), void *restrict arg)
{
	__heddle_sync("pthread_create", handle);
	return __m_create(handle, attr, start, NULL, arg);
}

void pthread_exit(void *result)
{
	struct model_thread *t = __m_self();

	t->result = result;
	t->cancel_state = PTHREAD_CANCEL_DISABLE;
	__m_unwind(t);
}

pthread_t pthread_self(void)
{
	return __heddle_thread_self() + 1;
}

int pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

static int join(pthread_t handle, void **result, const struct model_timeout *timeout, bool waits)
{
	struct model_thread *t = __m_live_thread(handle), *me = __m_self();

	if (t->detached)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT, "detached thread joined", NULL);
	__m_testcancel();
	/* a deadlock of two joins, unless a pending cancellation ends the other join */
	if (t == me || (me->joiner == t && !t->cancel_asked))
		return EDEADLK;
	if (t->joiner)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"thread joined by two threads at once", NULL);
	while (waits || !t->ended) {
		waits = false;
		t->joiner = me;
		enum model_wake wake = __m_wait(end_queue(t), t->end_name, timeout, true);
		t->joiner = NULL;
		if (wake == MODEL_CANCELLED)
			__m_testcancel();
		if (wake == MODEL_TIMED_OUT)
			return ETIMEDOUT;
	}
	t->joined = true;
	t->joiner = me;
	if (result)
		*result = t->result;
	return 0;
}

int pthread_join(pthread_t handle, void **result)
{
	bool waits = __heddle_sync("pthread_join", NULL);

	return join(handle, result, NULL, waits);
}

int pthread_tryjoin_np(pthread_t handle, void **result)
{
	__heddle_sync("pthread_tryjoin_np", NULL);
	return __m_live_thread(handle)->ended ? join(handle, result, NULL, false) : EBUSY;
}

int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *at)
{
	return pthread_clockjoin_np(handle, result, CLOCK_REALTIME, at);
}

int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
	const struct timespec *at)
{
	struct model_timeout timeout = {clock, at};

	__heddle_sync("pthread_clockjoin_np", NULL);
	if (!at) /* as in glibc: wait for ever */
		return join(handle, result, NULL, false);
	int err = __m_timeout_check(&timeout);
	return err ? err : join(handle, result, &timeout, false);
}

int pthread_detach(pthread_t handle)
{
	__heddle_sync("pthread_detach", NULL);
	struct model_thread *t = __m_live_thread(handle);

	if (t->detached)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT, "thread detached twice", NULL);
	if (t->joiner)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"thread detached while another joins it", NULL);
	t->detached = true;
	return 0;
}

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	(void)prepare, (void)parent, (void)child; /* a program that forks stops at fork() */
	return 0;
}
