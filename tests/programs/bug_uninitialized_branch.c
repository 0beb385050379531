/*
 * check-name: a thread decides by a field that nobody has set
 * check-command: heddle exec -- $exe
 * check-seeds: 50
 * check-exit: 66
 * check-error-contains: uninitialized
 * check-error-contains: in serve
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
	int id;
	int urgent;
};

static void *serve(void *arg)
{
	struct request *r = arg;

	if (r->urgent)
		printf("urgent\n");
	printf("request %d\n", r->id);
	free(r);
	return NULL;
}

int main(void)
{
	struct request *r = malloc(sizeof(*r));
	pthread_t t;

	r->id = 7;
	pthread_create(&t, NULL, serve, r);
	pthread_join(t, NULL);
	return 0;
}
