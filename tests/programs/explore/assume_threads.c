/*
 * check-name: the number of threads that an input gives is fixed by an assumption about a global variable
 * check-command: heddle explore --sym 'argv[1]:2' --assume 'nthreads == 2' -- $exe
 * check-finds: assert two
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int nthreads = 1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	total++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[9];

	if (argc > 1)
		nthreads = atoi(argv[1]);
	if (nthreads < 1 || nthreads > 9)
		return 1;
	for (int i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
#ifdef CORRECT
	assert(total == 2); /* fails with every other number of threads */
#else
	assert(total != 2); /* BUG: two */
#endif
	return 0;
}
