/*
 * check-name: Tame, Fig. 4: the first hash is kept, the second compared; that they are equal is no question
 * check-command: heddle branches -- $exe
 * check-branch: unclear kept
 * check-branch: not equal
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char input[] = "shuttle";
static unsigned kept;

static unsigned forwards(void)
{
	unsigned h = 7;

	for (unsigned i = 0; i < sizeof input - 1; i++)
		h = h * 31 + (unsigned char)input[i];
	return h;
}

static unsigned doubled(void)
{
	unsigned h = 7;

	for (const char *c = input; *c; c++)
		h = (h << 5) - h + (unsigned char)*c;
	return h;
}

static void check_hash(unsigned h)
{
	pthread_mutex_lock(&lock);
	if (!kept) /* BRANCH: kept */
		kept = h;
	else if (kept != h) /* BRANCH: equal */
		abort();
	pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	check_hash(forwards());
	return arg;
}

static void *second(void *arg)
{
	check_hash(doubled());
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, first, NULL);
	natural(1);
	pthread_create(&t2, NULL, second, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
