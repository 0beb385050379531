/* Writes by jansson, which formats the file for reading: users write and edit test cases. */
#include "finding/testcase.h"

#include "base/base.h"
#include "base/diag.h"
#include "finding/testcase_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const testcase_fates[] = {[EXEC_EXITED] = "exited",
	[EXEC_FAULT] = "fault",
	[EXEC_DEADLOCK] = "deadlock",
	[EXEC_STOPPED] = "stopped"};

void testcase_release(struct testcase *tc)
{
	vec_each (&tc->argv, i)
		free(tc->argv.at[i]);
	vec_each (&tc->inputs, i) {
		free(tc->inputs.at[i].name);
		free(tc->inputs.at[i].bytes);
	}
	vec_release(&tc->argv);
	vec_release(&tc->inputs);
	vec_release(&tc->switches);
	bitset_release(&tc->lent);
	free(tc->program);
	free(tc->cwd);
	free(tc->from);
	free(tc->initial);
	free(tc->file);
	free(tc->report);
	free(tc->output);
	*tc = (struct testcase){0};
}

bool testcase_name(
	const char *name, const char *kind, const char **what, size_t *n, uint32_t *occurrence)
{
	size_t k = strlen(kind);
	unsigned long nth = 1;
	const char *hash;
	char *end = NULL;

	if (strncmp(name, kind, k) || name[k] != ':' || !name[k + 1])
		return false;
	*what = name + k + 1;
	hash = strrchr(*what, '#');
	if (hash && strspn(hash + 1, "0123456789") == strlen(hash + 1) && hash[1])
		nth = strtoul(hash + 1, &end, 10);
	*n = end ? (size_t)(hash - *what) : strlen(*what);
	*occurrence = nth <= UINT32_MAX ? (uint32_t)nth : 0;
	return *n && *occurrence;
}

