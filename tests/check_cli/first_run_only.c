/* The first run makes a file and can fail in another schedule; a run that finds the file does nothing. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int go;

static void *set(void *arg)
{
	usleep(100000);
	atomic_store(&go, 1);
	return arg;
}

static void *look(void *arg)
{
	if (atomic_load(&go))
		assert(atomic_load(&go) != 1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc < 2 || !access(argv[1], F_OK))
		return 0;
	close(open(argv[1], O_CREAT | O_RDWR, 0644));
	pthread_create(&a, NULL, set, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
