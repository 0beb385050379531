/*
 * check-name: locks and others that are used wrongly
 * args: unlock
 * drive:
 * expect: misuse 1 0
 * expect: text double unlock
 * expect: fate misuse
 * args: others
 * drive:
 * expect: misuse 2 1
 * expect: text unlock by another thread
 * args: destroy
 * drive:
 * expect: misuse 4 1
 * expect: text destroyed while in use
 * args: waited
 * drive: --step 0:1 --step 1:2
 * expect: misuse 5 0
 * args: after
 * drive:
 * expect: misuse 6 0
 * args: cond
 * drive:
 * expect: misuse 6 0
 * args: well
 * drive:
 * expect: misuse 0
 * expect: fate exited 0
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *unlock(void *arg)
{
	pthread_mutex_unlock(&m);
	return arg;
}

static void *destroy(void *arg)
{
	pthread_mutex_destroy(&m);
	return arg;
}

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void in_thread(void *(*f)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	if (f == wait)
		pthread_cond_destroy(&c);
	pthread_cond_broadcast(&c);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "waited")) {
		in_thread(wait);
		return 0;
	}
	if (strcmp(argv[1], "unlock"))
		pthread_mutex_lock(&m);
	if (!strcmp(argv[1], "others"))
		in_thread(unlock);
	else if (!strcmp(argv[1], "destroy"))
		in_thread(destroy);
	else
		pthread_mutex_unlock(&m);
	if (!strcmp(argv[1], "after")) {
		pthread_mutex_destroy(&m);
		pthread_mutex_lock(&m);
	}
	if (!strcmp(argv[1], "cond")) {
		pthread_cond_destroy(&c);
		pthread_cond_signal(&c);
	}
	return 0;
}
