/* Two threads write to a pipe. With an argument main demands the first one's byte first: only the
 * order of the writes decides, which no variable of the program shows. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *put(void *arg)
{
	if (write(ends[1], arg, 1) != 1)
		abort();
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[] = "AB", got[2];
	pthread_t a, b;

	(void)argv;
	if (pipe(ends))
		return 1;
	pthread_create(&a, NULL, put, &names[0]);
	pthread_create(&b, NULL, put, &names[1]);
	for (int n = 0; n < 2; n++)
		if (read(ends[0], &got[n], 1) != 1)
			return 2;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(got[0] + got[1] == 'A' + 'B');
	if (argc > 1)
		assert(got[0] == 'A');
	return 0;
}
