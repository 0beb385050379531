/*
 * check-name: a block of memory is copied while another thread reads it
 * check-command: heddle explore --switch access -- $exe
 * check-finds: race copy
 * check-allows: race
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char to[128], from[128];
static int seen;

static void *copies(void *arg)
{
#ifdef CORRECT
	pthread_mutex_lock(&m);
#endif
	memcpy(to, from, 100); /* BUG: copy */
#ifdef CORRECT
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

static void *reads(void *arg)
{
	pthread_mutex_lock(&m);
	seen = to[99]; /* BUG: copy */
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	memset(from, 'x', 100);
	pthread_create(&t, NULL, copies, NULL);
	pthread_create(&u, NULL, reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
