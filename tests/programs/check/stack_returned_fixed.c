/*
 * check-name: a function returns when the thread that uses its variable has said that it is done
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int seen;

static void *use(void *arg)
{
	seen = *(int *)arg;
	sem_post(&done);
	return NULL;
}

__attribute__((noinline)) static pthread_t start(int n)
{
	int value = n;
	pthread_t t;

	pthread_create(&t, NULL, use, &value);
	sem_wait(&done);
	return t;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	sem_init(&done, 0, 0);
	t = start(argc);
	pthread_join(t, NULL);
	return seen == argc ? 0 : 1;
}
