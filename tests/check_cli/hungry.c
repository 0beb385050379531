/* Uses the megabytes of its argument, and does not end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *use(void *arg)
{
	for (long i = 0; i < *(long *)arg; i++) {
		memset(malloc(1 << 20), 1, 1 << 20);
		usleep(2000);
	}
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	long megabytes = argc > 1 ? atol(argv[1]) : 1;
	pthread_t t;

	pthread_create(&t, NULL, use, &megabytes);
	pthread_join(t, NULL);
	return 0;
}
