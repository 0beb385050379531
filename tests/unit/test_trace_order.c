/* The observed order of synchronization, from histories written by hand and by a simulator. */
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/order.h"

#include "sync_sim.h"
#include "trace/clocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

static void build(struct sync_order *o, struct history *h)
{
	sync_order_build(o, h);
}

/* Every thread in its own order, every object in the order of its numbers. */
static void assert_consistent(const struct sync_order *o)
{
	const struct history *h = o->h;
	struct map last = {0};

	vec_each (&h->threads, t)
		for (uint32_t i = 1; i < h->threads.at[t].events.n; i++)
			assert_true(sync_order_last(o, t, i - 1) < sync_order_first(o, t, i));
	for (uint32_t r = 0; r < o->n; r++) {
		const struct order_point *p = &o->at[r];
		const struct sync_event *e = &h->threads.at[p->thread].events.at[p->event];
		bool mutex = p->part && (e->kind == LOG_S_COND_WAIT || e->kind == LOG_S_COND_WOKEN);
		uint64_t *v;

		if (!e->object || e->kind >= LOG_S_FORK)
			continue;
		v = map_put(&last, mutex ? e->value : e->object);
		assert_true((p->part ? e->seq2 : e->seq) > *v);
		*v = p->part ? e->seq2 : e->seq;
	}
	map_release(&last);
}

static void test_numbers_decide(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	/* by the clock thread 1 was first; by the numbers thread 0 was */
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 1, .tsc = 50});
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_UNLOCK, .object = 8, .seq = 2, .tsc = 60});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 3, .tsc = 10});
	build(&o, &h);
	assert_int_equal(o.nfaults, 0);
	assert_int_equal(o.n, 3);
	assert_true(sync_order_last(&o, 0, 1) < sync_order_first(&o, 1, 0));
	sync_order_release(&o);
	history_release(&h);
}

static void test_clock_decides_the_rest(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 9, .tsc = 50});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 16, .seq = 10, .tsc = 10});
	build(&o, &h);
	assert_int_equal(o.nfaults, 0);
	assert_true(sync_order_first(&o, 1, 0) < sync_order_first(&o, 0, 0));
	sync_order_release(&o);
	history_release(&h);
}

static void test_create_and_join(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	sim_add(&h, 0, (struct sync_event){.kind = SYNC_BEGIN, .tsc = 1});
	/* the record of the creation is written when the new thread is at its end already */
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_CREATE, .extra = 1, .tsc = 100});
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_JOIN, .extra = 1, .tsc = 101});
	sim_add(&h, 1, (struct sync_event){.kind = SYNC_BEGIN, .tsc = 20});
	sim_add(&h, 1, (struct sync_event){.kind = SYNC_END, .tsc = 300});
	build(&o, &h);
	assert_int_equal(o.nfaults, 0);
	assert_true(sync_order_last(&o, 0, 1) < sync_order_first(&o, 1, 0));
	assert_true(sync_order_last(&o, 1, 1) < sync_order_first(&o, 0, 2));
	sync_order_release(&o);
	history_release(&h);
}

/* Thread 0 was cut off in its unlock, which has no record: whatever it did lies before the lock of
 * thread 1, whatever the clock says. */
static void test_cut_off_in_an_unlock(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 1, .tsc = 10});
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_SEM_POST, .object = 16, .seq = 1, .tsc = 90});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 3, .tsc = 50});
	h.threads.at[0].fate = SYNC_CUT;
	build(&o, &h);
	assert_int_equal(o.nfaults, 0);
	assert_true(sync_order_last(&o, 0, 1) < sync_order_first(&o, 1, 0));
	sync_order_release(&o);
	/* one that went on is not known to have released it before */
	h.threads.at[0].fate = SYNC_COMPLETE;
	build(&o, &h);
	assert_true(sync_order_first(&o, 1, 0) < sync_order_first(&o, 0, 1));
	sync_order_release(&o);
	history_release(&h);
}

/* A wait has two numbers, one of each object, in no order: another thread may signal between them
 * and fail to lock. */
static void test_wait_is_two_points(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	sim_add(&h, 0,
		(struct sync_event){.kind = LOG_S_COND_WAIT,
			.object = 8,
			.value = 64,
			.seq = 1,
			.seq2 = 9,
			.flags = LOG_F_EXTRA | LOG_F_MORE,
			.tsc = 5});
	sim_add(&h, 1,
		(struct sync_event){.kind = LOG_S_COND_SIGNAL,
			.object = 8,
			.seq = 2,
			.seq2 = 3,
			.flags = LOG_F_EXTRA,
			.tsc = 6});
	sim_add(&h, 1,
		(struct sync_event){
			.kind = LOG_S_TRYLOCK, .object = 64, .seq = 8, .result = 16, .tsc = 7});
	build(&o, &h);
	assert_int_equal(o.nfaults, 0);
	assert_int_equal(o.n, 5);
	assert_consistent(&o);
	sync_order_release(&o);
	history_release(&h);
}

