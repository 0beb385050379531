/* Every kind of data and of synchronization that `heddle trace` has words for. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 3, ROUNDS = 20 };

struct account {
	pthread_mutex_t lock;
	long balance;
	struct { short day, count; } entry[4];
};

static struct account accounts[2];
static struct account *first = &accounts[0];
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rates = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t start;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t tickets;
static bool ready;
static double rate;
static int unguarded;
static long *notes[WORKERS]; /* others could see them, and do not */

static void setup(void)
{
	pthread_rwlock_wrlock(&rates);
	rate = 1.5;
	pthread_rwlock_unlock(&rates);
}

static void deposit(struct account *a, int i, long amount)
{
	pthread_mutex_lock(&a->lock);
	a->balance += amount;
	a->entry[i % 4].count++;
	pthread_mutex_unlock(&a->lock);
}

static void *work(void *arg)
{
	int *id = arg;

	pthread_once(&once, setup);
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_barrier_wait(&start);
	for (int i = 0; i < ROUNDS; i++) {
		long *note = malloc(sizeof *note);

		notes[*id / 10] = note;
		*note = *id + i;
		deposit(first + i % 2, i, *note);
		free(note);
		unguarded++;
	}
	sem_post(&tickets);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int ids[WORKERS];

	pthread_barrier_init(&start, NULL, WORKERS);
	sem_init(&tickets, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&accounts[i].lock, NULL);
	for (int i = 0; i < WORKERS; i++) {
		ids[i] = 10 * i;
		pthread_create(&threads[i], NULL, work, &ids[i]);
	}
	pthread_mutex_lock(&mutex);
	ready = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < WORKERS; i++)
		sem_wait(&tickets);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return rate != 1.5;
}
