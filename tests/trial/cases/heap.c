/*
 * check-name: a list on the heap that grows by realloc, and an input that decides how far
 * explore: --max-paths 20
 * test: {"inputs": [{"name": "object:n#1", "bytes": {"value": 5, "size": 1}}], "outcome": {"fate": "exited", "status": 10}}
 * says: same: exited with 10
 * seeds: 4
 */
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdlib.h>

static int *list, used, room;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void push(int v)
{
	pthread_mutex_lock(&m);
	if (used == room) {
		room = room ? 2 * room : 1;
		list = realloc(list, (size_t)room * sizeof *list);
	}
	list[used++] = v;
	pthread_mutex_unlock(&m);
}

static void *work(void *arg)
{
	for (int i = 0; i < *(char *)arg; i++)
		push(i);
	return NULL;
}

int main(void)
{
	pthread_t t;
	char n = 2;

	heddle_input(&n, 1, "n");
	heddle_assume(n >= 0 && n < 6);
	pthread_create(&t, NULL, work, &n);
	work(&n);
	pthread_join(t, NULL);
	free(list);
	return used;
}
