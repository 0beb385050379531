/*
 * check-name: named semaphores within one process
 * check-seeds: 50
 * check-output:
 * without O_CREAT: ENOENT
 * twice exclusively: EEXIST
 * opened twice is one semaphore: yes
 * handed over 10 times
 * after unlink: ENOENT
 * check-output-end
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char ping_name[40], pong_name[40];
static int count;

static const char *name(const sem_t *s)
{
	return s != SEM_FAILED ? "opened" : errno == ENOENT ? "ENOENT" :
		errno == EEXIST ? "EEXIST" : "something else";
}

static void *answer(void *arg)
{
	sem_t *ping = sem_open(ping_name, 0), *pong = sem_open(pong_name, 0);

	for (int i = 0; i < 10; i++) {
		sem_wait(ping);
		count++;
		sem_post(pong);
	}
	sem_close(ping);
	sem_close(pong);
	return arg;
}

int main(void)
{
	pthread_t t;
	sem_t *ping, *pong, *again;

	snprintf(ping_name, sizeof(ping_name), "/heddle-ping-%ld", (long)getpid());
	snprintf(pong_name, sizeof(pong_name), "/heddle-pong-%ld", (long)getpid());
	printf("without O_CREAT: %s\n", name(sem_open(ping_name, 0)));
	ping = sem_open(ping_name, O_CREAT | O_EXCL, 0600, 0);
	pong = sem_open(pong_name, O_CREAT, 0600, 0);
	printf("twice exclusively: %s\n", name(sem_open(ping_name, O_CREAT | O_EXCL, 0600, 0)));
	again = sem_open(ping_name, O_CREAT, 0600, 9);
	printf("opened twice is one semaphore: %s\n", again == ping ? "yes" : "no");
	sem_close(again);
	pthread_create(&t, NULL, answer, NULL);
	for (int i = 0; i < 10; i++) {
		sem_post(ping);
		sem_wait(pong);
	}
	pthread_join(t, NULL);
	printf("handed over %d times\n", count);
	sem_unlink(ping_name);
	sem_unlink(pong_name);
	printf("after unlink: %s\n", name(sem_open(ping_name, 0)));
	sem_close(ping);
	sem_close(pong);
	return 0;
}
