/*
 * check-name: a copy between two shared arrays reads what another thread writes
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'from
 * check-output-contains: Location is global 'from'
 * check-finds: race copied
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int from[4], to[4];

static void *copier(void *arg)
{
	pthread_mutex_lock(&lock);
	memcpy(to, from, sizeof to); /* BUG: copied */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *writer(void *arg)
{
	natural(1);
	from[2] = 7; /* BUG: copied */
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum;

	pthread_create(&a, NULL, copier, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_mutex_lock(&lock);
	sum = to[0] + to[1];
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum;
}
