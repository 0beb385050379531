/*
 * Loops that wait, and loops that do not. Each function has one loop that is asked about, the first one
 * that is met in it; its name begins with what the loop is: read_, update_, try_, cond_, none_; and with
 * maybe_ before it where it only looks like that.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int flag, flags[4], other;
static atomic_int aflag, serving, owner, count, generation;
static atomic_flag tas = ATOMIC_FLAG_INIT;
static int plain_lock, odd_lock, part_lock, other_name_lock;
extern int exported_lock __attribute__((alias("other_name_lock")));
static struct timespec rest_for_all;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int items, waiting, log_[64], *volatile head;
struct node {
	struct node *next;
	int value;
};
static _Atomic(struct node *) top_;

void touch_odd(int *p);

/* ---- loops that wait ---- */

void read_flag(void)
{
	while (!flag)
		;
}

void read_atomic_yield(void)
{
	while (atomic_load(&aflag) == 0)
		sched_yield();
}

void read_do_while(void)
{
	do
		usleep(10);
	while (!flag);
}

void read_both(void)
{
	while (!flag || other != 3)
		sched_yield();
}

void read_ticket(int mine)
{
	while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
		__builtin_ia32_pause();
}

void read_pointer(volatile int *p)
{
	while (!*p)
		;
}

int read_value_kept(void)
{
	int v;

	while ((v = flag) == 0)
		sched_yield();
	return v;
}

void read_nanosleep(void)
{
	while (!flag) {
		struct timespec ts = {0, 1000};

		nanosleep(&ts, NULL);
	}
}

void read_nanosleep_with_the_rest(void)
{
	while (!flag) {
		struct timespec ts = {0, 1000}, rest;

		nanosleep(&ts, &rest);
	}
}

void read_with_delay(void)
{
	while (!flag)
		for (int i = 0; i < 100; i++)
			__builtin_ia32_pause();
}

void read_all_of_them(void)
{
	for (;;) {
		bool all = true;

		for (int i = 0; i < 4; i++)
			if (!flags[i])
				all = false;
		if (all)
			break;
	}
}

static int is_set(void)
{
	return flag == 7;
}

void read_by_a_function(void)
{
	while (!is_set())
		sched_yield();
}

void read_list_head(void)
{
	while (head == NULL)
		sched_yield();
	*head = 1;
}

void read_goto(void)
{
again:
	if (!flag) {
		sched_yield();
		goto again;
	}
}

void read_switch(void)
{
	for (;;) {
		switch (flag) {
		case 0: continue;
		case 1: sched_yield(); continue;
		default: return;
		}
	}
}

void maybe_read_under_a_lock(void)
{
	for (;;) {
		pthread_mutex_lock(&m);
		int n = items;
		pthread_mutex_unlock(&m);
		if (n)
			break;
		usleep(100);
	}
}

void update_test_and_set(void)
{
	while (atomic_flag_test_and_set(&tas))
		sched_yield();
}

void update_exchange(void)
{
	while (__sync_lock_test_and_set(&plain_lock, 1))
		;
}

void unlock_it(void)
{
	__sync_lock_release(&plain_lock);
	atomic_flag_clear(&tas);
}

void maybe_update_exchange_by_pointer(int *lock)
{
	while (__sync_lock_test_and_set(lock, 1))
		;
}

void maybe_update_exchange_with_other_values(void)
{
	while (__sync_lock_test_and_set(&odd_lock, 1))
		;
	odd_lock = 2;
}

void maybe_update_exchange_with_a_write_to_a_part(void)
{
	while (__sync_lock_test_and_set(&part_lock, 1))
		;
	((volatile char *)&part_lock)[1] = 1;
}

void maybe_update_exchange_with_an_alias(void)
{
	while (__sync_lock_test_and_set(&other_name_lock, 1))
		;
}

void update_compare_and_swap(int me)
{
	int nobody = 0;

	while (!atomic_compare_exchange_strong(&owner, &nobody, me)) {
		nobody = 0;
		sched_yield();
	}
}

void update_compare_and_swap_weak(int me)
{
	int nobody;

	do
		nobody = 0;
	while (!atomic_compare_exchange_weak(&owner, &nobody, me));
}

void update_test_test_and_set(int *lock)
{
	for (;;) {
		if (!*(volatile int *)lock && !__sync_val_compare_and_swap(lock, 0, 1))
			return;
	}
}

void update_bit(unsigned *lock)
{
	while (__atomic_fetch_or(lock, 4, __ATOMIC_SEQ_CST) & 4)
		;
}

void update_adds_nothing(void)
{
	while (atomic_fetch_add(&aflag, 0) == 0)
		;
}

