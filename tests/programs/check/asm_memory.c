/*
 * check-name: assembler that has no translation and accesses memory: there is no claim
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 * check-output-contains: memory that inline assembler
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned counter;

static void *worker(void *arg)
{
	unsigned status = 0;

	__asm__ volatile("stmxcsr %0" : "=m"(status));
	pthread_mutex_lock(&lock);
	counter += status != 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%u\n", counter);
	return 0;
}
