/*
 * Fusion, Table 2, atom001: a log is closed and opened again in one marked transaction; another
 * thread looks whether it is open in between, and its line is lost.
 */
#include "../../include/heddle/heddle.h"
#include <pthread.h>
#include <unistd.h>

enum { CLOSED, OPEN };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int status = OPEN, lines;

static void *rotate(void *arg)
{
	heddle_atomic_begin();
	pthread_mutex_lock(&lock);
	status = CLOSED;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	status = OPEN;
	pthread_mutex_unlock(&lock);
	heddle_atomic_end();
	return arg;
}

static void *say(void *arg)
{
	int is_open;

	pthread_mutex_lock(&lock);
	is_open = status == OPEN;
	pthread_mutex_unlock(&lock);
	if (is_open)
		lines++;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, rotate, NULL);
	usleep(20000);
	pthread_create(&t2, NULL, say, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return lines != 1;
}
