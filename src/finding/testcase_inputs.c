/* The inputs of a test case as text. */
#include "finding/testcase.h"

#include "base/strbuf.h"
#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

static void print_bytes(struct strbuf *b, const uint8_t *p, uint64_t n)
{
	enum { MOST = 200 };

	strbuf_addc(b, '"');
	for (uint64_t i = 0; i < n && i < MOST; i++)
		if (p[i] == '"' || p[i] == '\\')
			strbuf_addf(b, "\\%c", p[i]);
		else if (p[i] >= ' ' && p[i] < 127)
			strbuf_addc(b, (char)p[i]);
		else
			strbuf_addf(b, "\\x%02x", p[i]);
	strbuf_addc(b, '"');
	if (n > MOST)
		strbuf_addf(b, "... (%" PRIu64 " bytes)", n);
}

/* An object of 1, 2, 4 or 8 bytes is also shown as a signed number. */
static void print_number(struct strbuf *b, const struct testcase_input *in)
{
	int64_t v = 0;

	if (strncmp(in->name, "object:", 7) ||
		(in->n != 1 && in->n != 2 && in->n != 4 && in->n != 8))
		return;
	memcpy(&v, in->bytes, in->n);
	if (in->n < 8)
		v = (int64_t)((uint64_t)v << (64 - 8 * in->n)) >> (64 - 8 * in->n);
	strbuf_addf(b, " = %" PRId64, v);
}

void testcase_print_inputs(const struct testcase *tc, struct strbuf *out)
{
	for (uint32_t i = 1; i < tc->argv.n; i++) {
		strbuf_addf(out, "argv[%u]  ", i);
		print_bytes(out, (const uint8_t *)tc->argv.at[i], strlen(tc->argv.at[i]));
		strbuf_addc(out, '\n');
	}
	vec_each (&tc->inputs, i) {
		if (!tc->inputs.at[i].n && !strcmp(tc->inputs.at[i].name, "stdin"))
			continue;
		strbuf_addf(out, "%s  ", tc->inputs.at[i].name);
		print_bytes(out, tc->inputs.at[i].bytes, tc->inputs.at[i].n);
		print_number(out, &tc->inputs.at[i]);
		strbuf_addc(out, '\n');
	}
}
