/*
 * check-name: threads open a named semaphore, whose state depends on their order: no claim
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: 'sem_open' (sem_named_late.c:22) was not reordered: the state of a named semaphore is assumed as recorded
 */
#include "order.h"
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[40];
static int failed[2];

static void *opens(void *arg)
{
	if (arg)
		natural(1);
	sem_t *s = sem_open(name, O_CREAT, 0600, 1);

	if (s == SEM_FAILED)
		failed[arg != NULL] = 1;
	else
		sem_close(s);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	snprintf(name, sizeof name, "/heddle-late-%d", (int)getpid());
	pthread_create(&t, NULL, opens, NULL);
	pthread_create(&u, NULL, opens, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	sem_unlink(name);
	return failed[0] || failed[1];
}
