/*
 * check-name: an unlocked counter behind a shuffle of bytes, which has no translation
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: race counter
 * check-output-excludes: modelled up to
 * check-force: tsan data race
 */
#include "order.h"
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>

static int counter;

__attribute__((target("ssse3"))) static int mix(int x)
{
	__m128i v = _mm_shuffle_epi8(_mm_set1_epi32(x), _mm_set1_epi8(3));

	return _mm_cvtsi128_si32(v);
}

static void *worker(void *arg)
{
	int k = mix((int)(long)arg), c;

	c = counter; /* BUG: counter */
	forced(1);
	counter = c + k + 1; /* BUG: counter */
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", counter);
	return 0;
}
