/*
 * check-name: made when first needed; meanwhile another one was installed, and it is replaced
 * check-command: heddle branches -- $exe
 * check-branch: bug there
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdatomic.h>

static int standard[4], special[4];
static int *_Atomic instance;

static void *user(void *arg)
{
	if (atomic_load(&instance) == NULL) /* BRANCH: there */
		atomic_store(&instance, standard);
	return arg;
}

static void *installer(void *arg)
{
	atomic_store(&instance, special);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, user, NULL);
	natural(1);
	pthread_create(&t2, NULL, installer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
