/* Which write a read of a pipe comes after (ctp/transfers.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/vec.h"
#include "ctp/ctp.h"
#include "ctp/transfers.h"
#include "log/hidden.h"

enum { PIPE = 7 };

struct call {
	uint32_t thread;
	char what; /* r: read, w: write */
	uint64_t end;
	uint32_t bytes; /* 0: does not matter */
};

/* The calls of each thread together, in the order of threads. */
static struct ctp *make_program(const struct call *calls, uint32_t n, uint32_t nthreads)
{
	struct ctp *c = ctp_new();

	for (uint32_t t = 0; t < nthreads; t++)
		vec_push(&c->threads, (struct ctp_thread){.id = t});
	for (uint32_t i = 0; i < n; i++) {
		bool reads = calls[i].what == 'r';

		vec_push(&c->events,
			(struct ctp_event){.kind = CTP_HIDDEN,
				.thread = calls[i].thread,
				.flags = reads ? CTP_HAD_READ | CTP_WROTE : CTP_WROTE,
				.link.none = CTP_NONE,
				.of.hidden = {.fn = hidden_next(NULL, reads ? "read" : "write"),
					.object = PIPE,
					.contents = PIPE,
					.end = calls[i].end,
					.bytes = calls[i].bytes,
					.data = reads ? 0 : 1,
					.waits = true,
					.full = true}});
	}
	return c;
}

/* The source of an event; CTP_NONE: not known. */
static uint32_t find_source(const struct ctp *c, uint32_t event)
{
	struct vec_u32 from = {0};
	struct transfers t;
	uint32_t source;

	transfers_init(&t, c);
	transfers_source(&t, event, &from);
	assert_true(from.n <= 1);
	source = from.n ? from.at[0] : CTP_NONE;
	transfers_release(&t);
	vec_release(&from);
	return source;
}

static void last_byte_decides(void **state)
{
	static const struct call calls[] = {{0, 'w', 2, 0}, {0, 'w', 4, 0}, {0, 'w', 6, 0},
		{1, 'r', 1, 0}, {1, 'r', 2, 0}, {1, 'r', 5, 0}, {1, 'r', 0, 0}};
	struct ctp *c = make_program(calls, 7, 2);

	(void)state;
	assert_int_equal(find_source(c, 3), 0);
	assert_int_equal(find_source(c, 4), 0);
	assert_int_equal(find_source(c, 5), 2);
	assert_int_equal(find_source(c, 6), CTP_NONE); /* the number of bytes is not known */
	assert_int_equal(find_source(c, 0), CTP_NONE);
	ctp_free(c);
}

static bool is_settled(const struct ctp *c, uint32_t event)
{
	struct transfers t;
	bool settled;

	transfers_init(&t, c);
	settled = transfers_settled(&t, event);
	transfers_release(&t);
	return settled;
}

static void one_write_settles(void **state)
{
	static const struct call calls[] = {{0, 'w', 2, 2}, {0, 'w', 6, 4}, {0, 'w', 6006, 6000},
		{1, 'r', 2, 2}, {1, 'r', 3, 1}, {1, 'r', 6, 3}, {1, 'r', 106, 100}};
	struct ctp *c = make_program(calls, 7, 2);

	(void)state;
	assert_true(is_settled(c, 3));
	assert_true(is_settled(c, 4));
	assert_true(is_settled(c, 5));
	assert_false(is_settled(c, 6)); /* the system may split the write */
	c->events.at[5].of.hidden.full = false;
	assert_false(is_settled(c, 5));
	c->events.at[4].of.hidden.waits = false;
	assert_false(is_settled(c, 4));
	ctp_free(c);
}

static void two_writes_do_not_settle(void **state)
{
	static const struct call calls[] = {{0, 'w', 2, 2}, {0, 'w', 4, 2}, {1, 'r', 4, 4}};
	struct ctp *c = make_program(calls, 3, 2);

	(void)state;
	assert_int_equal(find_source(c, 2), 1);
	assert_false(is_settled(c, 2));
	ctp_free(c);
}

static void other_bytes_of_an_alternative_do_not_settle(void **state)
{
	static const struct call calls[] = {{0, 'w', 2, 2}, {1, 'r', 2, 2}, {2, 'w', 2, 2}};
	struct ctp *c = make_program(calls, 3, 3);

	(void)state;
	c->threads.at[2].alt = 1; /* of thread 0 */
	assert_true(is_settled(c, 1));
	c->events.at[2].of.hidden.data = 3;
	assert_false(is_settled(c, 1));
	ctp_free(c);
}

static void two_writers_are_not_known(void **state)
{
	static const struct call calls[] = {{0, 'w', 1, 0}, {1, 'w', 1, 0}, {2, 'r', 1, 0}};
	struct ctp *c = make_program(calls, 3, 3);

	(void)state;
	assert_int_equal(find_source(c, 2), CTP_NONE);
	ctp_free(c);
}

static void two_readers_are_not_known(void **state)
{
	static const struct call calls[] = {{0, 'w', 2, 0}, {1, 'r', 1, 0}, {2, 'r', 1, 0}};
	struct ctp *c = make_program(calls, 3, 3);

	(void)state;
	assert_int_equal(find_source(c, 1), CTP_NONE);
	ctp_free(c);
}

static void pair_of_sockets_has_two_ways(void **state)
{
	static const struct call calls[] = {
		{0, 'w', 1, 0}, {0, 'r', 1, 0}, {1, 'r', 1, 0}, {1, 'w', 1, 0}};
	struct ctp *c = make_program(calls, 4, 2);

	(void)state;
	assert_int_equal(find_source(c, 1), 3);
	assert_int_equal(find_source(c, 2), 0);
	ctp_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_byte_decides),
		cmocka_unit_test(one_write_settles),
		cmocka_unit_test(two_writes_do_not_settle),
		cmocka_unit_test(other_bytes_of_an_alternative_do_not_settle),
		cmocka_unit_test(two_writers_are_not_known),
		cmocka_unit_test(two_readers_are_not_known),
		cmocka_unit_test(pair_of_sockets_has_two_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
