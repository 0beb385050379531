/*
 * check-name: a busy flag for a lock, looked at in one region and set in the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'document'
 * check-finds: race document
 * check-allows: race 'document'
 * check-allows: atomicity
 * check-force: tsan data race
 */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy, document;

static void *editor(void *arg)
{
	int is_free;

	pthread_mutex_lock(&lock);
	is_free = !busy;
	pthread_mutex_unlock(&lock);
	forced(1);
	if (is_free) {
		pthread_mutex_lock(&lock);
		busy = 1;
		pthread_mutex_unlock(&lock);
		document++; /* BUG: document */
		forced(1);
		pthread_mutex_lock(&lock);
		busy = 0;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, editor, NULL);
	natural(1);
	pthread_create(&t2, NULL, editor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return document > 2;
}
