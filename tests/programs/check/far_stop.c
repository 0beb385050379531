/*
 * check-name: a test and the write that makes it fail lie 60,000 events apart
 * check-command: heddle check --seconds=60 -- $exe
 * check-exit: 66
 * check-finds: assert early
 * check-force: SIGABRT
 * check-timeout: 150
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 12000, SLOTS = 5 };

static pthread_mutex_t slot_lock[SLOTS], state_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned slot[SLOTS];
static int stopped;

static void add_to_slot(unsigned i)
{
	unsigned k = i % SLOTS;

	pthread_mutex_lock(&slot_lock[k]);
	slot[k] ^= i;
	pthread_mutex_unlock(&slot_lock[k]);
}

static int is_stopped(void)
{
	int is;

	pthread_mutex_lock(&state_lock);
	is = stopped;
	pthread_mutex_unlock(&state_lock);
	return is;
}

static void *work(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		add_to_slot(i * 7);
#ifdef FORCE
		while (i == 100 && !is_stopped())
			;
#endif
		if (i == 100 && is_stopped()) /* BUG: early */
			abort();
	}
	return arg;
}

static void *control(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		add_to_slot(i * 3);
	pthread_mutex_lock(&state_lock);
	stopped = 1;
	pthread_mutex_unlock(&state_lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < SLOTS; i++)
		pthread_mutex_init(&slot_lock[i], NULL);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, control, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
