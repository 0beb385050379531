/*
 * check-name: cleanup handlers at pthread_exit when compiled with -fexceptions
 * check-flags: -fexceptions
 * check-seeds: 20
 * check-output:
 * popped
 * at exit
 * joined
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

static void say(void *arg)
{
	printf("%s\n", (const char *)arg);
}

static void *run(void *arg)
{
	pthread_cleanup_push(say, "at exit");
	pthread_cleanup_push(say, "popped");
	pthread_cleanup_pop(1);
	pthread_exit(arg);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	printf("joined\n");
	return 0;
}
