/* An unlocked counter, and an input. */
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static int counter;

static void *add(void *n)
{
	counter += *(unsigned char *)n;
	return NULL;
}

int main(void)
{
	unsigned char n;
	pthread_t t[2];

	heddle_input(&n, sizeof n, "n");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, &n);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counter == 2 * n);
	return 0;
}
