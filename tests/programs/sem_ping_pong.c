/*
 * check-name: three threads in a ring of semaphores print in turn
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * one two three one two three one two three one two three
 * check-output-end
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { N = 3, ROUNDS = 4 };

static sem_t turn[N];
static const char *const word[N] = {"one ", "two ", "three"};

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&turn[me]);
		printf("%s", word[me]);
		if (me == N - 1)
			printf(i == ROUNDS - 1 ? "\n" : " ");
		sem_post(&turn[(me + 1) % N]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	int id[N];

	for (int i = 0; i < N; i++)
		sem_init(&turn[i], 0, i == 0);
	for (int i = 0; i < N; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
