/* A producer and workers with a bounded queue, locks and condition variables; failures are logged under a
 * lock (pfscan). */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 16, CAPACITY = 2 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, out = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int queue[CAPACITY], first, n, done;
static int nthreads, files, limit, matches, failures;

static void enqueue(int f)
{
	pthread_mutex_lock(&m);
	while (n == CAPACITY)
		pthread_cond_wait(&room, &m);
	queue[(first + n) % CAPACITY] = f;
	n++;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&m);
}

static int dequeue(int *f)
{
	pthread_mutex_lock(&m);
	while (!n && !done)
		pthread_cond_wait(&more, &m);
	if (!n) {
		pthread_mutex_unlock(&m);
		return 0;
	}
	*f = queue[first];
	first = (first + 1) % CAPACITY;
	n--;
	pthread_cond_signal(&room);
	pthread_mutex_unlock(&m);
	return 1;
}

static void *worker(void *arg)
{
	int f;

	while (dequeue(&f)) {
		pthread_mutex_lock(&out);
		if (f > limit)
			failures++;
		else
			matches++;
		pthread_mutex_unlock(&out);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[MOST];

	if (argc < 4)
		return 1;
	nthreads = atoi(argv[1]);
	files = atoi(argv[2]);
	limit = atoi(argv[3]);
	for (int i = 1; i < nthreads; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int f = 0; f < files; f++)
		enqueue(f);
	pthread_mutex_lock(&m);
	done = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&m);
	for (int i = 1; i < nthreads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
