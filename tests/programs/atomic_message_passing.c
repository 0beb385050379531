/*
 * check-name: message passing by release and acquire, and by fences
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 20 messages by acquire, 20 by fences, none torn
 * check-output-end
 *
 * ThreadSanitizer does not know fences and calls the second half a race: it is none.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { MESSAGES = 20 };

static int data[MESSAGES], fenced[MESSAGES];
static atomic_int ready, fence_ready;

static void *send(void *arg)
{
	(void)arg;
	for (int i = 0; i < MESSAGES; i++) {
		data[i] = i + 1000;
		atomic_store_explicit(&ready, i + 1, memory_order_release);
	}
	for (int i = 0; i < MESSAGES; i++) {
		fenced[i] = i + 2000;
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&fence_ready, i + 1, memory_order_relaxed);
	}
	return NULL;
}

static int by_acquire(void)
{
	int n = 0;

	while (n < MESSAGES) {
		int now = atomic_load_explicit(&ready, memory_order_acquire);
		for (; n < now; n++)
			assert(data[n] == n + 1000);
		sched_yield();
	}
	return n;
}

static int by_fences(void)
{
	int n = 0;

	while (n < MESSAGES) {
		int now = atomic_load_explicit(&fence_ready, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		for (; n < now; n++)
			assert(fenced[n] == n + 2000);
		sched_yield();
	}
	return n;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, send, NULL);
	int a = by_acquire(), f = by_fences();
	pthread_join(t, NULL);
	printf("%d messages by acquire, %d by fences, none torn\n", a, f);
	return 0;
}
