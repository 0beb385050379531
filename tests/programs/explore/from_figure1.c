/*
 * check-name: the two threads of a loop and a critical section are never in the same node
 * check-command: heddle explore -- $exe
 * check-run: --from foo:$head@T1,bar:$inside@T2 --switch access => any
 * check-run: --from foo:$head@T1,bar:$inside@T2 --no-invariants --switch access => assert in_foo, assert in_bar, double-unlock *, foreign-unlock *, double-lock *
 * check-order: 1, 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct node {
	pthread_mutex_t lock;
	int data;
} nodes[2];
static unsigned x_end = 1, y_end = 1;

static void foo(struct node *a)
{
	for (unsigned x = 0; x < x_end; x++) {
		pthread_mutex_lock(&a->lock); /* AT: head */
		a->data = 1;
		assert(a->data == 1); /* BUG: in_foo */
		pthread_mutex_unlock(&a->lock);
	}
}

static void bar(struct node *b)
{
	pthread_mutex_lock(&b->lock);
	for (unsigned y = 0; y < y_end; y++) {
		b->data = 2; /* AT: inside */
		assert(b->data == 2); /* BUG: in_bar */
	}
	pthread_mutex_unlock(&b->lock);
}

static void *run_a(void *arg)
{
	foo(&nodes[(long)arg & 1]);
	return NULL;
}

static void *run_b(void *arg)
{
	bar(&nodes[(long)arg & 1]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&nodes[i].lock, NULL);
	pthread_create(&a, NULL, run_a, (void *)(long)argc);
	pthread_create(&b, NULL, run_b, (void *)(long)(argv[0][0]));
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
