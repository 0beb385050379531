/*
 * The shape of the paper's RayTracer: two threads, 1,352 accesses to shared memory and as many branches
 * on what was read, none of which another schedule changes.
 */
#include <pthread.h>
#include <stdio.h>

enum { PIXELS = 338 };

static int image[PIXELS];
static int dark[2], bright[2];

static void *trace_rays(void *arg)
{
	int me = (int)(long)arg;

	for (int i = 0; i < PIXELS; i++) {
		int v = image[i];

		if (v < 0)
			dark[me]++;
		if (v > 1000)
			bright[me]++;
		image[i] = (v + 3) & 255;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, trace_rays, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", dark[0] + dark[1], bright[0] + bright[1]);
	return 0;
}
