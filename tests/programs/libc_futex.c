/*
 * check-name: a lock of one's own on futexes
 * check-seeds: 50
 * check-output:
 * 4000
 * timed out 1, changed 1
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int lock; /* 0 free, 1 taken, 2 taken and waited for */
static int counter;

static void take(void)
{
	int c = 0;

	if (atomic_compare_exchange_strong(&lock, &c, 1))
		return;
	if (c != 2)
		c = atomic_exchange(&lock, 2);
	while (c) {
		syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 2, NULL);
		c = atomic_exchange(&lock, 2);
	}
}

static void give(void)
{
	if (atomic_exchange(&lock, 0) == 2)
		syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1);
}

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		take();
		counter++;
		give();
	}
	return arg;
}

int main(void)
{
	struct timespec soon = {0, 1000000};
	pthread_t threads[4];
	int word = 5, late, changed;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counter);
	late = syscall(SYS_futex, &word, FUTEX_WAIT, 5, &soon) == -1 && errno == ETIMEDOUT;
	changed = syscall(SYS_futex, &word, FUTEX_WAIT, 6, NULL) == -1 && errno == EAGAIN;
	printf("timed out %d, changed %d\n", late, changed);
	return syscall(SYS_gettid) != getpid();
}
