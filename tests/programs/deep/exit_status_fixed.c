/*
 * check-name: the result of main depends on both threads, and not on their order
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *n)
{
	pthread_mutex_lock(&lock);
	sum += *(int *)n;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int three = 3, four = 4;
	pthread_t t, u;

	pthread_create(&t, NULL, add, &three);
	pthread_create(&u, NULL, add, &four);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return sum - 7;
}
