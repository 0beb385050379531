/*
 * Barriers as in paper 001 (§4.3): expected, arrived and the wait queue of the object's address.
 * The last thread to arrive returns PTHREAD_BARRIER_SERIAL_THREAD and starts the next phase. The
 * others do not access the object after their release, so it may be destroyed at once.
 *
 * There is no static initializer; a zeroed object has expected = 0 and is not a barrier.
 */
#include "model_thread.h"

struct barrier {
	uint32_t expected;
	uint32_t arrived; /* in this phase; all of them blocked */
	uint32_t state;   /* 0 or MODEL_DESTROYED */
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "lives inside it");

static struct barrier *barrier_of(pthread_barrier_t *b)
{
	struct barrier *s = (struct barrier *)b;

	if (s->state == MODEL_DESTROYED)
		__heddle_fault(HEDDLE_FAULT_USE_DESTROYED,
			"barrier used after it was destroyed", b);
	if (!s->expected)
		__heddle_fault(HEDDLE_FAULT_BAD_ARGUMENT,
			"not a barrier, or never initialized by pthread_barrier_init", b);
	return s;
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
	bool waits = __heddle_sync("pthread_barrier_wait", b);
	struct barrier *s = barrier_of(b);

	if (++s->arrived < s->expected || waits) {
		__heddle_wait(b, "pthread_barrier_wait");
		return 0;
	}
	s->arrived = 0;
	__heddle_notify_all(b);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_barrier_init(pthread_barrier_t *restrict b, const pthread_barrierattr_t *restrict attr,
	unsigned count)
{
	(void)attr;
	__heddle_sync("pthread_barrier_init", b);
	if (count == 0 || count > INT_MAX)
		return EINVAL;
	*(struct barrier *)b = (struct barrier){.expected = count};
	return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b)
{
	__heddle_sync("pthread_barrier_destroy", b);
	struct barrier *s = barrier_of(b);

	if (s->arrived)
		__heddle_fault(HEDDLE_FAULT_DESTROY,
			"barrier destroyed while threads wait at it", b);
	s->state = MODEL_DESTROYED;
	return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *a)
{
	*(int *)a = PTHREAD_PROCESS_PRIVATE;
	return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *a)
{
	(void)a;
	return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict a, int *restrict shared)
{
	*shared = *(const int *)a;
	return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *a, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	*(int *)a = shared;
	return 0;
}
