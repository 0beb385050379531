/*
 * check-name: the thread that comes second frees its instance and uses it
 * check-command: heddle check --deep -- $exe
 * check-finds: use-after-free late
 * check-allows: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct instance {
	int value;
};

static _Atomic(struct instance *) only;

static struct instance *get(void)
{
	struct instance *p = atomic_load(&only), *other = NULL;

	if (p)
		return p;
	p = malloc(sizeof *p);
	p->value = 1;
	if (atomic_compare_exchange_strong(&only, &other, p))
		return p;
	free(p);
	return p;
}

static void *user(void *arg)
{
	assert(get()->value == 1); /* BUG: late */
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, user, NULL);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(only);
	return 0;
}
