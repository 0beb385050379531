/*
 * Synchronization before the first thread: the main thread holds a recursive mutex once, after two
 * locks and one unlock; a semaphore is initialized twice. A copy from shared memory to a structure
 * with a published field (its value is fixed) and a shared one.
 *
 * ctp: ^o\d+ 0x\w+ semaphore 5$
 * ctp: ^e\d+ t0 p\d+ lock o\d+ r\d+ @early.c:45$
 * ctp: ^e\d+ t0 p\d+ update c\d+ r!\d+\(1\) c\d+ r!\d+\(2\) c\d+ := .*\(2\) @early.c:51$
 * ctp: ^e\d+ t0 p\d+ fix .*@early.c:51$
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

struct pair {
	long a, b;
};
static struct pair from = {1, 2}, to;
static pthread_mutex_t lock;
static sem_t sem;

static void *write_from(void *arg)
{
	pthread_mutex_lock(&lock);
	from.a++;
	from.b++;
	pthread_mutex_unlock(&lock);
	sem_wait(&sem);
	return arg;
}

static void *use_to(void *arg)
{
	to.b += to.a;
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t[2];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr), pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
	sem_init(&sem, 0, 1);
	sem_destroy(&sem);
	sem_init(&sem, 0, 5);
	pthread_create(&t[0], NULL, write_from, NULL);
	memcpy(&to, &from, sizeof to);
	pthread_create(&t[1], NULL, use_to, NULL);
	to.b++;
	pthread_mutex_unlock(&lock);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
