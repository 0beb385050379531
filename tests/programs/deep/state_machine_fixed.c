/*
 * check-name: a connection has its number before anybody can see that it is being set up
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NEW, SETUP, READY };
static atomic_int state, number;

static void *connector(void *arg)
{
	natural(1);
	atomic_store(&number, 4);
	atomic_store(&state, SETUP);
	atomic_store(&state, READY);
	return arg;
}

static void *lister(void *arg)
{
	switch (atomic_load(&state)) {
	case NEW:
		break;
	case SETUP:
		if (atomic_load(&state) == SETUP)
			assert(atomic_load(&number));
		break;
	case READY:
		assert(atomic_load(&number));
		break;
	}
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, connector, NULL);
	pthread_create(&t2, NULL, lister, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
