/*
 * check-name: an assertion that another thread breaks, behind an input
 * explore: --switch access
 * seeds: 10 --access
 */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static int ready, data;

static void *reader(void *arg)
{
	if (ready)
		assert(data != 0);
	return arg;
}

int main(void)
{
	pthread_t t;
	char early = 0;

	heddle_input(&early, 1, "early");
	pthread_create(&t, 0, reader, 0);
	if (early == 'e') {
		ready = 1;
		data = 1;
	} else {
		data = 1;
		ready = 1;
	}
	pthread_join(t, 0);
	return early == 'e';
}
