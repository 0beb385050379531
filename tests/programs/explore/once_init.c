/*
 * check-name: initialization by whoever comes first
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert once
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned char c[2], chosen;
static int inits;

static void init(void)
{
	inits++;
	chosen = c[0] ^ c[1];
}

static void *work(void *arg)
{
#ifndef CORRECT
	if (c[0] == c[1])
		init();
	else
#endif
		pthread_once(&once, init);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	if (read(0, c, 2) != 2)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(inits == 1 && chosen == (c[0] ^ c[1])); /* BUG: once */
	return 0;
}
