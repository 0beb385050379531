/*
 * check-name: a named semaphore of one unit excludes, whichever thread comes first
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *units;
static atomic_int inside;

static void *enters(void *arg)
{
	if (arg)
		natural(1);
	sem_wait(units);
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
	sem_post(units);
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	char name[40];

	snprintf(name, sizeof name, "/heddle-test-%d", (int)getpid());
	units = sem_open(name, O_CREAT, 0600, 1);
	assert(units != SEM_FAILED);
	sem_unlink(name);
	pthread_create(&t, NULL, enters, NULL);
	pthread_create(&u, NULL, enters, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	sem_close(units);
	return 0;
}
