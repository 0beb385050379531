/*
 * Fusion, Table 2, atom002a: as atom002.c, and what is flushed is flushed when the flag says that all
 * messages are there.
 */
#include "../../include/heddle/heddle.h"
#include <pthread.h>
#include <unistd.h>

enum { MESSAGES = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length, complete, flushed;

static int get(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = length;
	pthread_mutex_unlock(&lock);
	return n;
}

static void set(int n)
{
	pthread_mutex_lock(&lock);
	length = n;
	pthread_mutex_unlock(&lock);
}

static void *append(void *arg)
{
	heddle_atomic_begin();
	for (int i = 0; i < MESSAGES; i++)
		set(get() + 1);
	heddle_atomic_end();
	pthread_mutex_lock(&lock);
	complete = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *flush(void *arg)
{
	for (int i = 0; i < MESSAGES; i++) {
		pthread_mutex_lock(&lock);
		if (complete) {
			flushed += length;
			length = 0;
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, append, NULL);
	usleep(20000);
	pthread_create(&t2, NULL, flush, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return flushed != MESSAGES;
}
