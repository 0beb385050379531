/*
 * check-name: a work-stealing deque (Chase and Lev), every task run exactly once
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 32 tasks, each run once
 * check-output-end
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROOM = 64, TASKS = 32, THIEVES = 2, EMPTY = -1, ABORT = -2 };

static atomic_int top, bottom, buffer[ROOM];
static atomic_int run_count[TASKS], done;

static void push(int task)
{
	int b = atomic_load(&bottom);

	atomic_store(&buffer[b % ROOM], task);
	atomic_store(&bottom, b + 1);
}

static int take(void)
{
	int b = atomic_load(&bottom) - 1, task = EMPTY;

	atomic_store(&bottom, b);
	int t = atomic_load(&top);
	if (t <= b) {
		task = atomic_load(&buffer[b % ROOM]);
		if (t == b) {
			if (!atomic_compare_exchange_strong(&top, &t, t + 1))
				task = EMPTY;
			atomic_store(&bottom, b + 1);
		}
	} else {
		atomic_store(&bottom, b + 1);
	}
	return task;
}

static int steal(void)
{
	int t = atomic_load(&top), b = atomic_load(&bottom);

	if (t >= b)
		return EMPTY;
	int task = atomic_load(&buffer[t % ROOM]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : ABORT;
}

static void run(int task)
{
	atomic_fetch_add(&run_count[task], 1);
	atomic_fetch_add(&done, 1);
}

static void *thief(void *arg)
{
	while (atomic_load(&done) < TASKS) {
		int task = steal();
		if (task >= 0)
			run(task);
		else
			sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t t[THIEVES];
	int once = 0;

	for (int i = 0; i < THIEVES; i++)
		pthread_create(&t[i], NULL, thief, NULL);
	for (int i = 0; i < TASKS; i += 4) {
		int task;
		for (int k = 0; k < 4; k++)
			push(i + k);
		for (int k = 0; k < 2 && (task = take()) >= 0; k++)
			run(task);
	}
	for (int task; (task = take()) >= 0;)
		run(task);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < TASKS; i++)
		once += run_count[i] == 1;
	printf("%d tasks, each run once\n", once);
	return 0;
}
