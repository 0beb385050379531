/*
 * check-name: a step that is executed at once ends in an assumption; others may come before it
 * check-command: heddle explore --switch access -- $exe
 * check-finds: assert wrong
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static int v;

static void *work(void *arg)
{
	heddle_assume((long)arg == 5);
	return NULL;
}

int main(void)
{
	pthread_t t;

	heddle_input(&v, sizeof v, "v");
	pthread_create(&t, NULL, work, (void *)(long)v);
#ifdef CORRECT
	pthread_join(t, NULL);
	assert(v == 5);
#else
	assert(v == 5); /* BUG: wrong */
	pthread_join(t, NULL);
#endif
	return 0;
}
