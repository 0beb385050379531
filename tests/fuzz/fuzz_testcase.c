/* A test case from JSON: an error with words, or one that comes back the same from its own JSON. */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"

#include <string.h>

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct strbuf a = {0}, b = {0};
	struct testcase tc, again;

	diag_set_sink(ignore, NULL);
	if (testcase_from_json(&tc, (const char *)data, n, "input"))
		return 0;
	testcase_to_json(&tc, &a);
	BUG_ON(testcase_from_json(&again, a.s, a.n, "output"));
	testcase_to_json(&again, &b);
	BUG_ON(strcmp(a.s, b.s));
	BUG_ON(tc.inputs.n != again.inputs.n || tc.noutput != again.noutput);
	vec_each (&tc.inputs, i)
		BUG_ON(tc.inputs.at[i].n != again.inputs.at[i].n ||
			memcmp(tc.inputs.at[i].bytes, again.inputs.at[i].bytes, tc.inputs.at[i].n));
	strbuf_release(&a);
	strbuf_release(&b);
	testcase_release(&tc);
	testcase_release(&again);
	return 0;
}
