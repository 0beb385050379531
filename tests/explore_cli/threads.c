/* Threads that lock, and write into memory of their own. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;
static unsigned long room[3][8192];

static void *work(void *arg)
{
	int n = *(int *)arg;

	for (unsigned i = 1; i < 3; i++) {
		for (unsigned k = 0; k < 8192; k++)
			room[n][k] = 0x9e3779b97f4a7c15 * (i + k);
		pthread_mutex_lock(&m);
		last = last * 3 + n;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int n[3];

	for (int i = 0; i < 3; i++) {
		n[i] = i;
		pthread_create(&t[i], NULL, work, &n[i]);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return last & 3;
}
