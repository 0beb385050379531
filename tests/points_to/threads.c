/* thread arguments and results */
#include "expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

struct job {
	int *in;
	int *out;
} jobs[2];
int x, y, z;
pthread_key_t key;

static void *worker(void *arg)
{
	struct job *j = arg;

	expect(j, "jobs jobs+16");
	expect(j->in, "x");
	j->out = &y;
	pthread_setspecific(key, malloc(4));
	return j->out;
}

static void *other(void *arg)
{
	expect(arg, "z");
	pthread_exit(&z);
}

static void destroy(void *p)
{
	expect(p, "heap:22");
	free(p);
}

static void once(void)
{
	pthread_key_create(&key, destroy);
}

static int c11(void *arg)
{
	expect(arg, "main.local");
	return 0;
}

int main(void)
{
	pthread_once_t control = PTHREAD_ONCE_INIT;
	pthread_t t[3];
	thrd_t c;
	void *r;
	int local;

	pthread_once(&control, once);
	jobs[0].in = &x;
	jobs[1].in = &x;
	pthread_create(&t[0], NULL, worker, &jobs[0]);
	pthread_create(&t[1], NULL, worker, &jobs[1]);
	pthread_create(&t[2], NULL, other, &z);
	thrd_create(&c, c11, &local);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &r);
		expect(r, "y z");
	}
	thrd_join(c, NULL);
	expect(jobs[0].in, "x");
	expect(jobs[0].out, "y");
	return 0;
}
