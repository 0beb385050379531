/*
 * check-name: a mailbox whose readers ask once instead of until it is so
 * check-command: heddle exec --seeds=200 -- $exe
 * check-exit: 66
 * check-error-contains: heddle_assert 'box.letters > 0' failed
 * check-error-contains: in take
 *
 * take() waits with `if` where it needs `while`: after the signal, and before the woken reader has
 * acquired the lock again, another reader may take the letter.
 */
#include "../include/heddle/heddle.h"
#include <pthread.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	int letters, taken;
} box = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void put(void)
{
	pthread_mutex_lock(&box.lock);
	box.letters++;
	pthread_cond_signal(&box.arrived);
	pthread_mutex_unlock(&box.lock);
}

static void take(void)
{
	pthread_mutex_lock(&box.lock);
	if (box.letters == 0)
		pthread_cond_wait(&box.arrived, &box.lock);
	heddle_assert(box.letters > 0);
	box.letters--;
	box.taken++;
	pthread_mutex_unlock(&box.lock);
}

static void *reader(void *arg)
{
	take();
	return arg;
}

int main(void)
{
	pthread_t readers[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		put();
	for (int i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	printf("%d letters taken\n", box.taken);
	return 0;
}
