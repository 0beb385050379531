/*
 * check-name: cleanup handlers: pop with and without running, order at pthread_exit, exit inside
 * check-seeds: 20
 * check-output:
 * popped and run
 * innermost
 * which has a handler of its own
 * middle
 * outermost
 * joined 77
 * check-output-end
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void say(void *arg)
{
	printf("%s\n", (const char *)arg);
}

static void say_nested(void *arg)
{
	say(arg);
	pthread_cleanup_push(say, "which has a handler of its own");
	pthread_cleanup_pop(1);
}

static void leave_now(void)
{
	pthread_cleanup_push(say_nested, "innermost");
	pthread_exit((void *)77);
	pthread_cleanup_pop(0);
}

static __attribute__((noinline)) void leave(void)
{
	leave_now();
	printf("not here\n");
}

static void *run(void *arg)
{
	pthread_cleanup_push(say, "outermost");
	pthread_cleanup_push(say, "not run");
	pthread_cleanup_pop(0);
	pthread_cleanup_push(say, "popped and run");
	pthread_cleanup_pop(1);
	pthread_cleanup_push(say, "middle");
	leave();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *result;

	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, &result);
	printf("joined %d\n", (int)(intptr_t)result);
	return 0;
}
