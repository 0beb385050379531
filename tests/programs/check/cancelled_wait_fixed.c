/*
 * check-name: a thread cancelled while it waits has the mutex in its handlers
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-finds: nothing
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, done;

static void give_back(void *m)
{
	done = 1;
	pthread_mutex_unlock(m);
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(give_back, &lock);
	waiting = 1;
	while (waiting)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen = 0;

	pthread_create(&t, NULL, waiter, NULL);
	while (!seen) {
		pthread_mutex_lock(&lock);
		seen = waiting;
		pthread_mutex_unlock(&lock);
	}
	pthread_cancel(t);
	pthread_join(t, NULL);
	pthread_mutex_lock(&lock);
	seen = done;
	pthread_mutex_unlock(&lock);
	return !seen;
}
