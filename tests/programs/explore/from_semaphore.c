/*
 * check-name: a semaphore with any value: a thread may go through, or wait for the other
 * check-command: heddle explore -- $exe
 * check-run: --from take:$take@T1,give:$give@T2 => assert early
 * check-run: --from take:$take@T1@wait,give:$give@T2 => 2
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int given;

static void *take(void *arg)
{
	sem_wait(&s); /* AT: take */
	assert(given == 1); /* BUG: early */
	return arg;
}

static void *give(void *arg)
{
	given = 1; /* AT: give */
	sem_post(&s);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	sem_init(&s, 0, argc > 1);
	pthread_create(&t[0], NULL, take, NULL);
	pthread_create(&t[1], NULL, give, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
