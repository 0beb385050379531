/* Atomic operations of every kind, one thread: results and final values. */
#include "check.h"

#include <stdatomic.h>
#include <stdint.h>

static _Atomic int i;
static _Atomic unsigned char b;
static _Atomic uint64_t l;
static int *_Atomic p;
static _Atomic float f;
static atomic_flag flag = ATOMIC_FLAG_INIT;
struct pair { int a, b; };
static _Atomic struct pair s;

int main(void)
{
	int x = 3, arr[4], plain = 5;
	struct pair v;

	atomic_init(&i, 1);
	CHECK(atomic_load(&i) == 1 && atomic_load_explicit(&i, memory_order_relaxed) == 1);
	atomic_store_explicit(&i, 2, memory_order_release);
	CHECK(atomic_fetch_add(&i, 5) == 2 && atomic_fetch_sub_explicit(&i, 1, memory_order_acq_rel) == 7);
	CHECK(atomic_fetch_or(&i, 8) == 6 && atomic_fetch_and(&i, ~2) == 14 && atomic_fetch_xor(&i, 1) == 12);
	CHECK(i == 13 && atomic_exchange(&i, 3) == 13);
	CHECK(atomic_compare_exchange_strong(&i, &x, 4) && i == 4);
	CHECK(!atomic_compare_exchange_strong(&i, &x, 5) && x == 4 && i == 4);
	while (!atomic_compare_exchange_weak_explicit(&i, &x, 9, memory_order_acquire, memory_order_relaxed))
		;
	CHECK(i++ == 9 && ++i == 11 && (i -= 4) == 7 && (i *= 3) == 21);
	b = 250;
	b += 10;
	CHECK(b == 4);
	l = (uint64_t)1 << 40;
	CHECK((l |= 1) == ((uint64_t)1 << 40 | 1));
	p = arr;
	atomic_fetch_add(&p, 2);
	CHECK(atomic_fetch_sub(&p, 1) == arr + 2 && p == arr + 1);
	f = 1.5f;
	f += 2;
	CHECK(f == 3.5f);
	CHECK(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
	atomic_flag_clear(&flag);
	s = (struct pair){1, 2};
	v = s;
	CHECK(v.a == 1 && v.b == 2);
	CHECK(__sync_fetch_and_add(&plain, 2) == 5 && __sync_add_and_fetch(&plain, 1) == 8);
	CHECK(__sync_fetch_and_nand(&plain, 12) == 8 && plain == ~8);
	CHECK(__sync_bool_compare_and_swap(&plain, ~8, 1) && __sync_val_compare_and_swap(&plain, 1, 2) == 1);
	CHECK(__sync_lock_test_and_set(&plain, 7) == 2);
	__sync_lock_release(&plain);
	CHECK(plain == 0);
	CHECK(__atomic_fetch_max(&plain, 3, __ATOMIC_SEQ_CST) == 0 && plain == 3);
	CHECK(__atomic_fetch_min(&plain, -3, __ATOMIC_RELAXED) == 3 && plain == -3);
	CHECK(__atomic_max_fetch((unsigned *)&plain, 3u, __ATOMIC_SEQ_CST) == -3u);
	__sync_synchronize();
	atomic_thread_fence(memory_order_acquire);
	atomic_signal_fence(memory_order_seq_cst);
	CHECK(__atomic_test_and_set(&plain, __ATOMIC_ACQUIRE) == 1);
	return 0;
}
