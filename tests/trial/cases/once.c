/*
 * check-name: threads that stop before a once, inside its routine, and wait for it
 * explore: --all-orders --max-paths 60
 * paths: 20
 * seeds: 20 --access
 */
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int made, order[4], n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void make(void)
{
	pthread_mutex_lock(&lock);
	order[n++] = 10;
	pthread_mutex_unlock(&lock);
	made++;
}

static void make_other(void)
{
	made += 2;
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	order[n++] = (int)(long)arg;
	pthread_mutex_unlock(&lock);
	pthread_once(&once, make);
	call_once(&flag, make_other);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, (void *)1);
	work((void *)2);
	pthread_join(t, NULL);
	printf("%d: %d %d %d\n", made, order[0], order[1], order[2]);
	return 0;
}
