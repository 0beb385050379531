/*
 * check-name: sections that add different numbers, set a flag and keep a maximum are explored in few orders
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-timeout: 60
 * check-run: --switch sync => any
 * check-run: --no-merge => any
 * check-order: 1, 2
 */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 2 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum, most, flag;

static void *work(void *arg)
{
	int id = (int)(long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		sum += id * 10 + i;
		if (id > most)
			most = id;
		flag = 1;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(sum == 123 && most == THREADS && flag);
	return 0;
}
