/*
 * check-name: thread-specific data: own values, destructors in rounds, none for main's return
 * check-seeds: 100
 * check-output:
 * freed 5 buffers of bytes 15
 * stubborn destructor ran 4 times
 * second key seen by the first key's destructor 5 times
 * main keeps its value
 * check-output-end
 *
 * ThreadSanitizer cannot run this: its own destructor is done before the fourth round.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 5 };

static pthread_key_t buffer_key, second_key, stubborn_key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int freed, bytes, seen_second, stubborn;

static void free_buffer(void *p)
{
	int *b = p;

	assert(pthread_getspecific(buffer_key) == NULL);
	pthread_mutex_lock(&lock);
	freed++;
	bytes += *b;
	seen_second += pthread_getspecific(second_key) != NULL;
	pthread_mutex_unlock(&lock);
	free(b);
}

static void again(void *p)
{
	pthread_mutex_lock(&lock);
	stubborn++;
	pthread_mutex_unlock(&lock);
	pthread_setspecific(stubborn_key, p);
}

static void *use(void *arg)
{
	int *b = malloc(sizeof(*b));

	*b = *(int *)arg;
	assert(pthread_getspecific(buffer_key) == NULL);
	pthread_setspecific(buffer_key, b);
	pthread_setspecific(second_key, &second_key);
	if (*b == 3)
		pthread_setspecific(stubborn_key, arg);
	assert(pthread_getspecific(buffer_key) == b);
	if (*b % 2)
		pthread_exit(NULL);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS], mine = 1;

	pthread_key_create(&buffer_key, free_buffer);
	pthread_key_create(&second_key, NULL);
	pthread_key_create(&stubborn_key, again);
	pthread_setspecific(second_key, &mine);
	for (int i = 0; i < THREADS; i++) {
		id[i] = i + 1;
		pthread_create(&t[i], NULL, use, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("freed %d buffers of bytes %d\n", freed, bytes);
	printf("stubborn destructor ran %d times\n", stubborn);
	printf("second key seen by the first key's destructor %d times\n", seen_second);
	if (pthread_getspecific(second_key) == &mine)
		printf("main keeps its value\n");
	pthread_key_delete(buffer_key);
	pthread_key_delete(second_key);
	pthread_key_delete(stubborn_key);
	return 0;
}
