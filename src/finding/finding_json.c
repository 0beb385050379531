#include "base/strbuf.h"
#include "finding/finding_fields.h"
#include "finding/testcase.h"
#include "finding/json.h"
#include "base/utf8.h"

#include <string.h>

static void write_fields(struct json *j, const struct fields *t, const char *s);

/* Writes a string that is not UTF-8 (arguments, file names) as hexadecimal digits, so that reading
 * gives the same bytes. */
static void write_str(struct json *j, const char *key, const char *s)
{
	struct strbuf b = {0};

	if (!s || utf8_valid(s)) {
		json_str(j, key, s);
		return;
	}
	for (; *s; s++)
		strbuf_addf(&b, "%02x", (unsigned char)*s);
	json_object(j, key);
	json_str(j, "hex", b.s);
	json_end(j);
	strbuf_release(&b);
}

/* Writes a number above INT64_MAX as a string: many readers have signed 64-bit integers only. */
static void write_number(struct json *j, const char *key, uint64_t v)
{
	if (v <= INT64_MAX)
		json_u64(j, key, v);
	else
		json_addr(j, key, v);
}

static void write_field(struct json *j, const struct field *f, const char *at)
{
	const struct testcase *test;
	struct strbuf b = {0};
	struct field_vec v;
	uint32_t u32 = 0;
	uint64_t u64 = 0;
	char *s = NULL;

	switch ((enum field_type)f->type) {
	case FIELD_STR:
		memcpy(&s, at, sizeof s);
		write_str(j, f->key, s);
		break;
	case FIELD_NAME: write_str(j, f->key, at); break;
	case FIELD_U32:
	case FIELD_ID:
		memcpy(&u32, at, sizeof u32);
		if (f->type == FIELD_ID && u32 == UINT32_MAX)
			json_str(j, f->key, NULL);
		else
			json_u64(j, f->key, u32);
		break;
	case FIELD_U64:
	case FIELD_HASH:
		memcpy(&u64, at, sizeof u64);
		(f->type == FIELD_HASH ? json_addr : write_number)(j, f->key, u64);
		break;
	case FIELD_BIT:
		memcpy(&u32, at, sizeof u32);
		json_bool(j, f->key, u32 & f->arg);
		break;
	case FIELD_KIND:
		memcpy(&u32, at, sizeof u32);
		json_str(j, f->key, fault_words[u32].word);
		break;
	case FIELD_STATUS:
		memcpy(&u32, at, sizeof u32);
		json_str(j, f->key, finding_status_words[u32]);
		break;
	case FIELD_FLIP_KIND:
		memcpy(&u32, at, sizeof u32);
		json_str(j, f->key, flip_kind_words[u32]);
		break;
	case FIELD_FLIP_CLASS:
		memcpy(&u32, at, sizeof u32);
		json_str(j, f->key, flip_class_words[u32]);
		break;
	case FIELD_OP:
		memcpy(&u32, at, sizeof u32);
		json_str(j, f->key, step_op_words[u32]);
		break;
	case FIELD_FLIP:
		if (((const struct finding_flip *)(const void *)at)->kind == FLIP_NONE)
			break;
		/* fallthrough */
	case FIELD_PLACE:
		json_object(j, f->key);
		write_fields(j, f->of, at);
		json_end(j);
		break;
	case FIELD_LIST:
		v = field_vec_get(at);
		json_array(j, f->key);
		for (uint32_t i = 0; i < v.n; i++) {
			json_object(j, NULL);
			write_fields(j, f->of, (char *)v.at + (size_t)i * f->of->size);
			json_end(j);
		}
		json_end(j);
		break;
	case FIELD_STRS:
		v = field_vec_get(at);
		json_array(j, f->key);
		for (uint32_t i = 0; i < v.n; i++)
			write_str(j, NULL, ((char **)v.at)[i]);
		json_end(j);
		break;
	case FIELD_TEST:
		memcpy(&test, at, sizeof test);
		if (!test)
			break;
		testcase_to_json(test, &b);
		json_raw(j, f->key, b.s);
		strbuf_release(&b);
		break;
	}
}

static void write_fields(struct json *j, const struct fields *t, const char *s)
{
	for (uint32_t i = 0; i < t->n; i++)
		write_field(j, &t->at[i], s + t->at[i].at);
}

void finding_to_json(const struct finding *f, struct strbuf *out)
{
	struct json j = {.out = out};

	json_object(&j, NULL);
	write_fields(&j, &finding_fields, (const char *)f);
	json_end(&j);
}
