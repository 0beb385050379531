/*
 * check-name: handles that are written after threads exist are any handles
 * check-command: heddle explore -- $exe
 * check-run: --from main:$join@T0,work@T1,work@T2 => bad-argument twice
 */
#include <pthread.h>
#include <stdlib.h>

enum { N = 2 };
static pthread_t tid[N];

static void *work(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < N; i++)
		pthread_create(&tid[i], NULL, work, NULL);
	if (argc > 1)
		tid[1] = tid[0];
	pthread_join(tid[0], NULL); /* AT: join */
	pthread_join(tid[1], NULL); /* BUG: twice */
	return 0;
}
