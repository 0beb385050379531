/*
 * check-name: a limit that is checked before the addition
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert limit
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int used;
static unsigned char want[2];

static void *take(void *arg)
{
	int n = want[(long)arg];
#ifdef CORRECT
	int old = atomic_load(&used);

	if (old + n > 10 || !atomic_compare_exchange_strong(&used, &old, old + n))
		return NULL;
#else
	if (atomic_load(&used) + n > 10)
		return NULL;
	atomic_fetch_add(&used, n);
#endif
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, want, 2) != 2)
		return 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, take, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&used) <= 10); /* BUG: limit */
	return 0;
}
