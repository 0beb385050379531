/*
 * Attributes of mutexes. One int; the fields are laid out as in glibc, so that a copied or
 * printed attribute object has the same bytes.
 */
#include <errno.h>
#include <pthread.h>

enum {
	TYPE = 0x00000fff,
	CEILING = 0x00fff000,
	CEILING_SHIFT = 12,
	PROTOCOL = 0x30000000,
	PROTOCOL_SHIFT = 28,
	IS_ROBUST = 0x40000000,
	CEILING_MIN = 1, /* of SCHED_FIFO */
	CEILING_MAX = 99,
};
#define IS_SHARED 0x80000000u

static unsigned *bits(const pthread_mutexattr_t *a)
{
	return (unsigned *)(void *)a;
}

static void put(pthread_mutexattr_t *a, unsigned mask, unsigned value)
{
	*bits(a) = (*bits(a) & ~mask) | value;
}

int pthread_mutexattr_init(pthread_mutexattr_t *a)
{
	*bits(a) = PTHREAD_MUTEX_DEFAULT;
	return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *a)
{
	(void)a;
	return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *restrict a, int *restrict type)
{
	*type = (int)(*bits(a) & TYPE);
	return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *a, int type)
{
	if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ADAPTIVE_NP)
		return EINVAL;
	put(a, TYPE, (unsigned)type);
	return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *restrict a, int *restrict shared)
{
	*shared = *bits(a) & IS_SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
	return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int shared)
{
	if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
		return EINVAL;
	put(a, IS_SHARED, shared == PTHREAD_PROCESS_SHARED ? IS_SHARED : 0);
	return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *restrict a, int *restrict protocol)
{
	*protocol = (int)((*bits(a) & PROTOCOL) >> PROTOCOL_SHIFT);
	return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int protocol)
{
	if (protocol < PTHREAD_PRIO_NONE || protocol > PTHREAD_PRIO_PROTECT)
		return EINVAL;
	put(a, PROTOCOL, (unsigned)protocol << PROTOCOL_SHIFT);
	return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *restrict a, int *restrict ceiling)
{
	int c = (int)((*bits(a) & CEILING) >> CEILING_SHIFT);

	*ceiling = c < CEILING_MIN ? CEILING_MIN : c;
	return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *a, int ceiling)
{
	if (ceiling < CEILING_MIN || ceiling > CEILING_MAX)
		return EINVAL;
	put(a, CEILING, (unsigned)ceiling << CEILING_SHIFT);
	return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *a, int *robust)
{
	*robust = *bits(a) & IS_ROBUST ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;
	return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *a, int robust)
{
	if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
		return EINVAL;
	put(a, IS_ROBUST, robust == PTHREAD_MUTEX_ROBUST ? IS_ROBUST : 0);
	return 0;
}
