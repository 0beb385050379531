/*
 * Copies of structures: one event with several cells; between shared memory, one that reads and
 * writes. A compare-and-swap that fails is an update that could have been another.
 *
 * ctp: read c\d+ r!\d+\(1\) c\d+ r!\d+\(2\) @copies.c:33
 * ctp: update c\d+ r!\d+\(\d+\) .*c\d+ := .*@copies.c:34
 * ctp: update atomic c\d+ r!\d+\(\d+\) := .*ite.*@copies.c:36
 * ctp: lock tried o\d
 * ctp: unlock o\d
 * ctp: sem_wait o\d
 * ctp: sem_trywait failed o\d
 * ctp: barrier leave o\d round 1
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

struct pair {
	int a;
	long b;
};
static struct pair from = {1, 2}, to;
static int word = 5;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;

static void *copy(void *arg)
{
	struct pair mine;
	int five = 4;

	memcpy(&mine, &from, sizeof mine);
	memcpy(&to, &from, sizeof to);
	pthread_mutex_lock(&lock);
	__atomic_compare_exchange_n(&word, &five, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	from.a = mine.a;
	from.b = mine.b;
	to.a++;
	to.b++;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int tried;

	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, copy, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	tried = pthread_mutex_trylock(&lock);
	if (!tried)
		pthread_mutex_unlock(&lock);
	sem_wait(&sem);
	return sem_trywait(&sem) != -1;
}
