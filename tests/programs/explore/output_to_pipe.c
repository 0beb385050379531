/*
 * check-name: two threads write to a standard output that is a pipe of the program
 * check-command: heddle explore -o $tmp/out -- $exe
 * check-finds: assert first
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *put(void *arg)
{
	char c = (char)(long)arg;

	if (write(1, &c, 1) != 1)
		_exit(3);
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	char b[2];
	int p[2];

	if (pipe(p) || dup2(p[1], 1) != 1)
		return 1;
	pthread_create(&t, NULL, put, (void *)(long)'A');
	pthread_create(&u, NULL, put, (void *)(long)'B');
	for (int n = 0; n < 2;) {
		ssize_t r = read(p[0], b + n, (size_t)(2 - n));

		if (r <= 0)
			return 1;
		n += (int)r;
	}
#ifndef CORRECT
	assert(b[0] == 'A'); /* BUG: first */
#endif
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
