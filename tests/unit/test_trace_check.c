/* The checker of primitives: silent on right histories, awake on wrong ones. */
#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/check.h"

#include "sync_sim.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct tally {
	uint64_t violations, misuses, unexplained, checked, unsure, spurious;
	char what[128]; /* the first finding */
};

static struct tally check(const struct history *h)
{
	struct sync_order o;
	struct check c;
	struct tally t = {0};

	sync_order_build(&o, h);
	check_run(&c, &o);
	t.violations = c.count[CHECK_VIOLATION];
	t.misuses = c.count[CHECK_MISUSE];
	t.unexplained = c.count[CHECK_UNEXPLAINED];
	t.spurious = c.spurious;
	for (int i = 0; i < CHECK_NPRIMITIVES; i++) {
		t.checked += c.checked[i];
		t.unsure += c.unsure[i];
	}
	if (c.findings.n)
		snprintf(t.what, sizeof t.what, "%s", c.findings.at[0].what);
	check_release(&c);
	sync_order_release(&o);
	return t;
}

static void test_right_histories(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct sim s;
		struct tally t;

		sim_run(&s, seed, 600);
		t = check(&s.h);
		if (t.violations || t.misuses)
			print_error("seed %lu: %s\n", (unsigned long)seed, t.what);
		assert_int_equal(t.violations, 0);
		assert_int_equal(t.misuses, 0);
		assert_int_equal(t.spurious, 0);
		assert_true(t.checked > 300);
		assert_int_equal(t.unsure, 0);
		sim_release(&s);
	}
}

/* Histories cut off at any place in each thread, as by a kill: what was not recorded may have
 * happened. `dark`: the thread went on. */
static void cut(struct history *h, uint64_t seed, bool dark)
{
	struct sync_order o;
	uint32_t at;

	sync_order_build(&o, h);
	at = (uint32_t)(hash_u64(seed) % o.n);
	vec_each (&h->threads, t) {
		struct sync_thread *th = &h->threads.at[t];
		uint32_t n = 0;

		while (n < th->events.n && sync_order_last(&o, t, n) < at)
			n++;
		if (dark && t != seed % h->threads.n)
			continue;
		if (n < th->events.n) {
			th->events.n = n;
			th->fate = dark ? SYNC_DARK : SYNC_CUT;
		}
	}
	sync_order_release(&o);
}

static void test_cut_off(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct sim s;
		struct tally t;

		sim_run(&s, seed, 400);
		cut(&s.h, seed, seed & 1);
		t = check(&s.h);
		if (t.violations || t.misuses)
			print_error("seed %lu: %s\n", (unsigned long)seed, t.what);
		assert_int_equal(t.violations, 0);
		assert_int_equal(t.misuses, 0);
		sim_release(&s);
	}
}

/* Threads whose beginning was thrown away. */
static void test_late(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct sim s;
		struct tally t;

		sim_run(&s, seed, 400);
		vec_each (&s.h.threads, k) {
			struct sync_thread *th = &s.h.threads.at[k];
			uint32_t drop = (uint32_t)(hash_u64(seed + k) % (th->events.n / 2 + 1));

			memmove(th->events.at, th->events.at + drop,
				(th->events.n - drop) * sizeof *th->events.at);
			th->events.n -= drop;
			s.h.foreign |= drop != 0; /* as in a log with dropped chunks */
		}
		t = check(&s.h);
		if (t.violations || t.misuses)
			print_error("seed %lu: %s\n", (unsigned long)seed, t.what);
		assert_int_equal(t.violations, 0);
		assert_int_equal(t.misuses, 0);
		sim_release(&s);
	}
}

/* ---- mutations ------------------------------------------------------------------------------ */

static struct sync_event *pick(struct history *h, uint64_t x, const uint8_t *kinds, size_t nkinds)
{
	for (uint32_t tries = 0; tries < 10000; tries++) {
		struct sync_thread *th;
		struct sync_event *e;

		x = hash_u64(x);
		th = &h->threads.at[x % h->threads.n];
		if (!th->events.n)
			continue;
		e = &th->events.at[(x >> 20) % th->events.n];
		if (!e->result && memchr(kinds, e->kind, nkinds))
			return e;
	}
	return NULL;
}

static void drop(struct history *h, const struct sync_event *e)
{
	vec_each (&h->threads, t) {
		struct sync_thread *th = &h->threads.at[t];
		uint64_t i = (uint64_t)(e - th->events.at);

		if (e < th->events.at || i >= th->events.n)
			continue;
		memmove(th->events.at + i, th->events.at + i + 1,
			(th->events.n - i - 1) * sizeof *th->events.at);
		th->events.n--;
		return;
	}
}

