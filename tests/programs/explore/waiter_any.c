/*
 * check-name: a signal wakes any waiter, not the one that has waited longest
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert order
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int token, first;
static sem_t waits, done;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	sem_post(&waits);
	while (!token)
		pthread_cond_wait(&c, &m);
	token = 0;
	if (!first)
		first = (int)(long)arg;
	sem_post(&done);
	pthread_mutex_unlock(&m);
	return NULL;
}

static void give(void)
{
	pthread_mutex_lock(&m);
	token = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_t t, u;

	sem_init(&waits, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, work, (void *)1);
	sem_wait(&waits); /* the first thread waits before the second begins */
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_create(&u, NULL, work, (void *)2);
	sem_wait(&waits);
	give();
	sem_wait(&done);
	give();
	pthread_join(t, NULL);
	pthread_join(u, NULL);
#ifdef CORRECT
	assert(first == 1 || first == 2);
#else
	assert(first == 1); /* BUG: order */
#endif
	return 0;
}
