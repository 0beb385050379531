/* work THREADS ROUNDS [FATE]: threads that add under a lock. ROUNDS 0: says its number, works on.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static volatile int busy;

static void add_one(void)
{
	sum++;
}

static void *work(void *arg)
{
	long rounds = (long)arg;

	for (long i = 0; !rounds || i < rounds; i++) {
		pthread_mutex_lock(&lock);
		add_one();
		pthread_mutex_unlock(&lock);
		busy++;
	}
	return NULL;
}

static void end(const char *fate)
{
	if (!strcmp(fate, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(fate, "abort"))
		abort();
	if (!strcmp(fate, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(fate, "_exit"))
		_exit(3);
}

int main(int argc, char **argv)
{
	long n = atol(argv[1]), rounds = atol(argv[2]);
	pthread_t t[16];

	if (!rounds) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
	}
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, (void *)rounds);
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", sum);
	fflush(stdout);
	if (argc > 3)
		end(argv[3]);
	return argc > 3 ? atoi(argv[3]) : 0;
}
