/*
 * Streaming clustering with barriers, of the shape of PARSEC's streamcluster: all threads compute what a
 * new centre would gain, each for its points; the first one sums up between two barriers.
 *
 * context streamcluster: cluster>gain:{core}@T1,cluster>gain:{core}@T2,main>cluster>gain:{core}@T0
 * branches: 5
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, MOST = 24, CENTRES = 3 };

struct point {
	int x, y;
	int centre; /* a point */
	int cost;
};

static struct point points[MOST];
static unsigned npoints, nthreads;
static pthread_barrier_t barrier;
static pthread_mutex_t lock;
static int gained; /* by the points that were looked at */
static int open_it, total;

static int distance(const struct point *a, const struct point *b)
{
	int dx = a->x - b->x, dy = a->y - b->y;

	return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

static void gain(unsigned id, unsigned candidate)
{
	int mine = 0;

	for (unsigned i = id; i < npoints; i += nthreads) {
		int d = distance(&points[i], &points[candidate]); /* HERE: core */

		if (d < points[i].cost)
			mine += points[i].cost - d;
	}
	pthread_mutex_lock(&lock);
	gained += mine;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	if (id == 0) {
		open_it = gained > 10;
		if (open_it)
			total += gained;
		gained = 0;
	}
	pthread_barrier_wait(&barrier);
	if (open_it)
		for (unsigned i = id; i < npoints; i += nthreads) {
			int d = distance(&points[i], &points[candidate]);

			if (d < points[i].cost) {
				points[i].cost = d;
				points[i].centre = (int)candidate;
			}
		}
	pthread_barrier_wait(&barrier);
}

static void *cluster(void *arg)
{
	unsigned id = (unsigned)(unsigned long)arg;

	for (unsigned k = 0; k < CENTRES; k++)
		gain(id, (5 * k + 2) % npoints);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	npoints = 12;
	nthreads = THREADS;
	for (unsigned i = 0; i < npoints; i++)
		points[i] = (struct point){.x = (int)(i * 7 % 11), .y = (int)(i * 5 % 13), .cost = 12};
	pthread_mutex_init(&lock, NULL);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&t[i], NULL, cluster, (void *)i);
	cluster((void *)0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", total);
	return 0;
}