/* The numbers of two operations on one object, of different threads, are exchanged. */
static bool swap_numbers(struct history *h, uint64_t seed)
{
	static const uint8_t kinds[] = {
		LOG_S_LOCK, LOG_S_UNLOCK, LOG_S_WRLOCK, LOG_S_SPIN_LOCK, LOG_S_SPIN_UNLOCK};
	struct sync_event *a = pick(h, seed, kinds, sizeof kinds), *b = NULL;
	uint32_t seq;

	if (!a)
		return false;
	vec_each (&h->threads, t) {
		struct sync_thread *th = &h->threads.at[t];

		if (a >= th->events.at && a < th->events.at + th->events.n)
			continue;
		vec_each (&th->events, i)
			if (th->events.at[i].object == a->object && !th->events.at[i].result &&
				th->events.at[i].seq > a->seq &&
				(!b || th->events.at[i].seq < b->seq))
				b = &th->events.at[i];
	}
	if (!b)
		return false;
	seq = a->seq;
	a->seq = b->seq;
	b->seq = seq;
	return true;
}

/* Nearly everything is noticed. What is not: nobody misses the last release of an object, nor one
 * release of a recursive mutex that its owner takes again. A wake-up without its record looks like
 * a wait that was cancelled, and is not tried here. */
static void mutate(const char *name, const uint8_t *kinds, size_t nkinds, uint32_t percent)
{
	uint32_t tried = 0, noticed = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct sim s;
		struct sync_event *e;
		struct tally t;

		sim_run(&s, seed, 600);
		if (kinds && (e = pick(&s.h, seed, kinds, nkinds))) {
			drop(&s.h, e);
			tried++;
		} else if (!kinds && swap_numbers(&s.h, seed)) {
			tried++;
		} else {
			sim_release(&s);
			continue;
		}
		t = check(&s.h);
		noticed += t.violations || t.misuses;
		sim_release(&s);
	}
	if (tried < 200 || noticed * 100 < tried * percent)
		print_error("%s: %u of %u noticed\n", name, noticed, tried);
	assert_true(tried >= 200);
	assert_true(noticed * 100 >= tried * percent);
}

static void test_mutations(void **state)
{
	static const uint8_t unlock[] = {LOG_S_UNLOCK}, lock[] = {LOG_S_LOCK},
			     spin[] = {LOG_S_SPIN_UNLOCK}, rw[] = {LOG_S_RW_UNLOCK},
			     wr[] = {LOG_S_WRLOCK}, enter[] = {LOG_S_BARRIER_ENTER},
			     wait[] = {LOG_S_COND_WAIT}, create[] = {LOG_S_CREATE};

	(void)state;
	mutate("drop unlock", unlock, 1, 75);
	mutate("drop lock", lock, 1, 98);
	mutate("drop spin unlock", spin, 1, 88);
	mutate("drop rwlock unlock", rw, 1, 87);
	mutate("drop wrlock", wr, 1, 98);
	mutate("drop barrier enter", enter, 1, 90);
	mutate("drop wait", wait, 1, 85);
	mutate("drop create", create, 1, 100);
	mutate("swap numbers", NULL, 0, 98);
}

/* ---- one thing each ------------------------------------------------------------------------- */

struct line {
	uint32_t thread;
	struct sync_event e;
};

static struct tally check_lines(const struct line *l, size_t n)
{
	struct history h;
	struct tally t;
	struct map seqs = {0};

	history_init(&h, 3);
	for (size_t i = 0; i < n; i++) {
		struct sync_event e = l[i].e;

		e.seq = e.object ? (uint32_t)++*map_put(&seqs, e.object) : 0;
		e.tsc = i;
		sim_add(&h, l[i].thread, e);
	}
	map_release(&seqs);
	t = check(&h);
	history_release(&h);
	return t;
}
#define CHECK(...)                                                                                 \
	check_lines((const struct line[]){__VA_ARGS__},                                            \
		sizeof((const struct line[]){__VA_ARGS__}) / sizeof(struct line))
#define E(thread, k, o, r)                                                                         \
	{                                                                                          \
		thread,                                                                            \
		{                                                                                  \
			.kind = LOG_S_##k, .object = o, .result = r                                \
		}                                                                                  \
	}
