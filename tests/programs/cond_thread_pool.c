/*
 * check-name: a thread pool: tasks on the heap, tasks that add tasks, orderly shutdown
 * check-seeds: 100
 * check-output:
 * 31 tasks run, depth sum 98, queue empty
 * check-output-end
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
	struct task *next;
	int depth;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	struct task *tasks;
	int running;
	bool stop;
	int done, depths;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER,
	.idle = PTHREAD_COND_INITIALIZER};

static void submit(int depth)
{
	struct task *t = malloc(sizeof(*t));

	t->depth = depth;
	pthread_mutex_lock(&pool.lock);
	t->next = pool.tasks;
	pool.tasks = t;
	pthread_cond_signal(&pool.work);
	pthread_mutex_unlock(&pool.lock);
}

static void run(struct task *t)
{
	if (t->depth < 4) {
		submit(t->depth + 1);
		submit(t->depth + 1);
	}
}

static void *worker(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		while (!pool.tasks && !pool.stop)
			pthread_cond_wait(&pool.work, &pool.lock);
		struct task *t = pool.tasks;
		if (!t)
			break;
		pool.tasks = t->next;
		pool.running++;
		pthread_mutex_unlock(&pool.lock);
		run(t);
		pthread_mutex_lock(&pool.lock);
		pool.running--;
		pool.done++;
		pool.depths += t->depth;
		free(t);
		if (!pool.tasks && !pool.running)
			pthread_cond_signal(&pool.idle);
	}
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	submit(0);
	pthread_mutex_lock(&pool.lock);
	while (pool.tasks || pool.running)
		pthread_cond_wait(&pool.idle, &pool.lock);
	pool.stop = true;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d tasks run, depth sum %d, queue %s\n", pool.done, pool.depths,
		pool.tasks ? "not empty" : "empty");
	return 0;
}
