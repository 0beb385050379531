/*
 * check-name: a thread reads before the barrier
 * check-command: heddle explore --switch access --sym stdin:1 -- $exe
 * check-finds: assert phase
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_barrier_t b;
static int part[2];
static unsigned char c;

static void *work(void *arg)
{
	long id = (long)arg;

	part[id] = c + 1;
#ifdef CORRECT
	pthread_barrier_wait(&b);
#else
	if (c < 250)
		pthread_barrier_wait(&b);
#endif
	assert(part[!id] == c + 1); /* BUG: phase */
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_barrier_init(&b, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
