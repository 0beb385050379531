/*
 * check-name: a shuffle of bytes of a shared value gives the same result under every schedule
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include "../check/order.h"
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

__attribute__((target("ssse3"))) static int mix(int x)
{
	__m128i v = _mm_shuffle_epi8(_mm_set1_epi32(x), _mm_set1_epi8(3));

	return _mm_cvtsi128_si32(v);
}

static void *reader(void *arg)
{
	int x;

	pthread_mutex_lock(&lock);
	x = value;
	pthread_mutex_unlock(&lock);
	assert(!mix(x));
	return arg;
}

static void *writer(void *arg)
{
	natural(1);
	pthread_mutex_lock(&lock);
	value = 1 << 8;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, reader, NULL);
	pthread_create(&u, NULL, writer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
