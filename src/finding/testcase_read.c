/* Reads a test case. Every error message names the value by its path in the file. */
#include "finding/testcase.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"
#include "finding/testcase_bytes.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 8 };

struct reader {
	const char *from;
	struct strbuf path; /* of the current value: "inputs[2].bytes" */
};

static int report_wrong(struct reader *r, const char *what)
{
	return error_("'%s' is not a test case of heddle: '%s' %s", r->from,
		r->path.n ? r->path.s : ".", what);
}

static size_t enter_key(struct reader *r, const char *key)
{
	size_t was = r->path.n;

	strbuf_addf(&r->path, "%s%s", was ? "." : "", key);
	return was;
}

static size_t enter_nth(struct reader *r, size_t i)
{
	size_t was = r->path.n;

	strbuf_addf(&r->path, "[%zu]", i);
	return was;
}

static int leave_key(struct reader *r, size_t was, int rc)
{
	r->path.n = was;
	r->path.s[was] = 0;
	return rc;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_hex(struct reader *r, json_t *v, uint8_t **out, uint64_t *n)
{
	const char *s = json_string_value(v);
	size_t len = json_string_length(v);

	if (!s)
		return report_wrong(r, "is not a string of hexadecimal digits");
	if (len % 2)
		return report_wrong(r, "has an odd number of digits");
	*out = xmalloc(len / 2 + 1);
	*n = len / 2;
	(*out)[*n] = 0;
	for (size_t i = 0; i < len; i += 2) {
		int high = hex_digit(s[i]), low = hex_digit(s[i + 1]);

		if (high < 0 || low < 0)
			return report_wrong(
				r, "is not a string of hexadecimal digits (small letters)");
		(*out)[i / 2] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

/* 'text' and 'value' beside 'hex' are for the user and have no effect. A user who changed them but
 * not 'hex' gets an error. */
static int check_beside(struct reader *r, json_t *o, const uint8_t *s, uint64_t n)
{
	json_t *text = json_object_get(o, "text"), *value = json_object_get(o, "value");
	struct strbuf b = {0};
	int rc = 0;

	bytes_readable(&b, s, n);
	if (text && (!json_is_string(text) || json_string_length(text) != b.n ||
			    memcmp(json_string_value(text), b.s ? b.s : "", b.n)))
		rc = report_wrong(r,
			"has a 'text' that differs from its 'hex' (change 'hex', and remove "
			"'text')");
	else if (value && (!json_is_integer(value) || !bytes_has_value(n) ||
				  json_integer_value(value) != bytes_value(s, n)))
		rc = report_wrong(
			r, "has a 'value' that differs from its 'hex' (remove one of them)");
	strbuf_release(&b);
	return rc;
}

/* {"value": 5, "size": 4} */
static int read_value(struct reader *r, json_t *o, uint8_t **out, uint64_t *n)
{
	json_t *value = json_object_get(o, "value"), *size = json_object_get(o, "size");
	uint64_t v = (uint64_t)json_integer_value(value);

	if (!json_is_integer(value) || !json_is_integer(size) || json_integer_value(size) < 0 ||
		!bytes_has_value((size_t)json_integer_value(size)))
		return report_wrong(r, "needs 'hex', or 'value' and 'size' (1, 2, 4 or 8)");
	*n = (uint64_t)json_integer_value(size);
	*out = xcalloc(MOST_VALUE + 1, 1);
	memcpy(*out, &v, MOST_VALUE);
	if (*n < 8 && (uint64_t)bytes_value(*out, *n) != v && v >> 8 * *n)
		return report_wrong(r, "has a 'value' that does not fit into its 'size'");
	memset(*out + *n, 0, MOST_VALUE - *n);
	return 0;
}

/* Reads bytes, followed by a NUL that *n does not count. The caller owns *out, also after an
 * error. */
static int read_bytes(struct reader *r, json_t *v, uint8_t **out, uint64_t *n)
{
	json_t *hex = json_object_get(v, "hex");
	size_t was;
	int rc;

	*out = NULL;
	*n = 0;
	if (json_is_string(v)) {
		*n = json_string_length(v);
		*out = xmalloc(*n + 1);
		memcpy(*out, json_string_value(v), *n + 1);
		return 0;
	}
	if (!json_is_object(v))
		return report_wrong(
			r, v ? "is neither a string nor bytes ({\"hex\": ...})" : "is missing");
	if (!hex)
		return read_value(r, v, out, n);
	was = enter_key(r, "hex");
	rc = leave_key(r, was, read_hex(r, hex, out, n));
	return rc ? rc : check_beside(r, v, *out, *n);
}

/* Reads a string without NUL characters; null or an absent value gives NULL unless `needed`. */
static int read_string(struct reader *r, json_t *v, bool needed, char **out)
{
	uint8_t *bytes;
	uint64_t n;
	int rc;

	*out = NULL;
	if (!needed && (!v || json_is_null(v)))
		return 0;
	rc = read_bytes(r, v, &bytes, &n);
	if (!rc && strlen((char *)bytes) != n)
		rc = report_wrong(r, "has a NUL in it");
	*out = (char *)bytes;
	return rc;
}

static int get_string(struct reader *r, json_t *o, const char *key, bool needed, char **out)
{
	size_t was = enter_key(r, key);

	return leave_key(r, was, read_string(r, json_object_get(o, key), needed, out));
}

static int get_bool(struct reader *r, json_t *o, const char *key, bool *out)
{
	json_t *v = json_object_get(o, key);
	size_t was = enter_key(r, key);
	int rc = 0;

	*out = json_is_true(v);
	if (v && !json_is_boolean(v))
		rc = report_wrong(r, "is neither true nor false");
	return leave_key(r, was, rc);
}

static int get_number(struct reader *r, json_t *o, const char *key, bool needed, int64_t min,
	int64_t max, int64_t *out)
{
	json_t *v = json_object_get(o, key);
	size_t was = enter_key(r, key);
	int rc = 0;

	*out = json_integer_value(v);
	if (needed && !v)
		rc = report_wrong(r, "is missing");
	else if (v && !json_is_integer(v))
		rc = report_wrong(r, "is not a number");
	else if (*out < min || *out > max)
		rc = report_wrong(r, "is out of range");
	return leave_key(r, was, rc);
}

static int get_identity(struct reader *r, json_t *o, uint64_t *out)
{
	json_t *v = json_object_get(o, "identity");
	const char *s = json_string_value(v);
	size_t was = enter_key(r, "identity"), n = s ? strlen(s) : 0;
	int rc = 0;

	if (v && (!s || strncmp(s, "0x", 2) || n < 3 || n > 18 ||
			 strspn(s + 2, "0123456789abcdef") != n - 2 || json_string_length(v) != n))
		rc = report_wrong(r, "is not a number (\"0x...\")");
	else
		*out = s ? strtoull(s, NULL, 16) : 0;
	return leave_key(r, was, rc);
}

static int read_argv(struct reader *r, json_t *o, struct testcase *tc)
{
	json_t *list = json_object_get(o, "argv");
	size_t was = enter_key(r, "argv");
	int rc = 0;

	if (!json_array_size(list))
		rc = report_wrong(
			r, "is not a list of arguments that begins with the program's name");
	for (size_t i = 0; !rc && i < json_array_size(list); i++) {
		size_t at = enter_nth(r, i);
		char *s;

		rc = leave_key(r, at, read_string(r, json_array_get(list, i), true, &s));
		vec_push(&tc->argv, s);
	}
	return leave_key(r, was, rc);
}

static int check_name(struct reader *r, const struct testcase *tc, const char *name)
{
	const char *what;
	uint32_t nth;
	size_t n;

	if (strcmp(name, "stdin") && (strncmp(name, "file:", 5) || !name[5]) &&
		(strncmp(name, "env:", 4) || !name[4] || strchr(name + 4, '=')) &&
		!testcase_name(name, "object", &what, &n, &nth) &&
		!testcase_name(name, "syscall", &what, &n, &nth))
		return report_wrong(r,
			"is not a known input: stdin, file:PATH, env:NAME, object:NAME#1, "
			"syscall:NAME#1");
	for (uint32_t i = 0; i + 1 < tc->inputs.n; i++)
		if (!strcmp(tc->inputs.at[i].name, name))
			return report_wrong(r, "is given twice");
	return 0;
}

static int read_input(struct reader *r, json_t *o, struct testcase *tc)
{
	struct testcase_input *in = vec_add(&tc->inputs);
	size_t was;
	int rc;

	if (!json_is_object(o))
		return report_wrong(r, "is not an object with 'name' and 'bytes'");
	rc = get_string(r, o, "name", true, &in->name);
	if (rc)
		return rc;
	was = enter_key(r, "name");
	rc = leave_key(r, was, check_name(r, tc, in->name));
	if (rc)
		return rc;
	was = enter_key(r, "bytes");
	rc = read_bytes(r, json_object_get(o, "bytes"), &in->bytes, &in->n);
	if (!rc && !strncmp(in->name, "env:", 4) && memchr(in->bytes, 0, in->n))
		rc = report_wrong(r, "has a NUL in it: a variable cannot");
	return leave_key(r, was, rc);
}

static int read_inputs(struct reader *r, json_t *o, struct testcase *tc)
{
	json_t *list = json_object_get(o, "inputs");
	size_t was = enter_key(r, "inputs");
	int rc = 0;

	if (list && !json_is_array(list))
		rc = report_wrong(r, "is not a list");
	for (size_t i = 0; !rc && i < json_array_size(list); i++) {
		size_t at = enter_nth(r, i);

		rc = leave_key(r, at, read_input(r, json_array_get(list, i), tc));
	}
	return leave_key(r, was, rc);
}

static int read_switch(struct reader *r, json_t *o, struct testcase *tc)
{
	uint64_t last = tc->switches.n ? vec_last(&tc->switches).picks : 0;
	int64_t picks, thread;

	if (!json_is_object(o))
		return report_wrong(r, "is not an object with 'picks' and 'thread'");
	if (get_number(r, o, "picks", true, 0, INT64_MAX, &picks) ||
		get_number(r, o, "thread", true, 0, UINT32_MAX - 1, &thread))
		return -1;
	if ((uint64_t)picks < last)
		return report_wrong(r, "is smaller than the one before: 'picks' must not decrease");
	vec_push(&tc->switches, (struct testcase_choice){(uint32_t)thread, (uint64_t)picks});
	return 0;
}

bool testcase_get_lent(const json_t *o, struct bitset *lent)
{
	enum { MOST = 1 << 20 }; /* far above the size of a stack */

	if (o && (!json_is_array(o) || json_array_size(o) % 2))
		return false;
	for (size_t i = 0; i + 1 < json_array_size(o); i += 2) {
		json_int_t first = json_integer_value(json_array_get(o, i));
		json_int_t n = json_integer_value(json_array_get(o, i + 1));

		if (first < 0 || n < 0 || first > MOST || n > MOST)
			return false;
		for (json_int_t k = 0; k < n; k++)
			bitset_add(lent, (uint32_t)(first + k));
	}
	return true;
}

static int read_lent(struct reader *r, json_t *o, struct testcase *tc)
{
	size_t was = enter_key(r, "lent");
	int rc = 0;

	if (!testcase_get_lent(json_object_get(o, "lent"), &tc->lent))
		rc = report_wrong(r, "is not a list of pairs of numbers");
	return leave_key(r, was, rc);
}

static int read_schedule(struct reader *r, json_t *o, struct testcase *tc)
{
	json_t *s = json_object_get(o, "schedule"), *list = json_object_get(s, "switches");
	size_t was = enter_key(r, "schedule"), at;
	int64_t picks = 0;
	int rc = 0;

	if (!s)
		return leave_key(r, was, 0);
	if (!json_is_object(s))
		return leave_key(r, was, report_wrong(r, "is not an object"));
	rc = get_bool(r, s, "access", &tc->switch_access) ||
			     get_bool(r, s, "spurious", &tc->spurious) || read_lent(r, s, tc) ||
			     get_number(r, s, "picks", false, 0, INT64_MAX, &picks)
		     ? -1
		     : 0;
	tc->picks = (uint64_t)picks;
	at = enter_key(r, "switches");
	if (!rc && list && !json_is_array(list))
		rc = report_wrong(r, "is not a list");
	for (size_t i = 0; !rc && i < json_array_size(list); i++) {
		size_t nth = enter_nth(r, i);

		rc = leave_key(r, nth, read_switch(r, json_array_get(list, i), tc));
	}
	leave_key(r, at, 0);
	return leave_key(r, was, rc);
}

static int read_fate(struct reader *r, json_t *o, struct testcase *tc)
{
	const char *s = json_string_value(json_object_get(o, "fate"));
	size_t was = enter_key(r, "fate");

	for (uint32_t i = 0; s && i < ARRAY_SIZE(testcase_fates); i++)
		if (!strcmp(s, testcase_fates[i])) {
			tc->fate = (enum exec_fate)i;
			return leave_key(r, was, 0);
		}
	return leave_key(
		r, was, report_wrong(r, "is not 'exited', 'fault', 'deadlock' or 'stopped'"));
}

static int read_output(struct reader *r, json_t *o, struct testcase *tc)
{
	json_t *v = json_object_get(o, "output");
	size_t was = enter_key(r, "output");
	uint8_t *bytes = NULL;
	uint64_t n = 0;
	int rc = 0;

	tc->noutput = -1;
	if (v && !json_is_null(v)) {
		rc = read_bytes(r, v, &bytes, &n);
		tc->output = (char *)bytes;
		tc->noutput = (int64_t)n;
	}
	return leave_key(r, was, rc);
}

static int read_kind(struct reader *r, json_t *o, struct testcase *tc)
{
	char *word = NULL;
	size_t was;
	int rc;

	tc->fault = tc->fate == EXEC_DEADLOCK ? FAULT_DEADLOCK : FAULT_NONE;
	tc->stop = STOP_NONE;
	rc = get_string(r, o, "kind", tc->fate == EXEC_FAULT, &word);
	was = enter_key(r, "kind");
	if (!rc && tc->fate == EXEC_FAULT && (tc->fault = fault_by_word(word)) == FAULT_NONE)
		rc = report_wrong(r, "is not a known fault");
	if (!rc && tc->fate == EXEC_STOPPED && word &&
		(tc->stop = exec_stop_by_word(word)) == STOP_NONE)
		rc = report_wrong(r, "is not a known reason to stop");
	free(word);
	return leave_key(r, was, rc);
}

static int read_outcome(struct reader *r, json_t *o, struct testcase *tc)
{
	json_t *out = json_object_get(o, "outcome");
	size_t was = enter_key(r, "outcome");
	int64_t status = 0, line = 0;
	int rc;

	if (!json_is_object(out))
		return leave_key(r, was, report_wrong(r, out ? "is not an object" : "is missing"));
	rc = read_fate(r, out, tc) ||
	     get_number(r, out, "status", false, INT32_MIN, INT32_MAX, &status) ||
	     read_kind(r, out, tc) || get_string(r, out, "file", false, &tc->file) ||
	     get_number(r, out, "line", false, 0, UINT32_MAX, &line) ||
	     get_string(r, out, "report", false, &tc->report) || read_output(r, out, tc) ||
	     get_bool(r, out, "incomplete", &tc->incomplete);
	tc->status = (int)status;
	tc->line = (uint32_t)line;
	return leave_key(r, was, rc ? -1 : 0);
}

static int read_all(struct reader *r, json_t *o, struct testcase *tc)
{
	int64_t version = 0;

	if (!json_object_get(o, "heddle-test"))
		return error_(
			"'%s' is not a test case of heddle: it has no 'heddle-test'", r->from);
	if (get_number(r, o, "heddle-test", true, 1, INT32_MAX, &version))
		return -1;
	if (version > TESTCASE_VERSION)
		return error_("'%s' has version %d, written by a newer heddle (this one reads %d)",
			r->from, (int)version, TESTCASE_VERSION);
	return get_string(r, o, "program", true, &tc->program) ||
			       get_identity(r, o, &tc->identity) ||
			       get_string(r, o, "directory", false, &tc->cwd) ||
			       get_string(r, o, "from", false, &tc->from) ||
			       get_string(r, o, "initial", false, &tc->initial) ||
			       read_argv(r, o, tc) || read_inputs(r, o, tc) ||
			       read_schedule(r, o, tc) || read_outcome(r, o, tc)
		       ? -1
		       : 0;
}

int testcase_from_json(struct testcase *tc, const char *text, size_t n, const char *from)
{
	struct reader r = {.from = from};
	json_error_t e;
	json_t *o;
	int rc;

	*tc = (struct testcase){.noutput = -1};
	o = json_loadb(text, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &e);
	if (!o)
		return error_at((struct diag_pos){from, e.line > 0 ? (uint32_t)e.line : 0,
					e.line > 0 && e.column > 0 ? (uint32_t)e.column : 0},
			"not a test case of heddle: %s", e.text);
	rc = read_all(&r, o, tc);
	strbuf_release(&r.path);
	json_decref(o);
	if (rc)
		testcase_release(tc);
	return rc;
}

int testcase_read(struct testcase *tc, const char *path)
{
	struct strbuf b = {0};
	int rc = file_read(&b, path);

	*tc = (struct testcase){.noutput = -1};
	if (!rc)
		rc = testcase_from_json(tc, b.s ? b.s : "", b.n, path);
	strbuf_release(&b);
	return rc;
}
