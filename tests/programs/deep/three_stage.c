/*
 * check-name: an update in three stages; the reader goes on only as long as it finds the next one begun
 * check-command: heddle check --deep -- $exe
 * check-finds: assert stage
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

enum { STAGES = 3 };
static pthread_mutex_t lock[STAGES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				       PTHREAD_MUTEX_INITIALIZER};
static volatile int data[STAGES];

static int look(int i)
{
	int v;

	pthread_mutex_lock(&lock[i]);
	v = data[i];
	pthread_mutex_unlock(&lock[i]);
	return v;
}

static void *writer(void *arg)
{
	natural(1);
	for (int i = 0; i < STAGES; i++) {
		pthread_mutex_lock(&lock[i]);
		data[i] = i + 1;
		pthread_mutex_unlock(&lock[i]);
	}
	return arg;
}

static void *reader(void *arg)
{
	int last;

	if (look(0) == 0)
		return arg;
	if (look(1) == 0)
		return arg;
	pthread_mutex_lock(&lock[2]);
	last = data[2];
	pthread_mutex_unlock(&lock[2]);
	assert(last == 3); /* BUG: stage */
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, writer, NULL);
	pthread_create(&t2, NULL, reader, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
