/* Shared locations and the generations of memory, from histories written by hand. */
#include "base/base.h"
#include "base/bitset.h"
#include "base/hash.h"
#include "base/vec.h"
#include "trace/locations.h"

#include "sync_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct fixture {
	struct history h;
	struct sync_order o;
	struct generations g;
	struct locksets sets;
	struct live_locals locals[4];
	struct touched *t[4];
	struct locations l;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){0};
	history_init(&f->h, 4);
	for (uint32_t t = 1; t < 4; t++)
		f->h.threads.at[t].kind = LOG_T_FOREIGN;
}

static void add(struct fixture *f, uint32_t thread, uint8_t kind, uint64_t object, uint64_t value,
	uint64_t tsc)
{
	sim_add(&f->h, thread,
		(struct sync_event){.kind = kind,
			.object = object,
			.value = value,
			.seq = (uint32_t)tsc,
			.tsc = tsc});
}

static void ready(struct fixture *f)
{
	sync_order_build(&f->o, &f->h);
	assert_int_equal(f->o.nfaults, 0);
	for (uint32_t t = 0; t < 4; t++)
		live_locals_end(&f->locals[t]);
	generations_build(&f->g, &f->o, f->locals);
	locksets_init(&f->sets);
	for (uint32_t t = 0; t < 4; t++) {
		f->t[t] = xcalloc(1, sizeof *f->t[t]);
		touched_init(f->t[t], &f->g, &f->o, &f->sets, t);
		f->t[t]->fixed_lo = 0x100;
		f->t[t]->fixed_hi = 0x1000;
	}
}

static void next(struct fixture *f, uint32_t t)
{
	touched_sync(f->t[t], &f->h.threads.at[t].events.at[f->t[t]->events]);
}

static void touch(struct fixture *f, uint32_t t, uint64_t addr, uint64_t size, unsigned how)
{
	touched_access(f->t[t], addr, size, how, 1, 2);
}

static void end(struct fixture *f)
{
	locations_release(&f->l);
	for (uint32_t t = 0; t < 4; t++) {
		touched_release(f->t[t]);
		free(f->t[t]);
		live_locals_release(&f->locals[t]);
	}
	locksets_release(&f->sets);
	generations_release(&f->g);
	sync_order_release(&f->o);
	history_release(&f->h);
}

static void assert_location(const struct fixture *f, uint32_t i, uint64_t addr, uint64_t size,
	uint64_t reads, uint64_t writes, uint32_t nthreads)
{
	assert_true(i < f->l.at.n);
	assert_int_equal(f->l.at.at[i].addr, addr);
	assert_int_equal(f->l.at.at[i].size, size);
	assert_int_equal(f->l.at.at[i].reads, reads);
	assert_int_equal(f->l.at.at[i].writes, writes);
	assert_int_equal(f->l.at.at[i].nthreads, nthreads);
}

static void test_bytes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	ready(&f);
	touch(&f, 0, 0x100, 4, TOUCH_WRITE); /* two neighbours, one of them shared */
	touch(&f, 0, 0x104, 4, TOUCH_WRITE);
	touch(&f, 1, 0x104, 4, TOUCH_READ);
	touch(&f, 0, 0x110, 8, TOUCH_READ); /* read only */
	touch(&f, 1, 0x110, 8, TOUCH_READ);
	touch(&f, 0, 0x120, 4, TOUCH_READ); /* of one thread, by overlapping accesses */
	touch(&f, 0, 0x121, 1, TOUCH_WRITE);
	touch(&f, 0, 0x130, 16, TOUCH_WRITE); /* a struct, and a field of it */
	touch(&f, 2, 0x13c, 4, TOUCH_READ | TOUCH_WRITE);
	touch(&f, 2, 0x13c, 4, TOUCH_READ | TOUCH_WRITE | TOUCH_ATOMIC);
	touch(&f, 3, 0x146, 4, TOUCH_WRITE); /* across a boundary */
	touch(&f, 1, 0x146, 4, TOUCH_READ);
	locations_build(&f.l, f.t, 4, &f.sets);
	assert_int_equal(f.l.at.n, 4);
	assert_location(&f, 0, 0x104, 4, 1, 1, 2);
	assert_location(&f, 1, 0x13c, 4, 2, 3, 2);
	assert_true(f.l.at.at[1].atomic && f.l.at.at[1].plain);
	assert_location(&f, 2, 0x146, 2, 1, 1, 2);
	assert_location(&f, 3, 0x148, 2, 1, 1, 2);
	end(&f);
}

static void test_locks(void **state)
{
	struct fixture f;
	const struct lockset *s;

	(void)state;
	begin(&f);
	add(&f, 3, LOG_S_LOCK, 0x10, 0, 1);
	add(&f, 3, LOG_S_LOCK, 0x20, 0, 2);
	add(&f, 3, LOG_S_UNLOCK, 0x20, 0, 3);
	add(&f, 3, LOG_S_UNLOCK, 0x10, 0, 4);
	add(&f, 1, LOG_S_LOCK, 0x10, 0, 5);
	ready(&f);
	touch(&f, 0, 0x100, 4, TOUCH_WRITE); /* the main thread is alone: it needs no lock */
	next(&f, 3);
	next(&f, 3);
	touch(&f, 3, 0x100, 4, TOUCH_WRITE);
	touch(&f, 3, 0x108, 4, TOUCH_WRITE);
	next(&f, 1);
	touch(&f, 1, 0x100, 4, TOUCH_WRITE);
	touch(&f, 2, 0x108, 4, TOUCH_WRITE);
	locations_build(&f.l, f.t, 4, &f.sets);
	assert_int_equal(f.l.at.n, 2);
	s = lockset_get(&f.sets, f.l.at.at[0].locks);
	assert_int_equal(s->n, 1);
	assert_int_equal(s->at[0], 0x10);
	assert_int_equal(lockset_get(&f.sets, f.l.at.at[1].locks)->n, 0);
	end(&f);
}

