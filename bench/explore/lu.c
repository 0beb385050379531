/*
 * Barriers, of the shape of SPLASH-2's lu with contiguous blocks: blocks of a matrix belong to threads, which take
 * their number under a lock and meet at a barrier after each part of a step. The functions, loops and branches are
 * those of OneSolve(), lu(), lu0(), bdiv(), bmodd(), bmod() and daxpy(); clocks and statistics are left out.
 *
 * context lu-1: slave>solve>lu:{interior}@T1,slave>solve>lu:{interior}@T2,slave>solve>lu:{interior}@T3,main>slave>solve>lu:{interior}@T0
 * branches: 22
 * context lu-2: slave>solve>lu:{diagonal}@T1,slave>solve>lu:{diagonal}@T2,slave>solve>lu:{diagonal}@T3,main>slave>solve>lu:{diagonal}@T0
 * branches: 18
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { P = 4, ROWS = 2, COLUMNS = 2 };

static struct {
	pthread_mutex_t idlock;
	pthread_barrier_t start;
	int id;
} global;

static int n, block_size, nblocks;
static double **a; /* the blocks */

static int block_owner(int i, int j)
{
	return i % ROWS * COLUMNS + j % COLUMNS;
}

static void daxpy(double *to, const double *from, int size, double alpha)
{
	for (int i = 0; i < size; i++)
		to[i] += alpha * from[i];
}

static void lu0(double *x, int size, int stride)
{
	for (int k = 0; k < size; k++)
		for (int j = k + 1; j < size; j++) {
			double alpha = -(x[k + j * stride] /= x[k + k * stride]);

			daxpy(&x[k + 1 + j * stride], &x[k + 1 + k * stride], size - k - 1, alpha);
		}
}

static void bdiv(double *x, const double *diag, int stride_x, int stride_diag, int dimi, int dimk)
{
	for (int k = 0; k < dimk; k++)
		for (int j = k + 1; j < dimk; j++)
			daxpy(&x[j * stride_x], &x[k * stride_x], dimi, -diag[k + j * stride_diag]);
}

static void bmodd(const double *x, double *c, int dimi, int dimj, int stride_x, int stride_c)
{
	for (int k = 0; k < dimi; k++)
		for (int j = 0; j < dimj; j++) {
			double alpha = -(c[k + j * stride_c] /= x[k + k * stride_x]);

			daxpy(&c[k + 1 + j * stride_c], &x[k + 1 + k * stride_x], dimi - k - 1, alpha);
		}
}

static void bmod(const double *x, const double *b, double *c, int dimi, int dimj, int dimk)
{
	for (int k = 0; k < dimk; k++)
		for (int j = 0; j < dimj; j++)
			daxpy(&c[j * dimi], &x[k * dimi], dimi, -b[k + j * dimk]);
}

static void lu(int n_, int bs, int me)
{
	for (int k = 0, K = 0; k < n_; k += bs, K++) {
		int kl = k + bs, strk = bs;

		if (kl > n_) { /* HERE: diagonal */
			kl = n_;
			strk = kl - k;
		}
		if (block_owner(K, K) == me)
			lu0(a[K + K * nblocks], strk, strk);
		pthread_barrier_wait(&global.start);
		for (int i = kl, I = K + 1; i < n_; i += bs, I++)
			if (block_owner(I, K) == me) {
				int stri = i + bs > n_ ? n_ - i : bs;

				bdiv(a[I + K * nblocks], a[K + K * nblocks], stri, strk, stri, strk);
			}
		for (int j = kl, J = K + 1; j < n_; j += bs, J++)
			if (block_owner(K, J) == me) {
				int strj = j + bs > n_ ? n_ - j : bs;

				bmodd(a[K + K * nblocks], a[K + J * nblocks], strk, strj, strk, strk);
			}
		pthread_barrier_wait(&global.start);
		for (int i = kl, I = K + 1; i < n_; i += bs, I++) {
			int stri = i + bs > n_ ? n_ - i : bs; /* HERE: interior */

			for (int j = kl, J = K + 1; j < n_; j += bs, J++) {
				int strj = j + bs > n_ ? n_ - j : bs;

				if (block_owner(I, J) == me)
					bmod(a[I + K * nblocks], a[K + J * nblocks], a[I + J * nblocks], stri,
						strj, strk);
			}
		}
	}
}

static void solve(int me)
{
	pthread_barrier_wait(&global.start);
	lu(n, block_size, me);
	pthread_barrier_wait(&global.start);
}

static void *slave(void *arg)
{
	int me;

	pthread_mutex_lock(&global.idlock);
	me = global.id;
	global.id++;
	pthread_mutex_unlock(&global.idlock);
	solve(me);
	return arg;
}

int main(void)
{
	pthread_t t[P];

	n = 16;
	block_size = 2;
	nblocks = n / block_size;
	a = malloc((size_t)(nblocks * nblocks) * sizeof *a);
	for (int i = 0; i < nblocks * nblocks; i++) {
		a[i] = malloc((size_t)(block_size * block_size) * sizeof **a);
		for (int j = 0; j < block_size * block_size; j++)
			a[i][j] = i % (nblocks + 1) ? 1 : 10 + j;
	}
	global.id = 0;
	pthread_mutex_init(&global.idlock, NULL);
	pthread_barrier_init(&global.start, NULL, P);
	for (int i = 1; i < P; i++)
		pthread_create(&t[i], NULL, slave, NULL);
	slave(NULL);
	for (int i = 1; i < P; i++)
		pthread_join(t[i], NULL);
	printf("%g\n", a[0][0]);
	return 0;
}
