/*
 * check-name: every change is broadcast to everybody; each thread acts on its own turn only
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * abcdefabcdefabcdef
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6, ROUNDS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		while (turn % THREADS != me)
			pthread_cond_wait(&changed, &lock);
		putchar('a' + me);
		turn++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS];

	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	putchar('\n');
	return 0;
}
