/*
 * check-name: with PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP a waiting writer stops new readers
 * check-seeds: 100
 * check-output:
 * new reader while a writer waits: EBUSY
 * then the writer wrote, and reading works: 1
 * default kind: new reader while a writer waits: 0
 * then the writer wrote, and reading works: 1
 * check-output-end
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock;
static int value;

static void *write_value(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	value = 1;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

/* Long enough for the writer to be blocked; the default kind needs no such thing to be right. */
static void let_others_run(void)
{
	nanosleep(&(struct timespec){0, 50000000}, NULL);
}

static void try(const char *before)
{
	pthread_t writer;
	int err;

	value = 0;
	pthread_rwlock_rdlock(&lock);
	pthread_create(&writer, NULL, write_value, NULL);
	let_others_run();
	err = pthread_rwlock_tryrdlock(&lock);
	printf("%snew reader while a writer waits: %s\n", before, err == EBUSY ? "EBUSY" : "0");
	if (!err)
		pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_join(writer, NULL);
	pthread_rwlock_rdlock(&lock);
	printf("then the writer wrote, and reading works: %d\n", value);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_destroy(&lock);
}

int main(void)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &attr);
	try("");
	pthread_rwlock_init(&lock, NULL);
	try("default kind: ");
	pthread_rwlockattr_destroy(&attr);
	return 0;
}
