/*
 * The assertion fails only if thread one takes the path of one run and thread two that of another:
 * one sees the flag and sets x; two sees y and looks at x. STEER has the delay of each thread in
 * milliseconds.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag, x, y;
static int delays[3];

static int get(int *p)
{
	pthread_mutex_lock(&m);
	int v = *p;
	pthread_mutex_unlock(&m);
	return v;
}

static void put(int *p)
{
	pthread_mutex_lock(&m);
	*p = 1;
	pthread_mutex_unlock(&m);
}

static void *one(void *arg)
{
	usleep(delays[0] * 1000);
	if (get(&flag))
		put(&x);
	return arg;
}

static void *two(void *arg)
{
	usleep(delays[1] * 1000);
	put(&flag);
	if (get(&y))
		assert(get(&x) == 0);
	return arg;
}

static void *three(void *arg)
{
	usleep(delays[2] * 1000);
	put(&y);
	return arg;
}

int main(void)
{
	void *(*const run[3])(void *) = {one, two, three};
	const char *steer = getenv("STEER");
	pthread_t t[3];

	if (steer)
		sscanf(steer, "%d %d %d", &delays[0], &delays[1], &delays[2]);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
