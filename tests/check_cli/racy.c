/* A counter without a lock, and what became of it. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int counter;

static void *work(void *arg)
{
	if (arg)
		usleep(30000);
	counter++;
	return NULL;
}

int main(void)
{
	char line[64] = "nothing\n";
	pthread_t t[2];

	if (!fgets(line, sizeof line, stdin))
		line[0] = 0;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (line[0] == 'f')
		assert(counter == 2);
	printf("counter %d, %s", counter, line);
	return 0;
}
