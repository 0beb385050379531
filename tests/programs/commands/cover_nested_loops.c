/*
 * check-name: a loop whose every iteration executes a marker has none itself
 * check-command: heddle cover --show -- $exe
 * check-exit: 0
 * check-output-contains: every input is covered
 * check-output-contains: cover_nested_loops.c:20
 * check-output-excludes: cover_nested_loops.c:19
 */
#include <pthread.h>


static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int n = 2;

static void *work(void *arg)
{
	int i = n, k;

	while (i-- > 0) {
		for (k = 0; k == 0 || k < n; k++) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
		}
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
