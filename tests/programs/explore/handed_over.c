/*
 * check-name: an index handed from thread to thread
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: global-buffer-overflow index
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t full;
static int slot, table[10];
static unsigned char c;

static void *giver(void *arg)
{
	slot = c / 16;
	sem_post(&full);
	return arg;
}

int main(void)
{
	pthread_t t;

	if (read(0, &c, 1) != 1)
		return 1;
	sem_init(&full, 0, 0);
	pthread_create(&t, NULL, giver, NULL);
	sem_wait(&full);
#ifdef CORRECT
	if (slot < 10)
#endif
		table[slot] = 1; /* BUG: index */
	pthread_join(t, NULL);
	return 0;
}
