/*
 * check-name: a string is copied into a block that is too small for the name that is set meanwhile
 * check-command: heddle check --deep -- $exe
 * check-finds: overflow copy
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[32] = "short";
static char *copied;

static void *copy(void *arg)
{
	pthread_mutex_lock(&lock);
	strcpy(copied, name); /* BUG: copy */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *set(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	memcpy(name, "a name of some length", 22);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	copied = malloc(8);
	pthread_create(&t, NULL, copy, NULL);
	pthread_create(&u, NULL, set, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(copied);
	return 0;
}