static bool got_it(void)
{
	int nobody = 0;

	return atomic_compare_exchange_strong(&owner, &nobody, 1);
}

void update_by_a_function(void)
{
	while (!got_it())
		sched_yield();
}

/* a round that fails wrote nothing, and reads anew */
void update_increment(void)
{
	int old;

	do
		old = atomic_load(&count);
	while (!atomic_compare_exchange_strong(&count, &old, old + 1));
}

void try_mutex(void)
{
	while (pthread_mutex_trylock(&m))
		sched_yield();
}

void try_mutex_busy(void)
{
	while (pthread_mutex_trylock(&m) == EBUSY)
		;
}

void try_semaphore(void)
{
	while (sem_trywait(&sem) != 0)
		usleep(1);
}

void cond_wait(void)
{
	pthread_mutex_lock(&m);
	while (!items)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}

void cond_timed(const struct timespec *until)
{
	while (!items)
		pthread_cond_timedwait(&c, &m, until);
}

/* ---- loops that do not ---- */

int none_counted_retries(void)
{
	for (int i = 0; i < 10; i++) {
		if (flag)
			return 1;
		sched_yield();
	}
	return 0;
}

int none_counts_rounds(void)
{
	int n = 0;

	while (!flag)
		n++;
	return n;
}

void none_stores(void)
{
	while (!flag)
		other = 1;
}

void none_counts_in_memory(void)
{
	while (!flag)
		waiting++;
}

void none_prints(void)
{
	while (!flag)
		puts("waiting");
}

void none_walks(struct node *n)
{
	while (n->value != 3)
		n = n->next;
}

void none_fills(int n)
{
	for (int i = 0; i < n; i++)
		log_[i] = i;
}

void none_sums(void)
{
	for (int i = 0; i < 4; i++)
		if (flags[i] < 0)
			abort();
}

void none_drains(void)
{
	while (atomic_fetch_sub(&count, 1) > 0)
		;
}

void none_pushes(struct node *n)
{
	struct node *old = atomic_load(&top_);

	do
		n->next = old;
	while (!atomic_compare_exchange_weak(&top_, &old, n));
}

/* the value that failed is what the next round begins with */
void none_increment_with_what_it_found(void)
{
	int old = atomic_load(&count);

	while (!atomic_compare_exchange_strong(&count, &old, old + 1))
		;
}

void none_takes_again_and_again(void)
{
	while (pthread_mutex_trylock(&m) == 0)
		;
}

void none_swaps_until_seen(int me)
{
	while (atomic_exchange(&owner, me) != 5)
		;
}

/* it goes on when it got it */
void none_goes_on_with_success(void)
{
	int zero = 0;

	while (atomic_compare_exchange_strong(&owner, &zero, 1))
		zero = 0;
}

int none_remembers(void)
{
	int last = 0;

	while (!flag)
		if (other)
			last = other;
	return last;
}

/* the count decides only how long the thread sleeps */
void read_backs_off(void)
{
	unsigned pause = 1;

	while (!flag) {
		usleep(pause);
		pause *= 2;
	}
}

/* the rest of the time is a store to memory that others can read */
void none_sleeps_with_the_rest_for_all(void)
{
	struct timespec ts = {0, 1000};

	while (!flag)
		nanosleep(&ts, &rest_for_all);
}

long none_sleeps_and_uses_the_rest(void)
{
	struct timespec ts = {0, 1000}, rest = {0, 0};

	while (!flag)
		nanosleep(&ts, &rest);
	return rest.tv_nsec;
}

void none_sleeps_in_an_inner_loop_with_the_rest_for_all(void)
{
	struct timespec ts = {0, 1000};

	while (!flag)
		for (int i = 0; i < 4; i++)
			nanosleep(&ts, &rest_for_all);
}

/* functions of the program with names of the library */
void thrd_yield(void)
{
	waiting++;
}

int mtx_trylock(int *lock)
{
	waiting++;
	return *lock;
}

void none_own_yield(void)
{
	while (!flag)
		thrd_yield();
}

void none_own_trylock(void)
{
	while (mtx_trylock(&items))
		;
}

void none_never_ends(void)
{
	for (;;)
		sched_yield();
}

static void note(int *p)
{
	*p = 1;
}

void none_stores_in_a_function(void)
{
	int waited = 0;

	while (!flag)
		note(&waited);
	other = waited;
}

void none_leaves_it_locked(void)
{
	for (;;) {
		pthread_mutex_lock(&m);
		if (items)
			break;
		sched_yield();
	}
}

void none_reads_first_time_otherwise(void)
{
	bool first = true;

	while (!flag) {
		if (first && other)
			break;
		first = false;
	}
}

void uses(void)
{
	touch_odd(&odd_lock);
	atomic_store(&generation, 1);
}
