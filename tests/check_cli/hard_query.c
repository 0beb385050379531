/* Whether the assertion can fail is a question about the factors of a 62-bit number. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic uint64_t x, y;

static void *write_bits(void *arg)
{
	_Atomic uint64_t *to = arg;

	for (int i = 0; i < 31; i++)
		atomic_store(to, 1u << i | 0x2545f491u * (uint32_t)(i * i + 7));
	return NULL;
}

static void *mix(void *arg)
{
	(void)arg;
	for (int i = 0; i < 24; i++) {
		atomic_store(&x, atomic_load(&x) * atomic_load(&y) + 0x9e3779b97f4a7c15u);
		atomic_store(&y, atomic_load(&y) * atomic_load(&x) ^ 0xbf58476d1ce4e5b9u);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	pthread_create(&t[0], NULL, write_bits, &x);
	pthread_create(&t[1], NULL, write_bits, &y);
	pthread_create(&t[2], NULL, mix, NULL);
	pthread_create(&t[3], NULL, mix, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&x) * atomic_load(&y) != 2305843009213693951u);
	return 0;
}
