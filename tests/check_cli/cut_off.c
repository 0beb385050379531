/* main() returns; "spins": one of its threads never ends, "once": it ends, given the time. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int stop, n;
static int forever;

static void *spin(void *arg)
{
	usleep(60000);
	while (forever && !stop)
		;
	n++;
	return arg;
}

static void *set(void *arg)
{
	usleep(60000);
	if (n++ > 3)
		stop = 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	forever = argc > 1 && !strcmp(argv[1], "spins");
	pthread_create(&t, NULL, spin, NULL);
	pthread_create(&t, NULL, set, NULL);
	return 0;
}
