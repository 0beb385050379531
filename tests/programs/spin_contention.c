/*
 * check-name: a spin lock under contention, with trylock
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * counter 80, tries and locks together 80
 * check-output-end
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20 };

static pthread_spinlock_t lock;
static int counter;

struct result {
	int locked, tried;
};

static void *run(void *arg)
{
	struct result *r = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (i % 3 == 0 && pthread_spin_trylock(&lock) == 0) {
			r->tried++;
		} else {
			pthread_spin_lock(&lock);
			r->locked++;
		}
		counter++;
		pthread_spin_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	struct result r[THREADS] = {{0, 0}};
	int all = 0;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, &r[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		all += r[i].locked + r[i].tried;
	}
	printf("counter %d, tries and locks together %d\n", counter, all);
	pthread_spin_destroy(&lock);
	return 0;
}
