/* A robust mutex 'm' for the programs robust_*.c. */
#ifndef DEEP_ROBUST_H
#define DEEP_ROBUST_H

#include <pthread.h>

static pthread_mutex_t m;

static void make_robust(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
}

#endif
