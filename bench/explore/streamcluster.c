/*
 * Streaming clustering with barriers, of the shape of PARSEC's streamcluster: all threads compute what a
 * new centre would gain, each for its points; the first one sums up between two barriers.
 *
 * context streamcluster: gain:{core}@T1,gain:{core}@T2,gain:{core}@T0
 * branches: 11
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, MOST = 24, CENTRES = 3 };

struct point {
	int x, y;
	int centre; /* a point */
	int cost;
};

static struct point *points;
static int npoints, nthreads;
static pthread_barrier_t barrier;
static int lower[THREADS];    /* what each thread's points would gain */
static int open_it, total;

static int distance(const struct point *a, const struct point *b)
{
	int dx = a->x - b->x, dy = a->y - b->y;

	return dx * dx + dy * dy;
}

static void gain(int id, int candidate)
{
	int size = npoints / nthreads, first = id * size;
	int last = id == nthreads - 1 ? npoints : first + size;
	int mine = 0;

	for (int i = first; i < last; i++) {
		int d = distance(&points[i], &points[candidate]); /* HERE: core */

		if (d < points[i].cost)
			mine += points[i].cost - d;
	}
	lower[id] = mine;
	pthread_barrier_wait(&barrier);
	if (id == 0) {
		int sum = -10;

		for (int i = 0; i < nthreads; i++)
			sum += lower[i];
		open_it = sum > 0;
		total += open_it ? sum : 0;
	}
	pthread_barrier_wait(&barrier);
	if (open_it)
		for (int i = first; i < last; i++) {
			int d = distance(&points[i], &points[candidate]);

			if (d < points[i].cost) {
				points[i].cost = d;
				points[i].centre = candidate;
			}
		}
	pthread_barrier_wait(&barrier);
}

static void *cluster(void *arg)
{
	int id = (int)(long)arg;

	for (int k = 0; k < CENTRES; k++)
		gain(id, (5 * k + 2) % npoints);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	npoints = argc > 1 ? atoi(argv[1]) : 12;
	nthreads = THREADS;
	if (npoints < THREADS || npoints > MOST)
		return 1;
	points = calloc((size_t)npoints, sizeof *points);
	for (int i = 0; i < npoints; i++)
		points[i] = (struct point){.x = i * 7 % 11, .y = i * 5 % 13, .cost = 40};
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&t[i], NULL, cluster, (void *)i);
	cluster((void *)0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", total);
	free(points);
	return 0;
}
