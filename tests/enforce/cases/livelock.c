/*
 * check-name: loops that wait give way at once; who waits for ever is told soon, who counts is not told
 * args: set
 * drive: --step 0:3
 * expect: fate exited 0
 * expect: points \d{1,3}$
 * args: slow
 * drive: --step 0:3
 * expect: fate exited 0
 * expect: points 30\d\d$
 * args: sleeper
 * drive: --step 0:3
 * expect: fate exited 0
 * expect: points \d{1,3}$
 * args: each
 * drive: --step 0:3
 * expect: fate stuck 87
 * expect: text livelock, all threads that can run spin: thread 0 at its scheduling point \d+ \(0x[0-9a-f]+\), thread 1 at its scheduling point \d+ \(0x
 * expect: points \d{1,5}$
 * drive: --mode random --seed 4
 * expect: fate stuck 87
 * expect: points \d{1,4}$
 * drive: --mode pct --seed 4 --depth 3 --length 100
 * expect: fate stuck 87
 * expect: points \d{1,5}$
 * args: update
 * drive: --step 0:3
 * expect: fate stuck 87
 * expect: points \d{1,5}$
 * args: blocked
 * drive: --step 0:3
 * expect: fate stuck 87
 * expect: text livelock, all threads that can run spin: thread 0 at its scheduling point \d+ \(0x[0-9a-f]+\)$
 * expect: points \d{1,4}$
 * args: locked
 * drive: --step 0:3
 * expect: fate stuck 87
 * expect: points \d{1,4}$
 * args: handed
 * drive: --step 0:3
 * expect: fate exited 0
 * args: count
 * drive: --step 0:3
 * expect: fate exited 0
 * expect: points 3\d{5}$
 * drive: --mode random --seed 2
 * expect: fate exited 0
 * args: reads_locked
 * drive: --step 0:3
 * expect: fate exited 0
 * args: counted_tries
 * drive: --step 0:3
 * expect: fate exited 0
 * args: tries
 * drive: --step 0:3
 * expect: fate stuck 87
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int a, b, word;
static volatile int flag, n = 300000, result;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static const char *how;

static int is(const char *s)
{
	return !strcmp(how, s);
}

static void wait_for(atomic_int *p, int value)
{
	while (atomic_load(p) != value)
		continue;
}

static void take(void)
{
	for (int zero = 0; !atomic_compare_exchange_weak(&word, &zero, 1); zero = 0)
		continue;
}

static void *other(void *arg)
{
	int sum = 0;

	if (is("sleeper"))
		usleep(1000);
	if (is("set") || is("sleeper"))
		flag = 1;
	if (is("slow"))
		for (int i = 0; i <= 1500; i++)
			flag = i == 1500 ? 1 : 0 * result;
	if (is("each")) {
		wait_for(&a, 1);
		atomic_store(&b, 1);
	}
	if (is("update"))
		take();
	if (is("handed")) /* each waits for the other, many times */
		for (int i = 0; i < 200; i++) {
			wait_for(&a, i);
			atomic_fetch_add(&b, 1);
		}
	if (is("blocked"))
		pthread_mutex_lock(&held);
	for (int i = 0; is("reads_locked") && i < 60000; i++) { /* changes nothing, and ends */
		pthread_mutex_lock(&lock);
		sum += n;
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; is("counted_tries") && i < 60000 && pthread_mutex_trylock(&held); i++)
		continue;
	while (is("tries") && pthread_mutex_trylock(&held))
		continue;
	for (int i = 0; is("count") && i < n; i++)
		sum += i & 3;
	result = sum;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	how = argc > 1 ? argv[1] : "set";
	pthread_mutex_lock(&held);
	if (is("update"))
		take();
	pthread_create(&t, NULL, other, NULL);
	if (is("set") || is("slow") || is("sleeper"))
		while (!flag)
			continue;
	if (is("each")) {
		wait_for(&b, 1);
		atomic_store(&a, 1);
	}
	if (is("update"))
		take();
	if (is("handed"))
		for (int i = 0; i < 200; i++) {
			wait_for(&b, i + 1);
			atomic_fetch_add(&a, 1);
		}
	while (is("blocked") && !flag)
		sched_yield();
	for (int seen = 0; is("locked") && !seen;) {
		pthread_mutex_lock(&lock);
		seen = flag;
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	return 0;
}
