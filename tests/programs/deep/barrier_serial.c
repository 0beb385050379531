/*
 * check-name: the thread that gets PTHREAD_BARRIER_SERIAL_THREAD is the one that comes last
 * check-command: heddle check --deep -- $exe
 * check-finds: assert serial
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int chief;

static void *meets(void *arg)
{
	if ((long)arg == 2)
		natural(1);
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		chief = (int)(long)arg;
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, meets, (void *)1);
	pthread_create(&u, NULL, meets, (void *)2);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(chief == 2); /* BUG: serial */
	return 0;
}
