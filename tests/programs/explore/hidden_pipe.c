/*
 * check-name: two threads write to a pipe; either may be first
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert first
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int p[2];

static void *put(void *arg)
{
	char c = (char)(long)arg;

	if (write(p[1], &c, 1) != 1)
		_exit(3);
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	char b[2];

	if (pipe(p))
		return 1;
	pthread_create(&t, NULL, put, (void *)(long)'A');
	pthread_create(&u, NULL, put, (void *)(long)'B');
	for (int n = 0; n < 2;) {
		ssize_t r = read(p[0], b + n, (size_t)(2 - n));

		if (r <= 0)
			return 2;
		n += (int)r;
	}
	pthread_join(t, NULL);
	pthread_join(u, NULL);
#ifdef CORRECT
	assert(b[0] != b[1]);
#else
	assert(b[0] == 'A'); /* BUG: first */
#endif
	return 0;
}