#define X(thread, k, o, r, x)                                                                      \
	{                                                                                          \
		thread,                                                                            \
		{                                                                                  \
			.kind = LOG_S_##k, .object = o, .result = r, .extra = x,                   \
			.flags = LOG_F_EXTRA                                                       \
		}                                                                                  \
	}

static void test_mutex_kinds(void **state)
{
	(void)state;
	/* normal: cannot be locked twice; a static one may be recursive */
	assert_int_equal(
		CHECK(X(0, MUTEX_INIT, 8, 0, 0), E(0, LOCK, 8, 0), E(0, LOCK, 8, 0)).violations, 1);
	assert_int_equal(
		CHECK(E(0, LOCK, 8, 0), E(0, LOCK, 8, 0), E(0, UNLOCK, 8, 0), E(0, UNLOCK, 8, 0))
			.violations,
		0);
	/* recursive: as often unlocked as locked */
	assert_int_equal(CHECK(X(0, MUTEX_INIT, 8, 0, 1), E(0, LOCK, 8, 0), E(0, LOCK, 8, 0),
				 E(0, UNLOCK, 8, 0), E(1, LOCK, 8, 0))
				 .violations,
		1);
	assert_int_equal(CHECK(X(0, MUTEX_INIT, 8, 0, 1), E(0, LOCK, 8, 0), E(0, LOCK, 8, 0),
				 E(0, UNLOCK, 8, 0), E(0, UNLOCK, 8, 0), E(1, LOCK, 8, 0))
				 .violations,
		0);
	/* error checking: it says so */
	assert_int_equal(CHECK(X(0, MUTEX_INIT, 8, 0, 2), E(0, LOCK, 8, 0), E(0, LOCK, 8, EDEADLK),
				 E(1, UNLOCK, 8, EPERM), E(0, UNLOCK, 8, 0))
				 .violations,
		0);
	assert_int_equal(CHECK(X(0, MUTEX_INIT, 8, 0, 2), E(0, LOCK, 8, EDEADLK)).violations, 1);
	assert_int_equal(CHECK(X(0, MUTEX_INIT, 8, 0, 2), E(0, UNLOCK, 8, 0)).violations, 1);
	/* robust: the next one learns of the owner's death */
	assert_int_equal(
		CHECK(X(0, MUTEX_INIT, 8, 0, 16), E(1, LOCK, 8, 0), {1, {.kind = SYNC_END}},
			E(2, LOCK, 8, EOWNERDEAD),
			{2, {.kind = LOG_S_MUTEX_INIT, .object = 8, .flags = SYNC_CONSISTENT}},
			E(2, UNLOCK, 8, 0))
			.violations,
		0);
	assert_int_equal(
		CHECK(X(0, MUTEX_INIT, 8, 0, 16), E(1, LOCK, 8, 0), E(2, LOCK, 8, EOWNERDEAD))
			.violations,
		1);
	/* attempts that failed prove nothing */
	assert_int_equal(CHECK(E(0, TRYLOCK, 8, EBUSY), E(1, LOCK, 8, ETIMEDOUT)).violations, 0);
}

static void test_misuse(void **state)
{
	struct tally t =
		CHECK(E(0, LOCK, 8, 0), E(1, UNLOCK, 8, 0), E(2, LOCK, 8, 0), E(0, UNLOCK, 8, 0));

	(void)state;
	assert_int_equal(t.violations, 0);
	assert_int_equal(t.misuses, 1);
	assert_string_equal(t.what, "unlocked although another thread holds it");
	t = CHECK(X(0, MUTEX_INIT, 8, 0, 0), E(1, LOCK, 8, 0), E(0, MUTEX_DESTROY, 8, 0));
	assert_int_equal(t.misuses, 1);
	t = CHECK(E(0, RDLOCK, 8, 0), E(1, RW_UNLOCK, 8, 0), E(1, WRLOCK, 8, 0));
	assert_int_equal(t.misuses, 1);
	assert_int_equal(t.violations, 0);
}

