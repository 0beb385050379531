/*
 * check-name: Tame, Fig. 2: a map that is set to null between the check and the use (Derby)
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: null pointer dereference
 * check-finds: null use
 * check-finds: race column_map
 * check-allows: race 'column_map'
 * check-allows: atomicity 'column_map'
 * check-force: SIGSEGV
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>

struct map {
	unsigned bits;
};
static struct map columns = {5};
static struct map *volatile column_map = &columns;
static int set;

static void *reader(void *arg)
{
	if (column_map != NULL) { /* BUG: column_map */
		forced(2);
		set = column_map->bits & 1; /* BUG: use */
	}
	return arg;
}

static void *closer(void *arg)
{
	forced(1);
	column_map = NULL; /* BUG: column_map */
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
	return set != 1;
}
