/* Reads lines from standard input in one thread, and prints them, numbered, in another. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static char line[256];
static sem_t full, empty;
static int end;

static void *print(void *arg)
{
	for (int n = 1;; n++) {
		sem_wait(&full);
		if (end)
			return arg;
		printf("%d: %s", n, line);
		sem_post(&empty);
	}
}

int main(void)
{
	char buffer[256];
	pthread_t t;

	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	pthread_create(&t, NULL, print, NULL);
	while (fgets(buffer, sizeof buffer, stdin)) {
		sem_wait(&empty);
		strcpy(line, buffer);
		sem_post(&full);
	}
	sem_wait(&empty);
	end = 1;
	sem_post(&full);
	pthread_join(t, NULL);
	return 0;
}