static void test_others(void **state)
{
	(void)state;
	assert_int_equal(
		CHECK(X(0, SEM_INIT, 8, 0, 1), E(0, SEM_WAIT, 8, 0), E(1, SEM_TRYWAIT, 8, -1),
			E(0, SEM_POST, 8, 0), E(1, SEM_WAIT, 8, 0))
			.violations,
		0);
	assert_int_equal(CHECK(X(0, SEM_INIT, 8, 0, 1), E(0, SEM_WAIT, 8, 0), E(1, SEM_WAIT, 8, 0))
				 .violations,
		1);
	assert_int_equal(CHECK(X(0, ONCE, 8, 0, 1), X(1, ONCE, 8, 0, 0)).violations, 0);
	assert_int_equal(CHECK(X(0, ONCE, 8, 0, 1), X(1, ONCE, 8, 0, 1)).violations, 1);
	assert_int_equal(CHECK(X(0, ONCE, 8, 0, 0)).violations, 1);
	assert_int_equal(
		CHECK(E(0, RDLOCK, 8, 0), E(1, RDLOCK, 8, 0), E(2, WRLOCK, 8, 0)).violations, 1);
	assert_int_equal(CHECK(E(0, WRLOCK, 8, 0), E(1, RDLOCK, 8, 0)).violations, 1);
	/* the first to leave a barrier may destroy it before the last has said that it left */
	assert_int_equal(CHECK(X(0, BARRIER_INIT, 8, 0, 2), E(0, BARRIER_ENTER, 8, 0),
				 E(1, BARRIER_ENTER, 8, 0), E(0, BARRIER_LEAVE, 8, 0),
				 E(0, BARRIER_DESTROY, 8, 0), X(0, BARRIER_INIT, 8, 0, 2),
				 E(1, BARRIER_LEAVE, 8, -1))
				 .violations,
		0);
	assert_int_equal(CHECK(X(0, BARRIER_INIT, 8, 0, 2), E(0, BARRIER_ENTER, 8, 0),
				 E(0, BARRIER_LEAVE, 8, 0))
				 .violations,
		1);
	assert_int_equal(CHECK(X(0, BARRIER_INIT, 8, 0, 2), E(0, BARRIER_ENTER, 8, 0),
				 E(1, BARRIER_ENTER, 8, 0), E(0, BARRIER_LEAVE, 8, 0),
				 E(1, BARRIER_LEAVE, 8, 0))
				 .violations,
		1);
}

/* Memory that was freed holds a new mutex; the old one's owner does not matter. */
static void test_memory_again(void **state)
{
	struct line l[] = {
		{0, {.kind = LOG_S_ALLOC, .object = 0x1000, .value = 64}},
		E(0, LOCK, 0x1010, 0),
		E(0, FREE, 0x1000, 0),
		{1, {.kind = LOG_S_ALLOC, .object = 0x1000, .value = 64}},
		E(1, LOCK, 0x1010, 0),
		E(1, UNLOCK, 0x1010, 0),
		E(2, LOCK, 0x1010, 0),
	};

	(void)state;
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).violations, 0);
	l[2].e.object = 0x2000;
	l[3].e.object = 0x3000;
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).violations, 1);
}

/* A cancelled wait has its mutex again, without a record that says so. */
static void test_cancelled_wait(void **state)
{
	struct line l[] = {
		X(0, MUTEX_INIT, 8, 0, 2),
		E(1, LOCK, 8, 0),
		{1, {.kind = LOG_S_COND_WAIT, .object = 64, .value = 8, .flags = LOG_F_MORE}},
		E(0, LOCK, 8, 0),
		E(0, UNLOCK, 8, 0),
		E(1, UNLOCK, 8, 0),
		E(0, LOCK, 8, 0),
	};

	(void)state;
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).violations, 0);
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).misuses, 0);
}

static void test_spurious(void **state)
{
	struct line l[] = {
		E(0, LOCK, 8, 0),
		{0, {.kind = LOG_S_COND_WAIT, .object = 64, .value = 8, .flags = LOG_F_MORE}},
		E(1, COND_SIGNAL, 64, 0),
		{0, {.kind = LOG_S_COND_WOKEN, .object = 64, .value = 8}},
	};

	(void)state;
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).spurious, 0);
	l[2].e.object = 72;
	assert_int_equal(check_lines(l, ARRAY_SIZE(l)).spurious, 1);
}

static void test_foreign(void **state)
{
	struct history h;
	struct tally t;

	(void)state;
	history_init(&h, 2);
	h.foreign = true;
	sim_add(&h, 0, (struct sync_event){.kind = LOG_S_WRLOCK, .object = 8, .seq = 1});
	sim_add(&h, 1, (struct sync_event){.kind = LOG_S_WRLOCK, .object = 8, .seq = 2});
	t = check(&h);
	assert_int_equal(t.violations, 0);
	assert_int_equal(t.unexplained, 1);
	history_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_histories),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_mutex_kinds),
		cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_memory_again),
		cmocka_unit_test(test_cancelled_wait),
		cmocka_unit_test(test_spurious),
		cmocka_unit_test(test_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
