/* The verdict: a claim is earned only without gaps, and result, headline and JSON agree. */
#include "base/strbuf.h"
#include "finding/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void assert_headline(const struct verdict *v, const char *want)
{
	struct strbuf b = {0};

	verdict_headline(v, &b);
	assert_string_equal(b.s, want);
	strbuf_release(&b);
}

static void nothing_analysed_is_incomplete(void **state)
{
	struct verdict v = {0};

	(void)state;
	assert_int_equal(verdict_result(&v), VERDICT_INCOMPLETE);
	assert_headline(&v, "incomplete: nothing found, because nothing was analysed");
}

static void a_claim_without_gaps_is_earned(void **state)
{
	struct verdict v = {0};

	(void)state;
	verdict_claim(&v, CLAIM_PATHS, NULL);
	assert_int_equal(verdict_result(&v), VERDICT_CLEAR);
	assert_headline(&v, "no failure in any schedule of the recorded paths");
	verdict_claim(&v, CLAIM_INPUT, NULL);
	assert_headline(&v, "no failure in any schedule of this input");
	verdict_release(&v);
}

static void one_gap_withdraws_the_claim(void **state)
{
	struct verdict v = {0};
	uint32_t c = verdict_claim(&v, CLAIM_PATHS, NULL);

	(void)state;
	verdict_gap(&v, c, "%d queries were not decided", 3);
	verdict_gap(&v, c, "%d queries were not decided", 3); /* once */
	assert_int_equal(verdict_result(&v), VERDICT_INCOMPLETE);
	assert_null(verdict_earned(&v));
	assert_headline(&v, "incomplete: nothing found, but 3 queries were not decided");
	verdict_gap(&v, c, "a worker died");
	assert_headline(&v, "incomplete: nothing found, but 3 queries were not decided (and 1 more "
			    "reason below)");
	verdict_release(&v);
}

static void a_wider_claim_contains_a_narrower_one(void **state)
{
	struct verdict v = {0};

	(void)state;
	verdict_gap(&v, verdict_claim(&v, CLAIM_PATHS, NULL), "a window");
	verdict_claim(&v, CLAIM_INPUT, NULL);
	assert_false(verdict_is_missed(&v, &v.claims.at[0]));
	assert_int_equal(verdict_result(&v), VERDICT_CLEAR);
	verdict_release(&v);
}

static void a_narrower_claim_does_not_earn_a_wider_one(void **state)
{
	struct verdict v = {0};

	(void)state;
	verdict_claim(&v, CLAIM_PATHS, "with at most 2 context switches");
	verdict_gap(&v, verdict_claim(&v, CLAIM_INPUT, NULL), "the time budget was spent");
	assert_true(verdict_is_missed(&v, &v.claims.at[1]));
	assert_int_equal(verdict_result(&v), VERDICT_INCOMPLETE);
	assert_headline(&v, "incomplete: no failure in any schedule of the recorded paths with at "
			    "most 2 context switches, but the time budget was spent");
	verdict_release(&v);
}

static void findings_decide_first(void **state)
{
	struct verdict v = {0};

	(void)state;
	verdict_claim(&v, CLAIM_PATHS, NULL);
	v.open = 1;
	assert_int_equal(verdict_result(&v), VERDICT_INCOMPLETE);
	v.confirmed = 1;
	assert_int_equal(verdict_result(&v), VERDICT_FAILURE);
	assert_headline(&v, "no other failure in any schedule of the recorded paths");
	verdict_release(&v);
}

static void json_has_each_claim(void **state)
{
	struct verdict v = {0};
	struct strbuf b = {0};
	struct json j = {.out = &b};

	(void)state;
	verdict_gap(&v, verdict_claim(&v, CLAIM_PATHS, NULL), "why");
	verdict_claim(&v, CLAIM_INPUT, NULL);
	json_object(&j, NULL);
	verdict_json(&v, &j);
	json_end(&j);
	assert_string_equal(b.s,
		"{\"verdict\":{\"result\":\"clear\",\"claims\":["
		"{\"scope\":\"recorded-paths\",\"gaps\":[\"why\"]},"
		"{\"scope\":\"input\",\"gaps\":[]}]}}");
	strbuf_release(&b);
	verdict_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_analysed_is_incomplete),
		cmocka_unit_test(a_claim_without_gaps_is_earned),
		cmocka_unit_test(one_gap_withdraws_the_claim),
		cmocka_unit_test(a_wider_claim_contains_a_narrower_one),
		cmocka_unit_test(a_narrower_claim_does_not_earn_a_wider_one),
		cmocka_unit_test(findings_decide_first),
		cmocka_unit_test(json_has_each_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
