/*
 * check-name: every read-modify-write operation on every size, by three threads
 * check-seeds: 50
 * check-switch: both
 * check-output:
 * add 48 48 48 48, sub -48 -48 -48 -48
 * or 77, xor 0, and 8, max 47, min 0
 * old values of fetch_add are all different: yes
 * exchange passes every token on: yes
 * pointer moved by 48, bool is 1, double counted 9
 * check-output-end
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, EACH = 16, ALL = THREADS * EACH };

static _Atomic int8_t a8, s8;
static _Atomic int16_t a16, s16;
static _Atomic int32_t a32, s32;
static int64_t a64, s64; /* by the GNU builtins, which want plain objects */
static atomic_uint or_bits, xor_bits, and_bits = 0xf;
static atomic_int biggest, smallest = 1000, token = -1, ticket;
static int array[ALL + 1];
static int *_Atomic pointer = array;
static atomic_bool flag;
static _Atomic double real;
static int tickets[ALL], tokens[ALL];

static void widen(int n)
{
	int now = atomic_load(&biggest);

	while (now < n && !atomic_compare_exchange_weak(&biggest, &now, n))
		;
	now = atomic_load(&smallest);
	while (now > n && !atomic_compare_exchange_strong(&smallest, &now, n))
		;
}

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < EACH; i++) {
		int n = me * EACH + i;
		a8++;
		a16 += 1;
		atomic_fetch_add(&a32, 1);
		__atomic_add_fetch(&a64, 1, __ATOMIC_RELAXED);
		s8--;
		s16 -= 1;
		atomic_fetch_sub_explicit(&s32, 1, memory_order_relaxed);
		__atomic_fetch_sub(&s64, 1, __ATOMIC_ACQ_REL);
		atomic_fetch_or(&or_bits, 1u << (n % 4) | 64);
		atomic_fetch_xor(&xor_bits, 5);
		atomic_fetch_and(&and_bits, me == 0 ? ~1u : me == 1 ? ~2u : ~4u);
		widen(n);
		tickets[n] = atomic_fetch_add(&ticket, 1);
		tokens[n] = atomic_exchange(&token, n);
		pointer++;
	}
	or_bits &= 0x4d;
	atomic_store(&flag, true);
	for (int i = 0; i < 3; i++)
		real += 1;
	return NULL;
}

static bool all_different(const int *v, int n, int extra)
{
	bool seen[ALL + 1] = {false};

	seen[extra + 1] = true;
	for (int i = 0; i < n; i++) {
		if (seen[v[i] + 1])
			return false;
		seen[v[i] + 1] = true;
	}
	return true;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS];

	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("add %d %d %d %d, ", a8, a16, a32, (int)a64);
	printf("sub %d %d %d %d\n", s8, s16, s32, (int)s64);
	printf("or %u, xor %u, and %u, max %d, min %d\n", or_bits, xor_bits, and_bits, biggest,
		smallest);
	printf("old values of fetch_add are all different: %s\n",
		all_different(tickets, ALL, -1) ? "yes" : "no");
	printf("exchange passes every token on: %s\n",
		all_different(tokens, ALL, token) ? "yes" : "no");
	printf("pointer moved by %d, bool is %d, double counted %.0f\n", (int)(pointer - array),
		flag, real);
	return 0;
}
