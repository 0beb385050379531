/*
 * check-name: the two sides of a branch lie 100,000 events apart in a run of 300,000
 * check-command: heddle branches --seconds=90 --show=all -- $exe
 * check-branch: any plan
 * check-exit: 3
 * check-timeout: 150
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 20000, ROWS = 8, THREADS = 3 };

static pthread_mutex_t row_lock[ROWS], plan_lock = PTHREAD_MUTEX_INITIALIZER;
static long row[ROWS];
static int plan;
static long skipped;

static void add_to_row(unsigned k, long n)
{
	pthread_mutex_lock(&row_lock[k]);
	row[k] += n;
	if (row[k] < 0)
		abort();
	pthread_mutex_unlock(&row_lock[k]);
}

static void *work(void *arg)
{
	long id = (long)arg;
	unsigned seed = (unsigned)id * 77 + 1;

	for (int i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245u + 12345u;
		add_to_row(seed >> 16 & (ROWS - 1), i & 3);
		if (id == 1 && i == 500) {
			int p;

			pthread_mutex_lock(&plan_lock);
			p = plan;
			pthread_mutex_unlock(&plan_lock);
			if (p) /* BRANCH: plan */
				skipped++;
		}
		if (id == 2 && i == ROUNDS - 500) {
			pthread_mutex_lock(&plan_lock);
			plan = 1;
			pthread_mutex_unlock(&plan_lock);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < ROWS; i++)
		pthread_mutex_init(&row_lock[i], NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