static char *copy_string(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static void *copy_bytes(const void *bytes, size_t n)
{
	return bytes ? memcpy(xmalloc(n + 1), bytes, n) : NULL;
}

struct testcase *testcase_copy(const struct testcase *tc)
{
	struct testcase *copy = xmalloc(sizeof *copy);

	*copy = *tc;
	copy->program = copy_string(tc->program);
	copy->cwd = copy_string(tc->cwd);
	copy->from = copy_string(tc->from);
	copy->initial = copy_string(tc->initial);
	copy->file = copy_string(tc->file);
	copy->report = copy_string(tc->report);
	copy->output = copy_bytes(tc->output, tc->noutput > 0 ? (size_t)tc->noutput : 0);
	memset(&copy->argv, 0, sizeof copy->argv);
	memset(&copy->inputs, 0, sizeof copy->inputs);
	memset(&copy->switches, 0, sizeof copy->switches);
	memset(&copy->lent, 0, sizeof copy->lent);
	bitset_or(&copy->lent, &tc->lent);
	vec_each (&tc->argv, i)
		vec_push(&copy->argv, xstrdup(tc->argv.at[i]));
	vec_each (&tc->inputs, i) {
		const struct testcase_input *in = &tc->inputs.at[i];

		vec_push(&copy->inputs, (struct testcase_input){xstrdup(in->name),
						copy_bytes(in->bytes, in->n), in->n});
	}
	vec_each (&tc->switches, i)
		vec_push(&copy->switches, tc->switches.at[i]);
	return copy;
}

void testcase_free(struct testcase *tc)
{
	if (!tc)
		return;
	testcase_release(tc);
	free(tc);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One string if the bytes are text and not a number; else hexadecimal digits, with the readable
 * characters and the value beside them. */
static json_t *bytes_to_json(const void *bytes, size_t n, bool number)
{
	const uint8_t *s = bytes;
	struct strbuf b = {0};
	json_t *o = !number && !memchr(bytes, 0, n) ? json_stringn(bytes, n) : NULL;

	if (o)
		return o;
	o = json_object();
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&b, "%02x", s[i]);
	json_object_set_new(o, "hex", json_stringn(b.s ? b.s : "", b.n));
	strbuf_clear(&b);
	bytes_readable(&b, s, n);
	json_object_set_new(o, "text", json_stringn(b.s ? b.s : "", b.n));
	if (number && bytes_has_value(n))
		json_object_set_new(o, "value", json_integer(bytes_value(s, n)));
	strbuf_release(&b);
	return o;
}

/* NULL gives null. */
static json_t *string_to_json(const char *s)
{
	return s ? bytes_to_json(s, strlen(s), false) : json_null();
}

static json_t *inputs_to_json(const struct testcase *tc)
{
	json_t *list = json_array();

	vec_each (&tc->inputs, i) {
		const struct testcase_input *in = &tc->inputs.at[i];
		bool number = !strncmp(in->name, "object:", 7) || !strncmp(in->name, "syscall:", 8);
		json_t *o = json_object();

		json_object_set_new(o, "name", string_to_json(in->name));
		json_object_set_new(o, "bytes", bytes_to_json(in->bytes, in->n, number));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *testcase_put_lent(const struct bitset *lent)
{
	json_t *list = json_array();
	uint32_t first = UINT32_MAX, next = UINT32_MAX;

	for (uint32_t i = bitset_next(lent, 0);; i = bitset_next(lent, i + 1)) {
		if (first != UINT32_MAX && i != next) {
			json_array_append_new(list, json_integer(first));
			json_array_append_new(list, json_integer(next - first));
			first = UINT32_MAX;
		}
		if (i == UINT32_MAX)
			return list;
		if (first == UINT32_MAX)
			first = i;
		next = i + 1;
	}
}

static json_t *schedule_to_json(const struct testcase *tc)
{
	json_t *o = json_object(), *list = json_array();

	vec_each (&tc->switches, i) {
		json_t *s = json_object();

		json_object_set_new(s, "picks", json_integer((json_int_t)tc->switches.at[i].picks));
		json_object_set_new(s, "thread", json_integer(tc->switches.at[i].thread));
		json_array_append_new(list, s);
	}
	json_object_set_new(o, "access", json_boolean(tc->switch_access));
	if (tc->spurious)
		json_object_set_new(o, "spurious", json_true());
	if (bitset_count(&tc->lent))
		json_object_set_new(o, "lent", testcase_put_lent(&tc->lent));
	json_object_set_new(o, "picks", json_integer((json_int_t)tc->picks));
	json_object_set_new(o, "switches", list);
	return o;
}

const char *testcase_kind(const struct testcase *tc)
{
	return exec_end_word(tc->fate, tc->fault, tc->stop);
}

static json_t *outcome_to_json(const struct testcase *tc)
{
	json_t *o = json_object();

	json_object_set_new(o, "fate", json_string(testcase_fates[tc->fate]));
	json_object_set_new(o, "status", json_integer(tc->status));
	json_object_set_new(o, "kind", string_to_json(testcase_kind(tc)));
	json_object_set_new(o, "file", string_to_json(tc->file));
	json_object_set_new(o, "line", json_integer(tc->line));
	json_object_set_new(o, "output",
		tc->noutput < 0
			? json_null()
			: bytes_to_json(tc->output ? tc->output : "", (size_t)tc->noutput, false));
	json_object_set_new(o, "incomplete", json_boolean(tc->incomplete));
	json_object_set_new(o, "report", string_to_json(tc->report));
	return o;
}

void testcase_to_json(const struct testcase *tc, struct strbuf *out)
{
	json_t *o = json_object(), *argv = json_array();
	char identity[24], *text;

	vec_each (&tc->argv, i)
		json_array_append_new(argv, string_to_json(tc->argv.at[i]));
	snprintf(identity, sizeof identity, "0x%" PRIx64, tc->identity);
	json_object_set_new(o, "heddle-test", json_integer(TESTCASE_VERSION));
	json_object_set_new(o, "program", string_to_json(tc->program));
	json_object_set_new(o, "identity", json_string(identity));
	json_object_set_new(o, "directory", string_to_json(tc->cwd));
	if (tc->from) {
		json_object_set_new(o, "from", string_to_json(tc->from));
		json_object_set_new(o, "initial", string_to_json(tc->initial));
	}
	json_object_set_new(o, "argv", argv);
	json_object_set_new(o, "inputs", inputs_to_json(tc));
	json_object_set_new(o, "schedule", schedule_to_json(tc));
	json_object_set_new(o, "outcome", outcome_to_json(tc));
	text = json_dumps(o, JSON_INDENT(1));
	if (!text)
		oom_die();
	strbuf_adds(out, text);
	strbuf_addc(out, '\n');
	free(text);
	json_decref(o);
}

int testcase_write(const struct testcase *tc, const char *path)
{
	struct strbuf b = {0};
	FILE *f = fopen(path, "we");
	bool written = false;

	if (!f)
		return error_("cannot write '%s': %s", path, strerror(errno));
	testcase_to_json(tc, &b);
	written = fwrite(b.s, 1, b.n, f) == b.n;
	strbuf_release(&b);
	if (fclose(f) || !written) {
		error_("cannot write '%s': %s", path, strerror(errno));
		unlink(path); /* leave no partial file */
		return -1;
	}
	return 0;
}
