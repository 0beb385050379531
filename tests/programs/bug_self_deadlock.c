/*
 * check-name: a normal mutex locked again by its owner, three calls deep
 * check-command: heddle exec -- $exe
 * check-seeds: 20
 * check-exit: 66
 * check-error-contains: double lock
 * check-error-contains: in add
 * check-error-contains: #1 add_twice
 * check-error-contains: global 'lock'
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
}

static void add_twice(int n)
{
	pthread_mutex_lock(&lock);
	total += n;
	add(n);
	pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
	add(1);
	add_twice(2);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	add(5);
	pthread_join(t, NULL);
	printf("%d\n", total);
	return 0;
}
