/*
 * check-name: what is known of an address: freed, outside, null; a block freed twice
 * drive: --step 0:5 --step 1:0 --goal access --a 1:0
 * expect: seen 0
 * expect: memory ok .* size 4 write 0 atomic 0 block 0x[0-9a-f]+ 40
 * drive: --step 0:6 --step 1:0 --goal access --a 1:0
 * expect: seen 1
 * expect: memory freed .* block 0x[0-9a-f]+ 40 freed-by 0
 * drive: --step 0:5 --step 2:0 --goal access --a 2:0
 * expect: seen 1
 * expect: memory outside .* size 4 write 1 .* block 0x[0-9a-f]+ 40 freed-by -1
 * drive: --step 0:5 --step 3:0 --goal access --a 3:0
 * expect: seen 0
 * drive: --step 0:6 --step 3:0 --goal access --a 3:0
 * expect: seen 1
 * expect: memory freed .* size 0
 * expect: fate assert 6
 * expect: text double free of a block of 40 bytes at 0x[0-9a-f]+ that thread 0 freed
 * expect: misuse 7 3
 * expect: thread 3 0
 * drive: --step 0:5 --step 4:0 --goal access --a 4:0
 * expect: seen 1
 * expect: memory null addr 0x4
 * expect: fate signal 11
 * expect: thread 4 0
 * drive: --step 0:5 --step 1:2 --step 2:1 --step 3:1 --step 0:5 --goal access --a 0:5
 * expect: diverged 0
 * expect: seen 1
 * expect: memory freed .* freed-by 3
 */
#include <pthread.h>
#include <stdlib.h>

static int *p;

static void *counts(void *arg)
{
	p[3]++;
	return arg;
}

static void *overflows(void *arg)
{
	p[10] = 1;
	return arg;
}

static void *frees(void *arg)
{
	free(p);
	return arg;
}

static void *nowhere(void *arg)
{
	((volatile int *)arg)[1] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	p = malloc(40);
	pthread_create(&t[0], NULL, counts, NULL);
	pthread_create(&t[1], NULL, overflows, NULL);
	pthread_create(&t[2], NULL, frees, NULL);
	pthread_create(&t[3], NULL, nowhere, NULL);
	free(p);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
