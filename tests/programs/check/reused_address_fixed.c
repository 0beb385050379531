/*
 * check-name: two threads each publish and free a block under a lock; both blocks get one address
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *slot;

static void *user(void *arg)
{
	pthread_mutex_lock(&lock);
	slot = calloc(1, sizeof(*slot));
	free(slot);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	pthread_create(&t2, NULL, user, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
