/* A thread that reads between two writes ends the program with status 1. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void put(int *to)
{
	pthread_mutex_lock(&lock);
	*to = 1;
	pthread_mutex_unlock(&lock);
}

static int get(const int *from)
{
	int value;

	pthread_mutex_lock(&lock);
	value = *from;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *write_both(void *arg)
{
	put(&first);
	put(&second);
	return arg;
}

static void *compare(void *arg)
{
	int a = get(&first), b = get(&second);

	if (a && !b)
		exit(1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, write_both, NULL);
	pthread_create(&u, NULL, compare, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
