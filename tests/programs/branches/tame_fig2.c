/*
 * check-name: Tame, Fig. 2 (Derby): the map is there when it is asked for, and null when it is used
 * check-command: heddle branches -- $exe
 * check-branch: bug check
 * check-branch: bug use
 * check-branch-kind: pointer dereference use
 */
#include "../check/order.h"
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
	if (column_map != NULL) /* BRANCH: check */
		set = column_map->bits & 1; /* BRANCH: use */
	return arg;
}

static void *closer(void *arg)
{
	column_map = NULL;
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
