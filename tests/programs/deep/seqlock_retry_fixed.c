/*
 * check-name: a reader that tries again compares with what the round before has read
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint version;
static atomic_int left, right;

static void *change(void *arg)
{
	version++;
	left = 1;
	right = 1;
	version++;
	return arg;
}

static void *look(void *arg)
{
	unsigned before;
	int l, r;

	do {
		before = version;
		l = left;
		r = right;
	} while ((before & 1) || version != before);
	assert(l == r);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, change, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
