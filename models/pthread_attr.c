/*
 * Thread attributes: stored and returned. Only the detach state has an effect here; the machine
 * makes the stack, and pthread_create refuses scheduling policies that need privileges, as the
 * kernel does.
 */
#include "model_thread.h"

enum { DEFAULT_STACK = 8 << 20, DEFAULT_GUARD = 4096, SMALLEST_STACK = 16384 };

struct attr {
	int detach_state;
	int policy, priority, inherit;
	size_t guard;
	size_t stack_size; /* 0 = default */
	char *stack_end;   /* as glibc keeps it; NULL = none given */
	uint64_t affinity; /* 0 = inherited */
};
_Static_assert(sizeof(struct attr) <= sizeof(pthread_attr_t), "lives inside the user's object");

static struct attr *attr_of(const pthread_attr_t *a)
{
	return (struct attr *)(void *)a;
}

int __m_attr_check(const pthread_attr_t *a, bool *detached)
{
	const struct attr *s = attr_of(a);

	*detached = s->detach_state == PTHREAD_CREATE_DETACHED;
	return s->inherit == PTHREAD_EXPLICIT_SCHED ? __m_sched_check(s->policy, s->priority) : 0;
}

int pthread_attr_init(pthread_attr_t *a)
{
	*attr_of(a) = (struct attr){.guard = DEFAULT_GUARD};
	return 0;
}

int pthread_attr_destroy(pthread_attr_t *a)
{
	(void)a;
	return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *a, int *state)
{
	*state = attr_of(a)->detach_state;
	return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *a, int state)
{
	if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
		return EINVAL;
	attr_of(a)->detach_state = state;
	return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *restrict a, size_t *restrict size)
{
	*size = attr_of(a)->guard;
	return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *a, size_t size)
{
	attr_of(a)->guard = size;
	return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *restrict a, struct sched_param *restrict p)
{
	p->sched_priority = attr_of(a)->priority;
	return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *restrict a, const struct sched_param *restrict p)
{
	if (__m_sched_check(attr_of(a)->policy, p->sched_priority) == EINVAL)
		return EINVAL;
	attr_of(a)->priority = p->sched_priority;
	return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *restrict a, int *restrict policy)
{
	*policy = attr_of(a)->policy;
	return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *a, int policy)
{
	if (policy < SCHED_OTHER || policy > SCHED_RR)
		return EINVAL;
	attr_of(a)->policy = policy;
	return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *restrict a, int *restrict inherit)
{
	*inherit = attr_of(a)->inherit;
	return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *a, int inherit)
{
	if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)
		return EINVAL;
	attr_of(a)->inherit = inherit;
	return 0;
}

int pthread_attr_getscope(const pthread_attr_t *restrict a, int *restrict scope)
{
	(void)a;
	*scope = PTHREAD_SCOPE_SYSTEM;
	return 0;
}

int pthread_attr_setscope(pthread_attr_t *a, int scope)
{
	(void)a;
	if (scope == PTHREAD_SCOPE_PROCESS)
		return ENOTSUP;
	return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getstacksize(const pthread_attr_t *restrict a, size_t *restrict size)
{
	*size = attr_of(a)->stack_size ? attr_of(a)->stack_size : DEFAULT_STACK;
	return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *a, size_t size)
{
	if (size < SMALLEST_STACK)
		return EINVAL;
	attr_of(a)->stack_size = size;
	return 0;
}

int pthread_attr_getstack(const pthread_attr_t *restrict a, void **restrict stack,
	size_t *restrict size)
{
	const struct attr *s = attr_of(a);

	*stack = s->stack_end ? s->stack_end - s->stack_size : NULL;
	*size = s->stack_size;
	return 0;
}

int pthread_attr_setstack(pthread_attr_t *a, void *stack, size_t size)
{
	if (size < SMALLEST_STACK)
		return EINVAL;
	attr_of(a)->stack_size = size;
	attr_of(a)->stack_end = (char *)stack + size;
	return 0;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *a, size_t size, cpu_set_t *set)
{
	uint64_t bits = attr_of(a)->affinity ? attr_of(a)->affinity : MODEL_PROCESSORS;

	__m_cpus_put(bits, size, set);
	return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *a, size_t size, const cpu_set_t *set)
{
	attr_of(a)->affinity = __m_cpus_get(size, set);
	return 0;
}

int pthread_getattr_default_np(pthread_attr_t *a)
{
	return pthread_attr_init(a);
}
