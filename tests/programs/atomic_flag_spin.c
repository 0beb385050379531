/*
 * check-name: a spin lock of atomic_flag, and once more through the GNU builtins
 * check-seeds: 100
 * check-switch: both
 * check-output:
 * 30 by atomic_flag, 30 by __sync, 30 by __atomic
 * check-output-end
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int word, byte_count, counter[3];
static char byte;

static void *run(void *arg)
{
	for (int i = 0; i < 10; i++) {
		while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
			sched_yield();
		counter[0]++;
		atomic_flag_clear_explicit(&flag, memory_order_release);

		while (__sync_lock_test_and_set(&word, 1))
			sched_yield();
		counter[1]++;
		__sync_lock_release(&word);

		while (__atomic_test_and_set(&byte, __ATOMIC_ACQUIRE))
			sched_yield();
		counter[2]++;
		__atomic_clear(&byte, __ATOMIC_RELEASE);
		__sync_fetch_and_add(&byte_count, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d by atomic_flag, %d by __sync, %d by __atomic\n", counter[0], counter[1],
		byte_count == counter[2] ? counter[2] : -1);
	return 0;
}
