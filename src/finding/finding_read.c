/* Reads findings from JSON. A file of its own because jansson and finding/json.h share names. */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding_fields.h"
#include "finding/testcase.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(enum fault) == 4 && sizeof(enum finding_status) == 4,
	"enumerations are copied as uint32_t");

struct reader {
	const char *from;
	struct strbuf path; /* of the current value: "steps[2].place.line" */
};

static int read_fields(struct reader *r, const struct fields *t, json_t *o, char *s);

static int report_wrong(struct reader *r, const char *what)
{
	return error_("'%s' is not a finding of heddle: '%s' %s", r->from,
		r->path.n ? r->path.s : ".", what);
}

static int read_hex(struct reader *r, const char *hex, char **out)
{
	size_t n = strlen(hex);
	char *s = xmalloc(n / 2 + 1);

	for (size_t i = 0; i < n / 2; i++) {
		unsigned c = 0;

		if (strspn(hex + 2 * i, "0123456789abcdef") < 2 ||
			sscanf(hex + 2 * i, "%2x", &c) != 1 || !c) {
			free(s);
			return report_wrong(r, "has invalid bytes");
		}
		s[i] = (char)c;
	}
	s[n / 2] = 0;
	*out = s;
	return n % 2 ? (free(s), *out = NULL, report_wrong(r, "has an odd number of digits")) : 0;
}

/* Reads a string; null gives NULL. */
static int read_str(struct reader *r, json_t *v, char **out)
{
	json_t *hex = json_object_get(v, "hex");

	*out = NULL;
	if (json_is_null(v))
		return 0;
	if (json_is_string(hex))
		return read_hex(r, json_string_value(hex), out);
	if (!json_is_string(v))
		return report_wrong(r, "is not a string");
	if (strlen(json_string_value(v)) != json_string_length(v))
		return report_wrong(r, "has a NUL in it");
	*out = xstrdup(json_string_value(v));
	return 0;
}

static int read_number(struct reader *r, json_t *v, uint64_t max, uint64_t *out)
{
	const char *s = json_string_value(v);
	char *end = NULL;

	if (s) {
		errno = 0;
		*out = strtoull(s, &end, 16);
		if (strncmp(s, "0x", 2) || !s[2] || s[2] == '-' || s[2] == '+' || s[2] == ' ' ||
			*end || errno)
			return report_wrong(r, "is not a number");
	} else if (!json_is_integer(v) || json_integer_value(v) < 0) {
		return report_wrong(r, "is not a number");
	} else {
		*out = (uint64_t)json_integer_value(v);
	}
	return *out > max ? report_wrong(r, "is too large") : 0;
}

static const char *word_of(enum field_type type, uint32_t i)
{
	switch (type) {
	case FIELD_KIND: return i < NFAULTS ? fault_words[i].word : NULL;
	case FIELD_STATUS: return i < FINDING_NSTATUSES ? finding_status_words[i] : NULL;
	case FIELD_FLIP_KIND: return i < FLIP_NKINDS ? flip_kind_words[i] : NULL;
	case FIELD_OP: return i < STEP_NOPS ? step_op_words[i] : NULL;
	case FIELD_FLIP_CLASS: return i < FLIP_NCLASSES ? flip_class_words[i] : NULL;
	default: return NULL;
	}
}

static int read_word(struct reader *r, const struct field *f, json_t *v, char *at)
{
	const char *s = json_string_value(v), *word;

	for (uint32_t i = 0; s && (word = word_of(f->type, i)); i++)
		if (!strcmp(s, word)) {
			memcpy(at, &i, sizeof i);
			return 0;
		}
	return report_wrong(r, "is unknown (written by a newer heddle?)");
}

static int read_list(struct reader *r, const struct field *f, json_t *list, char *at)
{
	size_t size = f->type == FIELD_LIST ? f->of->size : sizeof(char *);
	struct field_vec v = {0};
	size_t n = json_array_size(list), path = r->path.n;
	int rc = 0;

	if (!json_is_array(list))
		return report_wrong(r, "is not a list");
	if (n > UINT32_MAX)
		return report_wrong(r, "is too long");
	v.at = n ? xcalloc(n, size) : NULL;
	v.cap = (uint32_t)n;
	/* v.n counts an element before it is read, so that an error releases what it has. */
	while (!rc && v.n < n) {
		char *elem = (char *)v.at + v.n * size, *s = NULL;
		json_t *e = json_array_get(list, v.n);

		strbuf_addf(&r->path, "[%u]", v.n++);
		if (f->type == FIELD_LIST) {
			rc = read_fields(r, f->of, e, elem);
		} else {
			rc = read_str(r, e, &s);
			memcpy(elem, &s, sizeof s);
			if (!rc && !s)
				rc = report_wrong(r, "is not a string");
		}
		r->path.n = path;
		r->path.s[path] = 0;
	}
	field_vec_put(at, v);
	return rc;
}

static int read_name(struct reader *r, json_t *v, char *at)
{
	char *s;

	if (read_str(r, v, &s))
		return -1;
	if (!s || strlen(s) >= sizeof((struct finding *)0)->name) {
		free(s);
		return report_wrong(r, "is not the name of a finding");
	}
	memcpy(at, s, strlen(s) + 1);
	free(s);
	return 0;
}

