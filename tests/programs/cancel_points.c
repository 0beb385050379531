/*
 * check-name: deferred cancellation at sem_wait, join, testcancel and sleep; none while disabled
 * check-seeds: 100
 * check-output:
 * sem_wait: cancelled after 1 step
 * join: cancelled after 1 step
 * testcancel: cancelled after 1 step
 * nanosleep: cancelled after 1 step
 * never reaches one: returned after 2 steps
 * check-output-end
 *
 * ThreadSanitizer cannot run this: it does not expect cancellation inside join.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t never, disabled, cancelled;
static pthread_t sleeper;

struct run {
	const char *name;
	void (*point)(void);
	int steps;
};

static void at_sem(void)
{
	sem_wait(&never);
}

static void at_join(void)
{
	pthread_join(sleeper, NULL);
}

static void at_testcancel(void)
{
	pthread_testcancel();
}

static void at_sleep(void)
{
	nanosleep(&(struct timespec){1000, 0}, NULL);
}

static void nowhere(void)
{
}

static void *sleep_for_ever(void *arg)
{
	sem_wait(&never);
	return arg;
}

static void *run(void *arg)
{
	struct run *r = arg;
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&disabled);
	sem_wait(&cancelled); /* cancelled while it cannot be */
	pthread_testcancel();
	r->steps++;
	pthread_setcancelstate(old, NULL);
	r->point();
	r->steps++;
	return NULL;
}

int main(void)
{
	struct run runs[] = {{"sem_wait", at_sem, 0}, {"join", at_join, 0},
		{"testcancel", at_testcancel, 0}, {"nanosleep", at_sleep, 0},
		{"never reaches one", nowhere, 0}};
	pthread_t t;
	void *result;

	sem_init(&never, 0, 0);
	sem_init(&disabled, 0, 0);
	sem_init(&cancelled, 0, 0);
	pthread_create(&sleeper, NULL, sleep_for_ever, NULL);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		pthread_create(&t, NULL, run, &runs[i]);
		sem_wait(&disabled);
		pthread_cancel(t);
		sem_post(&cancelled);
		pthread_join(t, &result);
		printf("%s: %s after %d step%s\n", runs[i].name,
			result == PTHREAD_CANCELED ? "cancelled" : "returned", runs[i].steps,
			runs[i].steps == 1 ? "" : "s");
	}
	sem_post(&never);
	pthread_join(sleeper, NULL);
	return 0;
}
