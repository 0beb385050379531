/*
 * check-name: as many threads as the input says
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: assert total
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	total++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	unsigned char n;
	pthread_t t[3];

	if (read(0, &n, 1) != 1 || n > 3)
		return 1;
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
#ifdef CORRECT
	assert(total == n);
#else
	assert(total != 3); /* BUG: total */
#endif
	return 0;
}
