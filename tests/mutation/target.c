/*
 * The program of the mutation campaign: small, without a failure under any schedule, with most kinds
 * of records: threads of threads, locks, a condition variable, a semaphore, a barrier, a once, blocks
 * of memory, atomics, a copy, calls of the library that write memory, a longjmp.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t gate;
static sem_t slots;
static _Atomic int count;
static int ready, total;
static char *text;

static void make_text(void)
{
	text = calloc(4, 4);
}

static void *add(void *arg)
{
	int n = *(int *)arg, *copy = malloc(sizeof n);

	memcpy(copy, arg, sizeof n);
	pthread_once(&once, make_text);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < *copy; i++)
		total++;
	snprintf(text, 16, "%d", total);
	ready++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&count, 1);
	sem_post(&slots);
	pthread_barrier_wait(&gate);
	free(copy);
	return NULL;
}

static void *start(void *arg)
{
	pthread_t inner;

	pthread_create(&inner, NULL, add, arg);
	pthread_join(inner, NULL);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int two = 2, three = 3;
	jmp_buf back;

	sem_init(&slots, 0, 0);
	pthread_barrier_init(&gate, NULL, 2);
	if (!setjmp(back))
		longjmp(back, 1);
	pthread_create(&a, NULL, add, &two);
	pthread_create(&b, NULL, start, &three);
	pthread_mutex_lock(&lock);
	while (ready < 2)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	sem_wait(&slots);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	text = realloc(text, 32);
	assert(total == 5 && atomic_load(&count) == 2);
	puts(text);
	free(text);
	return 0;
}
