/*
 * check-name: static initializers, pthread_mutex_init, a zeroed object, reuse after destroy
 * check-seeds: 20
 * check-output:
 * normal: relock by trylock EBUSY
 * recursive: relock by trylock 0
 * errorcheck: relock by trylock EBUSY
 * adaptive: relock by trylock EBUSY
 * zeroed: relock by trylock EBUSY
 * made: relock by trylock EBUSY
 * made recursive: relock by trylock 0
 * attributes: type 1, shared 1, protocol 1, robust 1
 * condition, lock and once from zeroed memory work
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void try(const char *what, pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
	int err = pthread_mutex_trylock(m);
	printf("%s: relock by trylock %s\n", what, err == EBUSY ? "EBUSY" : err ? "?" : "0");
	if (!err)
		pthread_mutex_unlock(m);
	pthread_mutex_unlock(m);
	pthread_mutex_destroy(m);
}

static void nothing(void)
{
}

int main(void)
{
	static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER,
		recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
		errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
		adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	struct all {
		pthread_mutex_t mutex;
		pthread_cond_t cond;
		pthread_rwlock_t rwlock;
		pthread_once_t once;
	} *zeroed = calloc(1, sizeof(*zeroed));
	pthread_mutexattr_t attr;
	int type, shared, protocol, robust;

	try("normal", &normal);
	try("recursive", &recursive);
	try("errorcheck", &errorcheck);
	try("adaptive", &adaptive);
	try("zeroed", &zeroed->mutex);
	pthread_mutex_init(&zeroed->mutex, NULL);
	try("made", &zeroed->mutex);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&zeroed->mutex, &attr);
	try("made recursive", &zeroed->mutex);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_gettype(&attr, &type);
	pthread_mutexattr_getpshared(&attr, &shared);
	pthread_mutexattr_getprotocol(&attr, &protocol);
	pthread_mutexattr_getrobust(&attr, &robust);
	printf("attributes: type %d, shared %d, protocol %d, robust %d\n", type, shared, protocol,
		robust);
	pthread_cond_signal(&zeroed->cond);
	pthread_rwlock_wrlock(&zeroed->rwlock);
	pthread_rwlock_unlock(&zeroed->rwlock);
	pthread_once(&zeroed->once, nothing);
	printf("condition, lock and once from zeroed memory work\n");
	free(zeroed);
	return 0;
}