static void test_contradictions_are_reported(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 2, .tsc = 1});
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_LOCK, .object = 16, .seq = 1, .tsc = 2});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 16, .seq = 2, .tsc = 3});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 1, .tsc = 4});
	build(&o, &h);
	assert_int_equal(o.nfaults, 1);
	assert_int_equal(o.faults.at[0].kind, ORDER_CYCLE);
	assert_int_equal(o.n, 4);
	sync_order_release(&o);
	h.threads.at[1].events.at[1].seq = 2;
	build(&o, &h);
	assert_int_equal(o.nfaults, 1);
	assert_int_equal(o.faults.at[0].kind, ORDER_SAME_SEQ);
	assert_int_equal(o.n, 4);
	sync_order_release(&o);
	history_release(&h);
}

static void test_simulated(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct sim s;
		struct sync_order o;

		sim_run(&s, seed, 400);
		build(&o, &s.h);
		assert_int_equal(o.nfaults, 0);
		assert_consistent(&o);
		sync_order_release(&o);
		sim_release(&s);
	}
}

/* Nonsense of any kind gives an order of all points, and no crash. */
static void test_nonsense(void **state)
{
	uint64_t x = 7;

	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		struct history h;
		struct sync_order o;
		uint32_t n = 0;

		history_init(&h, 4);
		for (uint32_t i = 0; i < 60; i++) {
			x = hash_u64(x);
			struct sync_event e = {.kind = (uint8_t)(x % SYNC_NKINDS),
				.object = x >> 8 & 3,
				.value = x >> 10 & 3,
				.seq = x >> 12 & 15,
				.seq2 = x >> 16 & 15,
				.extra = x >> 20 & 7,
				.tsc = x >> 24 & 31,
				.flags = x >> 32 & (LOG_F_MORE | LOG_F_EXTRA),
				.result = x >> 40 & 1};
			n += sync_is_double(&e) ? 2 : 1;
			sim_add(&h, x >> 50 & 3, e);
		}
		build(&o, &h);
		assert_int_equal(o.n, n);
		sync_order_release(&o);
		history_release(&h);
	}
}

/* Most records have no time of their own: they lie between those that have, and the times rise. */
static void test_times(void **state)
{
	struct history h;
	struct sync_order o;

	(void)state;
	history_init(&h, 2);
	for (uint32_t i = 0; i < 4; i++) {
		sim_add(&h, 0,
			(struct sync_event){
				.kind = LOG_S_LOCK, .object = 8, .seq = i + 1, .tsc = 100});
	}
	sim_add(&h, 0, (struct sync_event){.kind = SYNC_END, .tsc = 500});
	/* a stale time, but after the fourth by its number */
	sim_add(&h, 1, (struct sync_event){.kind = SYNC_BEGIN, .tsc = 90});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_LOCK, .object = 8, .seq = 9, .tsc = 90});
	build(&o, &h);
	assert_int_equal(sync_order_time(&o, 0, 0), 100);
	assert_int_equal(sync_order_time(&o, 0, 1), 200);
	assert_int_equal(sync_order_time(&o, 0, 3), 400);
	assert_int_equal(sync_order_time(&o, 0, 4), 500);
	assert_int_equal(sync_order_time(&o, 1, 1), 400);
	for (uint32_t r = 1; r < o.n; r++)
		assert_true(sync_order_time(&o, o.at[r - 1].thread, o.at[r - 1].event) <=
			    sync_order_time(&o, o.at[r].thread, o.at[r].event));
	sync_order_release(&o);
	history_release(&h);
}

static void assert_clock(
	const struct history *h, const struct clocks *c, uint32_t t, uint32_t u, uint64_t *known)
{
	for (uint32_t i = 0; i < h->threads.at[t].events.n; i += 2) {
		for (uint32_t k = 0; k < h->threads.at[u].events.n; k += 2) {
			if (!clocks_before(c, t, i, u, k))
				continue;
			++*known;
			/* the simulator knows when an operation began, and when it was over */
			assert_true(h->threads.at[t].events.at[i].index <=
				    h->threads.at[u].events.at[k].tsc);
		}
	}
}

/* What the clocks know was so. */
static void test_clocks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct sim s;
		struct sync_order o;
		struct clocks c;
		uint64_t known = 0;

		sim_run(&s, seed, 200);
		build(&o, &s.h);
		assert_true(clocks_build(&c, &o, 1 << 28));
		vec_each (&s.h.threads, t)
			vec_each (&s.h.threads, u)
				if (t != u)
					assert_clock(&s.h, &c, t, u, &known);
		assert_true(known > 1000);
		clocks_release(&c);
		sync_order_release(&o);
		sim_release(&s);
	}
}

static void test_a_million(void **state)
{
	struct sim s;
	struct sync_order o;
	clock_t start;

	(void)state;
	sim_run(&s, 99, 1000000);
	start = clock();
	build(&o, &s.h);
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
	assert_int_equal(o.nfaults, 0);
	assert_consistent(&o);
	sync_order_release(&o);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_decide),
		cmocka_unit_test(test_clock_decides_the_rest),
		cmocka_unit_test(test_create_and_join),
		cmocka_unit_test(test_cut_off_in_an_unlock),
		cmocka_unit_test(test_wait_is_two_points),
		cmocka_unit_test(test_contradictions_are_reported),
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_a_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
