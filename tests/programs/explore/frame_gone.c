/*
 * check-name: a thread writes to a variable of a function that has returned, which other orders do not show
 * check-command: heddle explore --switch access -- $exe
 * check-finds: stack-use-after-return use
 * check-allows: race
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int *_Atomic at;

static __attribute__((noinline)) void lend(void)
{
	int x = 5;

#ifdef CORRECT
	static int kept;

	at = &kept;
#else
	at = &x;
#endif
	__asm__ volatile("" : : "r"(&x) : "memory");
}

static void *use(void *arg)
{
	int *q = at;

	if (q)
		*q = 6; /* BUG: use */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, use, NULL);
	lend();
	lend();
	pthread_join(t, NULL);
	return 0;
}
