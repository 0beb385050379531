/* Fails as it is recorded: "assert", "segv", "exit", "loop", or "echo" what it reads. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int counter;
static int *volatile nowhere;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *how = "";

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	counter++;
	pthread_mutex_unlock(&m);
	if (!strcmp(how, "assert"))
		assert(counter == 17);
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	return arg;
}

int main(int argc, char **argv)
{
	char line[64];
	pthread_t t;

	how = argc > 1 ? argv[1] : "";
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&m);
	counter++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	while (!strcmp(how, "loop"))
		usleep(1000);
	if (!strcmp(how, "echo") && fgets(line, sizeof line, stdin))
		printf("read %s", line);
	return !strcmp(how, "exit") ? 5 : 0;
}
