/*
 * check-name: a table made on first use, whose pointer is shown before the table is filled
 * check-command: heddle exec --seeds=500 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: use of an uninitialized value
 * check-error-contains: in lookup
 *
 * Double-checked locking, wrong even with atomics: the second thread reads the pointer, skips the
 * lock and reads entries that are not initialized yet. Ordinary runs pass. The fix is to store the
 * pointer after the loop.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *_Atomic table;

static int lookup(int i)
{
	int *t = atomic_load(&table);

	if (!t) {
		pthread_mutex_lock(&lock);
		t = atomic_load(&table);
		if (!t) {
			t = malloc(SIZE * sizeof(*t));
			if (!t)
				abort();
			atomic_store(&table, t);
			for (int k = 0; k < SIZE; k++)
				t[k] = k * k + 1;
		}
		pthread_mutex_unlock(&lock);
	}
	if (t[i] == 0)
		printf("entry %d is empty\n", i);
	return t[i];
}

static void *user(void *arg)
{
	*(int *)arg = lookup(SIZE - 1);
	return NULL;
}

int main(void)
{
	pthread_t users[2];
	int result[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&users[i], NULL, user, &result[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(users[i], NULL);
	printf("%d %d\n", result[0], result[1]);
	free(table);
	return 0;
}
