#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "rng.h"
#include "replay/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct strbuf messages;

static void take(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
	strbuf_addc(ctx, '\n');
}

static int setup(void **state)
{
	(void)state;
	diag_set_sink(take, &messages);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	diag_set_sink(NULL, NULL);
	strbuf_release(&messages);
	return 0;
}

static int from(struct testcase *tc, const char *json)
{
	strbuf_clear(&messages);
	return testcase_from_json(tc, json, strlen(json), "t.json");
}

/* ---- what is wrong is named ------------------------------------------------------------------- */

#define HEAD "{\"heddle-test\": 1, \"program\": \"p\", \"argv\": [\"p\"], "
#define TAIL ", \"outcome\": {\"fate\": \"exited\"}}"

static void broken(void **state)
{
	static const struct {
		const char *json, *says;
	} tries[] = {
		{"", "t.json:1: error: not a test case of heddle: "},
		{"{\"a\": 1,\n }", "t.json:2"},
		{"{}", "it has no 'heddle-test'"},
		{"[]", "it has no 'heddle-test'"},
		{"{\"heddle-test\": 2}", "has version 2, written by a newer heddle (this one reads 1)"},
		{"{\"heddle-test\": 0}", "'heddle-test' is out of range"},
		{"{\"heddle-test\": 1, \"heddle-test\": 1}", "duplicate"},
		{"{\"heddle-test\": 1}", "'program' is missing"},
		{"{\"heddle-test\": 1, \"program\": 5}", "'program' is neither a string nor bytes"},
		{"{\"heddle-test\": 1, \"program\": \"a\\u0000b\"}", "'program' has a NUL in it"},
		{"{\"heddle-test\": 1, \"program\": \"p\", \"argv\": []}", "'argv' is not a list of arguments"},
		{"{\"heddle-test\": 1, \"program\": \"p\", \"argv\": [\"p\", 1]}", "'argv[1]' is neither"},
		{HEAD "\"outcome\": {}}", "'outcome.fate' is not 'exited'"},
		{HEAD "\"outcome\": {\"fate\": \"fault\"}}", "'outcome.kind' is missing"},
		{HEAD "\"outcome\": {\"fate\": \"fault\", \"kind\": \"null-pointer\"}}",
			"'outcome.kind' is not a known fault"},
		{HEAD "\"outcome\": {\"fate\": \"stopped\", \"kind\": \"tired\"}}",
			"'outcome.kind' is not a known reason to stop"},
		{HEAD "\"outcome\": {\"fate\": \"exited\", \"status\": \"0\"}}", "'outcome.status' is not a number"},
		{HEAD "\"outcome\": {\"fate\": \"exited\", \"line\": -1}}", "'outcome.line' is out of range"},
		{HEAD "\"x\": 1}", "'outcome' is missing"},
		{HEAD "\"identity\": \"12\"" TAIL, "'identity' is not a number"},
		{HEAD "\"inputs\": 1" TAIL, "'inputs' is not a list"},
		{HEAD "\"inputs\": [1]" TAIL, "'inputs[0]' is not an object"},
		{HEAD "\"inputs\": [{}]" TAIL, "'inputs[0].name' is missing"},
		{HEAD "\"inputs\": [{\"name\": \"argv[1]\"}]" TAIL, "'inputs[0].name' is not a known input"},
		{HEAD "\"inputs\": [{\"name\": \"object:\"}]" TAIL, "'inputs[0].name' is not a known input"},
		{HEAD "\"inputs\": [{\"name\": \"object:x#0\"}]" TAIL, "'inputs[0].name' is not a known input"},
		{HEAD "\"inputs\": [{\"name\": \"env:A=B\"}]" TAIL, "'inputs[0].name' is not a known input"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\"}]" TAIL, "'inputs[0].bytes' is missing"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": \"\"}, {\"name\": \"stdin\", \"bytes\": \"\"}]" TAIL,
			"'inputs[1].name' is given twice"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"hex\": \"0\"}}]" TAIL,
			"'inputs[0].bytes.hex' has an odd number of digits"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"hex\": \"0X\"}}]" TAIL,
			"'inputs[0].bytes.hex' is not a string of hexadecimal digits"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"text\": \"a\"}}]" TAIL,
			"'inputs[0].bytes' needs 'hex', or 'value' and 'size'"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"hex\": \"61\", \"text\": \"b\"}}]" TAIL,
			"'inputs[0].bytes' has a 'text' that differs from its 'hex'"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"hex\": \"61\", \"value\": 98}}]" TAIL,
			"'inputs[0].bytes' has a 'value' that differs from its 'hex'"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"value\": 256, \"size\": 1}}]" TAIL,
			"'inputs[0].bytes' has a 'value' that does not fit into its 'size'"},
		{HEAD "\"inputs\": [{\"name\": \"stdin\", \"bytes\": {\"value\": -129, \"size\": 1}}]" TAIL,
			"'inputs[0].bytes' has a 'value' that does not fit into its 'size'"},
		{HEAD "\"inputs\": [{\"name\": \"env:A\", \"bytes\": {\"hex\": \"00\"}}]" TAIL,
			"'inputs[0].bytes' has a NUL in it: a variable cannot"},
		{HEAD "\"schedule\": []" TAIL, "'schedule' is not an object"},
		{HEAD "\"schedule\": {\"access\": 1}" TAIL, "'schedule.access' is neither true nor false"},
		{HEAD "\"schedule\": {\"switches\": [{\"picks\": 1}]}" TAIL, "'schedule.switches[0].thread' is missing"},
		{HEAD "\"schedule\": {\"switches\": [{\"picks\": 2, \"thread\": 0}, {\"picks\": 1, \"thread\": 0}]}" TAIL,
			"'schedule.switches[1]' is smaller than the one before"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct testcase tc;

		if (from(&tc, tries[i].json) != -1 || !strstr(messages.s, tries[i].says))
			fail_msg("%s\nsays: %s\nexpected: %s", tries[i].json,
				messages.n ? messages.s : "nothing", tries[i].says);
	}
}

static void numbers(void **state)
{
	struct testcase tc;

	(void)state;
	assert_int_equal(from(&tc, HEAD "\"inputs\": [{\"name\": \"object:x\", \"bytes\": {\"value\": 255, "
					"\"size\": 1}}, {\"name\": \"object:x#2\", \"bytes\": {\"value\": -2, "
					"\"size\": 2}}]" TAIL),
		0);
	assert_int_equal(tc.inputs.at[0].n, 1);
	assert_int_equal(tc.inputs.at[0].bytes[0], 255);
	assert_memory_equal(tc.inputs.at[1].bytes, "\xfe\xff", 2);
	assert_int_equal(tc.noutput, -1);
	testcase_release(&tc);
}

/* ---- there and back --------------------------------------------------------------------------- */

static char *some_bytes(struct rng *r, uint64_t *n, bool text)
{
	char *s;

	*n = rng_below(r, 12);
	s = xmalloc(*n + 1);
	for (uint64_t i = 0; i < *n; i++)
		s[i] = (char)(text ? 1 + rng_below(r, 255) : rng_below(r, 256));
	s[*n] = 0;
	return s;
}

static void make(struct testcase *tc, struct rng *r)
{
	uint64_t n, picks = 0;

	*tc = (struct testcase){.program = xstrdup("./p"),
		.identity = rng_u64(r),
		.fate = (enum exec_fate)rng_below(r, EXEC_STOPPED + 1),
		.fault = FAULT_TRAP,
		.stop = STOP_BUDGET,
		.status = (int)rng_u64(r),
		.line = rng_below(r, 1000),
		.noutput = -1,
		.picks = rng_below(r, 100),
		.spurious = rng_below(r, 2),
		.switch_access = rng_below(r, 2)};
	if (tc->fate == EXEC_DEADLOCK)
		tc->fault = FAULT_DEADLOCK;
	for (uint32_t i = 0; i <= rng_below(r, 4); i++)
		vec_push(&tc->argv, some_bytes(r, &n, true));
	for (uint32_t i = 0; i < rng_below(r, 4); i++) {
		struct testcase_input in = {.name = xasprintf("object:o#%u", i + 1)};

		in.bytes = (uint8_t *)some_bytes(r, &in.n, false);
		vec_push(&tc->inputs, in);
	}
	for (uint32_t i = 0; i < rng_below(r, 5); i++)
		vec_push(&tc->switches, (struct testcase_choice){rng_below(r, 9), picks += rng_below(r, 9)});
	if (rng_below(r, 2)) {
		tc->output = some_bytes(r, &n, false);
		tc->noutput = (int64_t)n;
	}
}

static void there_and_back(void **state)
{
	struct rng r = rng_seed(7);

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct testcase a, b;
		struct strbuf x = {0}, y = {0};

		make(&a, &r);
		testcase_to_json(&a, &x);
		strbuf_clear(&messages);
		if (testcase_from_json(&b, x.s, x.n, "t.json"))
			fail_msg("%s\n%s", x.s, messages.s);
		testcase_to_json(&b, &y);
		assert_string_equal(x.s, y.s);
		assert_int_equal(a.argv.n, b.argv.n);
		vec_each (&a.argv, k)
			assert_string_equal(a.argv.at[k], b.argv.at[k]);
		vec_each (&a.inputs, k) {
			assert_int_equal(a.inputs.at[k].n, b.inputs.at[k].n);
			assert_memory_equal(a.inputs.at[k].bytes, b.inputs.at[k].bytes, a.inputs.at[k].n);
		}
		assert_int_equal(a.noutput, b.noutput);
		if (a.noutput > 0)
			assert_memory_equal(a.output, b.output, (size_t)a.noutput);
		assert_int_equal(a.status, b.status);
		assert_int_equal(a.picks, b.picks);
		strbuf_release(&x);
		strbuf_release(&y);
		testcase_release(&a);
		testcase_release(&b);
	}
}

