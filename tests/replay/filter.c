/* Fails for an input of two lines when both readers get one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[64];
static int readers;

static void *reader(void *arg)
{
	if (strchr(text, '\n') != strrchr(text, '\n')) {
		readers = readers + 1;
		if (readers == 2 && arg)
			abort();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	size_t n = fread(text, 1, sizeof text - 1, stdin);

	text[n] = 0;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, reader, argc > 1 && !strcmp(argv[1], "fail") ? text : NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d readers of %zu bytes\n", readers, n);
	return 0;
}
