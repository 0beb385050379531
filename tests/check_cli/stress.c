/* Programs that are hard on budgets. The argument chooses: many threads, many events, much memory, much
 * computation without events, many branches that flip, many schedules, values that are hard for a solver. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint_least64_t word = 1;
static long table[256], total;
static const char *how;

static int is(const char *s)
{
	return !strcmp(how, s);
}

static void count_under_lock(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		table[total++ & 255] += i;
		pthread_mutex_unlock(&lock);
	}
}

static void fill_memory(void)
{
	for (int i = 0; i < 4000; i++) {
		char *p = malloc(1 << 20);

		if (p)
			memset(p, i, 1 << 20);
	}
}

static void compute(void)
{
	volatile uint64_t x = 1;

	for (uint64_t i = 0; i < 3000000000u; i++)
		x = x * 6364136223846793005u + i;
}

/* Every round reads what others write, and branches on it. */
static void branch(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		uint64_t seen = atomic_load(&word);

		if (seen % 3 == 1)
			atomic_fetch_add(&word, seen & 7);
		else if (seen % 5 == 2)
			atomic_fetch_xor(&word, seen << 1);
		else
			atomic_store(&word, seen + 1);
	}
}

static void multiply(void)
{
	for (int i = 0; i < 40; i++)
		atomic_store(&word, atomic_load(&word) * (atomic_load(&word) | 1) ^ atomic_load(&word) >> 7);
}

static void *work(void *arg)
{
	if (is("events"))
		count_under_lock(3000000);
	else if (is("memory"))
		fill_memory();
	else if (is("compute"))
		compute();
	else if (is("branches"))
		branch(300);
	else if (is("schedules"))
		branch(6);
	else if (is("solver"))
		multiply();
	else
		count_under_lock(3);
	return arg;
}

int main(int argc, char **argv)
{
	static pthread_t t[3000];
	int n;

	how = argc > 1 ? argv[1] : "schedules";
	n = is("threads") ? 3000 : 4;
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, work, NULL))
			n = i;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	assert(!is("solver") || atomic_load(&word) != 1234567890123456789u);
	return 0;
}
