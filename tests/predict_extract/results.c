/*
 * What a thread returns flows through its join; what is written before a thread starts is the same
 * for it in every order; what it adds to a counter is not.
 *
 * ctp: assert .*r!\d+.*@results.c:48
 * ctp-not: result!
 * ctp-not: assert .*@results.c:24
 * ctp-not: fix
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

struct job {
	int id, step;
};

static void *work(void *arg)
{
	struct job *j = arg;

	assert(j->step == j->id + 1);
	pthread_mutex_lock(&lock);
	counter += j->step;
	j->id = counter;
	pthread_mutex_unlock(&lock);
	return (void *)(long)j->id;
}

static void *start(pthread_t *t, struct job *j, int id)
{
	j->id = id;
	j->step = id + 1;
	pthread_create(t, NULL, work, j);
	return NULL;
}
#define CHECK(t, at_most) do { void *r; pthread_join(t, &r); assert((long)r <= (at_most)); } while (0)

int main(void)
{
	struct job jobs[2];
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		start(&t[i], &jobs[i], i);
	CHECK(t[0], 3);
	CHECK(t[1], 3);
	assert(counter == 3);
	return 0;
}
