/*
 * check-name: assembler that has no translation and accesses no memory, then a locked counter
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned counter;

static unsigned features(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;

	__get_cpuid(1, &a, &b, &c, &d);
	return d >> 4 & 1;
}

static unsigned long xcr(void)
{
	unsigned a, d;

	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return (unsigned long)d << 32 | a;
}

static void *worker(void *arg)
{
	unsigned k = features() + (xcr() & 1);

	pthread_mutex_lock(&lock);
	counter += k;
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