/* One thread's block is freed, and another thread gets the same memory. */
static void test_heap_again(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	add(&f, 0, LOG_S_ALLOC, 0x9000, 64, 1);
	add(&f, 0, LOG_S_FREE, 0x9000, 0, 2);
	add(&f, 1, LOG_S_ALLOC, 0x9000, 32, 3);
	add(&f, 1, LOG_S_UNLOCK, 0x10, 0, 4);
	add(&f, 2, LOG_S_LOCK, 0x10, 0, 5);
	ready(&f);
	next(&f, 0);
	touch(&f, 0, 0x9010, 8, TOUCH_WRITE);
	next(&f, 0);
	next(&f, 1);
	touch(&f, 1, 0x9010, 8, TOUCH_WRITE);
	touch(&f, 1, 0x9018, 8, TOUCH_WRITE);
	next(&f, 1);
	next(&f, 2);
	touch(&f, 2, 0x9018, 8, TOUCH_READ); /* the second generation is shared */
	locations_build(&f.l, f.t, 4, &f.sets);
	assert_int_equal(f.l.at.n, 1);
	assert_location(&f, 0, 0x9018, 8, 1, 1, 2);
	assert_int_equal(f.g.at.at[f.l.at.at[0].gen].size, 32);
	assert_int_equal(f.g.at.at[f.l.at.at[0].gen].thread, 1);
	end(&f);
}

/* Variables of a stack: one that lives while its thread hands it on, then others in its place. */
static void test_stack(void **state)
{
	struct fixture f;
	struct bitset threads = {0};

	(void)state;
	begin(&f);
	f.h.threads.at[0].stack_lo = 0x20000;
	f.h.threads.at[0].stack_hi = 0x30000;
	add(&f, 0, LOG_S_UNLOCK, 0x10, 0, 1);
	add(&f, 1, LOG_S_LOCK, 0x10, 0, 2);
	add(&f, 1, LOG_S_UNLOCK, 0x10, 0, 3);
	add(&f, 0, LOG_S_LOCK, 0x10, 0, 4);
	add(&f, 0, LOG_S_UNLOCK, 0x10, 0, 5);
	live_locals_add(&f.locals[0], 0x20008, 16, 7, 0, 0);
	live_locals_add(&f.locals[0], 0x20010, 8, 8, 0, 2); /* over it, while thread 1 is gone */
	live_locals_add(&f.locals[0], 0x20010, 4, 9, 1, 2); /* and again */
	ready(&f);
	touched_local(f.t[0], 0x20008, 16, 7, 0);
	touch(&f, 0, 0x20010, 8, TOUCH_WRITE);
	next(&f, 0);
	next(&f, 1);
	touch(&f, 1, 0x20010, 8, TOUCH_READ);
	next(&f, 0);
	touched_local(f.t[0], 0x20010, 8, 8, 0);
	touch(&f, 0, 0x20010, 8, TOUCH_WRITE);
	touched_local(f.t[0], 0x20010, 4, 9, 1);
	touch(&f, 0, 0x20010, 4, TOUCH_WRITE);
	locations_build(&f.l, f.t, 4, &f.sets);
	assert_int_equal(f.l.at.n, 1);
	assert_location(&f, 0, 0x20010, 8, 1, 1, 2);
	assert_int_equal(f.g.at.at[f.l.at.at[0].gen].func, 7);
	location_threads(&f.l, f.l.at.at[0].threads, &threads);
	assert_true(bitset_has(&threads, 0) && bitset_has(&threads, 1));
	assert_int_equal(bitset_count(&threads), 2);
	bitset_release(&threads);
	end(&f);
}

/* A stack is used again by a thread that begins when the first has ended. */
static void test_stack_of_another(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint32_t t = 1; t < 3; t++) {
		f.h.threads.at[t].stack_lo = 0x20000;
		f.h.threads.at[t].stack_hi = 0x30000;
		add(&f, t, SYNC_BEGIN, 0, 0, 10 * t);
		add(&f, t, SYNC_END, 0, 0, 10 * t + 5);
	}
	ready(&f);
	for (uint32_t t = 1; t < 3; t++) {
		next(&f, t);
		touch(&f, t, 0x28000, 8, TOUCH_WRITE);
		next(&f, t);
	}
	locations_build(&f.l, f.t, 4, &f.sets);
	assert_int_equal(f.l.at.n, 0);
	end(&f);
}

/* Against a table that remembers every access. */
static void test_random(void **state)
{
	uint64_t x = 3;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		uint8_t by[64] = {0}, written[64] = {0}, got[64] = {0};
		struct fixture f;

		begin(&f);
		ready(&f);
		for (uint32_t i = 0; i < 20; i++) {
			uint32_t t, at, n;
			bool write;

			x = hash_u64(x);
			t = x & 3, at = x >> 8 & 31, n = 1u << (x >> 16 & 3), write = x >> 24 & 1;
			touch(&f, t, 0x200 + at, n, write ? TOUCH_WRITE : TOUCH_READ);
			for (uint32_t k = at; k < at + n; k++) {
				by[k] |= (uint8_t)(1u << t);
				written[k] |= write;
			}
		}
		locations_build(&f.l, f.t, 4, &f.sets);
		vec_each (&f.l.at, i)
			for (uint32_t k = 0; k < f.l.at.at[i].size; k++)
				got[f.l.at.at[i].addr - 0x200 + k]++;
		for (uint32_t k = 0; k < 64; k++)
			assert_int_equal(got[k], __builtin_popcount(by[k]) > 1 && written[k]);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_heap_again),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_stack_of_another),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
