/*
 * check-name: a poll with a time limit may time out before the other thread writes
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert late
 * check-test: no
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int p[2];

static void *put(void *arg)
{
	if (write(p[1], "x", 1) != 1)
		_exit(3);
	return arg;
}

int main(void)
{
	struct pollfd in = {.events = POLLIN};
	pthread_t t;
	int n;

	if (pipe(p))
		return 1;
	in.fd = p[0];
	pthread_create(&t, NULL, put, NULL);
#ifdef CORRECT
	n = poll(&in, 1, -1);
#else
	n = poll(&in, 1, 5000);
#endif
	assert(n == 1); /* BUG: late */
	pthread_join(t, NULL);
	return 0;
}