static void names(void **state)
{
	const char *what;
	uint32_t nth;
	size_t n;

	(void)state;
	assert_true(testcase_name("object:a#b#12", "object", &what, &n, &nth));
	assert_int_equal(n, 3);
	assert_int_equal(nth, 12);
	assert_true(testcase_name("object:a#b", "object", &what, &n, &nth));
	assert_int_equal(n, 3);
	assert_int_equal(nth, 1);
	assert_false(testcase_name("object:a#0", "object", &what, &n, &nth));
	assert_false(testcase_name("object:a", "syscall", &what, &n, &nth));
	assert_false(testcase_name("object:#1", "object", &what, &n, &nth));
}

static void outputs(void **state)
{
	(void)state;
	assert_int_equal(output_compare("a\nb\n", 4, "a\nb\n", 4, true), OUTPUT_SAME);
	assert_int_equal(output_compare("a\nb\n", 4, "b\na\n", 4, true), OUTPUT_ORDER);
	assert_int_equal(output_compare("a\nb\n", 4, "a\nc\n", 4, true), OUTPUT_OTHER);
	assert_int_equal(output_compare("a\nb\n", 4, "a\n", 2, true), OUTPUT_OTHER);
	assert_int_equal(output_compare("a\nb\n", 4, "a\n", 2, false), OUTPUT_SAME);
	assert_int_equal(output_compare("a\nb\n", 4, "b\n", 2, false), OUTPUT_OTHER);
	assert_int_equal(output_compare("", 0, "a\n", 2, false), OUTPUT_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(broken, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(there_and_back, setup, teardown),
		cmocka_unit_test(names),
		cmocka_unit_test(outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
