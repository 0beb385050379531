/* The program of the campaign's exploration: no failure under any schedule, and few of them. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, order;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	total += *(int *)arg;
	order = order * 10 + *(int *)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int n[3] = {1, 2, 3};

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add, &n[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(total == 6);
	if (order == 123)
		total++;
	return 0;
}