/* Uses the reader of test cases, whose messages name the value within the test case. */
static int read_test(struct reader *r, json_t *v, char *at)
{
	struct testcase *test = xcalloc(1, sizeof *test);
	char *text = json_dumps(v, JSON_ENCODE_ANY);
	int rc = text ? testcase_from_json(test, text, strlen(text), r->from)
		      : report_wrong(r, "is not a test case");

	free(text);
	if (rc)
		free(test);
	else
		memcpy(at, &test, sizeof test);
	return rc;
}

static int read_field(struct reader *r, const struct field *f, json_t *v, char *at)
{
	uint64_t n = UINT32_MAX;
	uint32_t u32;
	char *s;
	int rc = 0;

	switch ((enum field_type)f->type) {
	case FIELD_STR:
		rc = read_str(r, v, &s);
		memcpy(at, &s, sizeof s);
		return rc || s || !f->required ? rc : report_wrong(r, "is missing");
	case FIELD_NAME: return read_name(r, v, at);
	case FIELD_U32:
	case FIELD_ID:
		if (f->type == FIELD_U32 || !json_is_null(v))
			rc = read_number(r, v, UINT32_MAX, &n);
		u32 = (uint32_t)n;
		memcpy(at, &u32, sizeof u32);
		return rc;
	case FIELD_U64:
	case FIELD_HASH:
		rc = read_number(r, v, UINT64_MAX, &n);
		memcpy(at, &n, sizeof n);
		return rc;
	case FIELD_BIT:
		if (!json_is_boolean(v))
			return report_wrong(r, "is neither true nor false");
		memcpy(&u32, at, sizeof u32);
		u32 |= json_is_true(v) ? f->arg : 0;
		memcpy(at, &u32, sizeof u32);
		return 0;
	case FIELD_KIND:
	case FIELD_STATUS:
	case FIELD_FLIP_KIND:
	case FIELD_FLIP_CLASS:
	case FIELD_OP: return read_word(r, f, v, at);
	case FIELD_FLIP:
	case FIELD_PLACE: return read_fields(r, f->of, v, at);
	case FIELD_LIST:
	case FIELD_STRS: return read_list(r, f, v, at);
	case FIELD_TEST: return read_test(r, v, at);
	}
	BUG("field type %d", f->type);
}

static int read_fields(struct reader *r, const struct fields *t, json_t *o, char *s)
{
	size_t path = r->path.n;
	int rc = 0;

	if (!json_is_object(o))
		return report_wrong(r, "is not an object");
	for (uint32_t i = 0; !rc && i < t->n; i++) {
		json_t *v = json_object_get(o, t->at[i].key);

		strbuf_addf(&r->path, "%s%s", path ? "." : "", t->at[i].key);
		if (v)
			rc = read_field(r, &t->at[i], v, s + t->at[i].at);
		else if (t->at[i].required)
			rc = report_wrong(r, "is missing");
		r->path.n = path;
		r->path.s[path] = 0;
	}
	return rc;
}

/* Every number of a thread is that of a thread of the finding. */
static int check_finding(struct reader *r, const struct finding *f)
{
	const char *what = NULL;

	vec_each (&f->threads, i)
		if (f->threads.at[i].parent != UINT32_MAX &&
			f->threads.at[i].parent >= f->threads.n)
			what = "has a thread whose creator does not exist";
	vec_each (&f->steps, i)
		if (f->steps.at[i].thread >= f->threads.n)
			what = "has a step of a thread that does not exist";
		else if (f->steps.at[i].reads_from > f->steps.n)
			what = "has a step that reads from one that does not exist";
	vec_each (&f->moves, i)
		if (f->moves.at[i].thread >= f->threads.n)
			what = "has a segment of a thread that does not exist";
	if ((f->a != UINT32_MAX && f->a && f->a >= f->threads.n) ||
		(f->b != UINT32_MAX && f->b && f->b >= f->threads.n) ||
		(f->expect_thread != UINT32_MAX && f->expect_thread &&
			f->expect_thread >= f->threads.n) ||
		(f->flip.kind != FLIP_NONE && f->flip.thread && f->flip.thread >= f->threads.n))
		what = "is about a thread that does not exist";
	return what ? error_("'%s' is not a finding of heddle: it %s", r->from, what) : 0;
}

struct finding *finding_from_json(const char *text, size_t n, const char *from)
{
	struct reader r = {.from = from};
	struct finding *f = NULL;
	json_error_t e;
	json_t *o = json_loadb(text, n, 0, &e);

	if (!o) {
		error_("'%s' is not a finding of heddle: line %d: %s", from, e.line, e.text);
		return NULL;
	}
	f = finding_new();
	if (read_fields(&r, &finding_fields, o, (char *)f) || check_finding(&r, f)) {
		finding_free(f);
		f = NULL;
	}
	strbuf_release(&r.path);
	json_decref(o);
	return f;
}

struct finding *finding_copy(const struct finding *f)
{
	struct strbuf b = {0};
	struct finding *copy;

	finding_to_json(f, &b);
	copy = finding_from_json(b.s, b.n, "a copy");
	BUG_ON(!copy);
	strbuf_release(&b);
	return copy;
}
