/*
 * check-name: pthread_once from many threads, also one that uses another
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * table made 1 time, log made 1 time, sum 6 * 285
 * check-output-end
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6 };

static pthread_once_t table_once = PTHREAD_ONCE_INIT, log_once = PTHREAD_ONCE_INIT;
static int table[10], tables, logs;

static void make_log(void)
{
	logs++;
}

static void make_table(void)
{
	pthread_once(&log_once, make_log);
	for (int i = 0; i < 10; i++)
		table[i] = i * i;
	tables++;
}

static void *use(void *arg)
{
	int *sum = arg;

	if (*sum % 2)
		pthread_once(&log_once, make_log);
	*sum = 0;
	pthread_once(&table_once, make_table);
	for (int i = 0; i < 10; i++)
		*sum += table[i];
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int sum[THREADS], right = 0;

	for (int i = 0; i < THREADS; i++) {
		sum[i] = i;
		pthread_create(&t[i], NULL, use, &sum[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		right += sum[i] == 285;
	}
	printf("table made %d time, log made %d time, sum %d * 285\n", tables, logs, right);
	return 0;
}
