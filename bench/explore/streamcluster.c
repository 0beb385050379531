/*
 * Streaming clustering with barriers, of the shape of PARSEC's streamcluster: all threads compute what a new centre
 * would gain, each for its points. The phases, loops and branches are those of pgain() and pFL().
 *
 * context streamcluster: cluster>gain:{core}@T1,cluster>gain:{core}@T2,main>cluster>gain:{core}@T0
 * branches: 11
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 2, LINE = 4 };

struct point {
	float weight, *coord, cost;
	long assign; /* its centre, a point */
};

static struct {
	long num;
	int dim;
	struct point *p;
} points;
static int nproc;
static bool *switch_membership, *is_center;
static int *center_table;
static double *work_mem, gl_cost;
static int gl_close, numcenters;
static pthread_barrier_t barrier;

static float dist(const struct point *a, const struct point *b, int dim)
{
	float sum = 0;

	for (int i = 0; i < dim; i++)
		sum += (a->coord[i] - b->coord[i]) * (a->coord[i] - b->coord[i]);
	return sum;
}

static double gain(long x, double z, int pid)
{
	long bsize, k1, k2;
	int count = 0, to_close = 0, stride = numcenters + 2, K = stride - 2;
	double cost_of_opening = 0, *lower, *gl_lower;

	pthread_barrier_wait(&barrier);
	bsize = points.num / nproc;
	k1 = bsize * pid;
	k2 = k1 + bsize;
	if (pid == nproc - 1) /* HERE: core */
		k2 = points.num;
	stride = LINE * (stride / LINE + 1);
	if (pid == 0) {
		work_mem = malloc((size_t)(stride * (nproc + 1)) * sizeof *work_mem);
		gl_cost = 0;
		gl_close = 0;
	}
	pthread_barrier_wait(&barrier);
	for (long i = k1; i < k2; i++)
		if (is_center[i])
			center_table[i] = count++;
	work_mem[pid * stride] = count;
	pthread_barrier_wait(&barrier);
	if (pid == 0) {
		int accum = 0;

		for (int p = 0; p < nproc; p++) {
			int tmp = (int)work_mem[p * stride];

			work_mem[p * stride] = accum;
			accum += tmp;
		}
	}
	pthread_barrier_wait(&barrier);
	for (long i = k1; i < k2; i++)
		if (is_center[i])
			center_table[i] += (int)work_mem[pid * stride];
	memset(switch_membership + k1, 0, (size_t)(k2 - k1) * sizeof *switch_membership);
	memset(work_mem + pid * stride, 0, (size_t)stride * sizeof *work_mem);
	if (pid == 0)
		memset(work_mem + nproc * stride, 0, (size_t)stride * sizeof *work_mem);
	pthread_barrier_wait(&barrier);
	lower = &work_mem[pid * stride];
	gl_lower = &work_mem[nproc * stride];
	for (long i = k1; i < k2; i++) {
		float x_cost = dist(&points.p[i], &points.p[x], points.dim) * points.p[i].weight;
		float current = points.p[i].cost;

		if (x_cost < current) {
			switch_membership[i] = 1;
			cost_of_opening += x_cost - current;
		} else {
			lower[center_table[points.p[i].assign]] += current - x_cost;
		}
	}
	pthread_barrier_wait(&barrier);
	for (long i = k1; i < k2; i++)
		if (is_center[i]) {
			double low = z;

			for (int p = 0; p < nproc; p++)
				low += work_mem[center_table[i] + p * stride];
			gl_lower[center_table[i]] = low;
			if (low > 0) {
				++to_close;
				cost_of_opening -= low;
			}
		}
	work_mem[pid * stride + K] = to_close;
	work_mem[pid * stride + K + 1] = cost_of_opening;
	pthread_barrier_wait(&barrier);
	if (pid == 0) {
		gl_cost = z;
		for (int p = 0; p < nproc; p++) {
			gl_close += (int)work_mem[p * stride + K];
			gl_cost += work_mem[p * stride + K + 1];
		}
	}
	pthread_barrier_wait(&barrier);
	if (gl_cost < 0) {
		for (long i = k1; i < k2; i++) {
			bool close_center = gl_lower[center_table[points.p[i].assign]] > 0;

			if (switch_membership[i] || close_center) {
				points.p[i].cost = points.p[i].weight * dist(&points.p[i], &points.p[x], points.dim);
				points.p[i].assign = x;
			}
		}
		for (long i = k1; i < k2; i++)
			if (is_center[i] && gl_lower[center_table[i]] > 0)
				is_center[i] = false;
		if (x >= k1 && x < k2)
			is_center[x] = true;
		if (pid == 0)
			numcenters = numcenters + 1 - gl_close;
	} else if (pid == 0) {
		gl_cost = 0;
	}
	pthread_barrier_wait(&barrier);
	if (pid == 0)
		free(work_mem);
	return -gl_cost;
}

static void *cluster(void *arg)
{
	int pid = (int)(long)arg;
	double change = 0;

	for (int i = 0; i < 10; i++)
		change += gain(i % points.num, 1.0, pid);
	return change > 0 ? arg : NULL;
}

int main(void)
{
	enum { THREADS = 3, POINTS = 9 };
	pthread_t t[THREADS];

	nproc = THREADS;
	points.num = POINTS;
	points.dim = DIM;
	points.p = calloc(POINTS, sizeof *points.p);
	switch_membership = calloc(POINTS, sizeof *switch_membership);
	is_center = calloc(POINTS, sizeof *is_center);
	center_table = calloc(POINTS, sizeof *center_table);
	for (int i = 0; i < POINTS; i++) {
		points.p[i].coord = calloc(DIM, sizeof(float));
		points.p[i].coord[0] = (float)(i * 7 % 11);
		points.p[i].weight = 1;
		points.p[i].cost = 9;
	}
	is_center[0] = true;
	numcenters = 1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 1; i < THREADS; i++)
		pthread_create(&t[i], NULL, cluster, (void *)i);
	cluster((void *)0);
	for (int i = 1; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", numcenters);
	return 0;
}
