/*
 * check-name: Tame, Fig. 2, check and use of the map in one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>

struct map {
	unsigned bits;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map columns = {5};
static struct map *column_map = &columns;
static int set;

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	if (column_map != NULL) {
		forced(2);
		set = column_map->bits & 1;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *closer(void *arg)
{
	forced(1);
	pthread_mutex_lock(&lock);
	column_map = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, reader, NULL);
	natural(1);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return set > 1;
}
