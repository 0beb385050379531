/*
 * check-name: a program that includes heddle.h behaves the same without heddle and with it
 * check-seeds: 50
 * check-output:
 * total 20 with step 2
 * check-output-end
 */
#include "../../include/heddle/heddle.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, step = 2;

static void *run(void *arg)
{
	for (int i = 0; i < 5; i++) {
		heddle_epoch();
		heddle_atomic_begin();
		pthread_mutex_lock(&lock);
		total += step;
		pthread_mutex_unlock(&lock);
		heddle_atomic_end();
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	heddle_input(&step, sizeof(step), "step");
	heddle_assume(step > 0 && step < 100);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	heddle_assert(total == 10 * step);
	printf("total %d with step %d\n", total, step);
	return 0;
}
