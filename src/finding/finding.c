#include "finding/finding_fields.h"

#include "finding/testcase.h"

#include <string.h>

const char *const finding_status_words[FINDING_NSTATUSES] = {
#define X(id, word) [FINDING_##id] = word,
	FINDING_STATUSES(X)
#undef X
};

const char *const flip_kind_words[FLIP_NKINDS] = {
#define X(id, word) [FLIP_##id] = word,
	FLIP_KINDS(X)
#undef X
};

const char *const flip_class_words[FLIP_NCLASSES] = {
#define X(id, word) [FLIP_##id] = word,
	FLIP_CLASSES(X)
#undef X
};

const char *const step_op_words[STEP_NOPS] = {
#define X(id, word) [STEP_OP_##id] = word,
	STEP_OPS(X)
#undef X
};

/* ---- the fields ----------------------------------------------------------------------------- */

#define F(S, key, type, field)       {key, type, false, offsetof(S, field), 0, NULL}
#define FREQ(S, key, type, field)    {key, type, true, offsetof(S, field), 0, NULL}
#define FBIT(S, key, field, bit)     {key, FIELD_BIT, false, offsetof(S, field), bit, NULL}
#define FOF(S, key, type, field, of) {key, type, false, offsetof(S, field), 0, of}
#define FIELDS(S, list)              {list, ARRAY_SIZE(list), sizeof(S)}

static const struct field place_list[] = {
	F(struct finding_place, "file", FIELD_STR, file),
	F(struct finding_place, "line", FIELD_U32, line),
	F(struct finding_place, "column", FIELD_U32, col),
	F(struct finding_place, "function", FIELD_STR, function),
};
static const struct fields place_fields = FIELDS(struct finding_place, place_list);

static const struct field thread_list[] = {
	FREQ(struct finding_thread, "parent", FIELD_ID, parent),
	FREQ(struct finding_thread, "nth", FIELD_ID, nth),
	F(struct finding_thread, "name", FIELD_STR, name),
	FOF(struct finding_thread, "created", FIELD_PLACE, created, &place_fields),
};
static const struct fields thread_fields = FIELDS(struct finding_thread, thread_list);

static const struct field step_list[] = {
	FREQ(struct finding_step, "thread", FIELD_U32, thread),
	FBIT(struct finding_step, "key", flags, STEP_KEY),
	FBIT(struct finding_step, "last", flags, STEP_LAST),
	FBIT(struct finding_step, "switch", flags, STEP_SWITCHED),
	FBIT(struct finding_step, "minor", flags, STEP_MINOR),
	F(struct finding_step, "point", FIELD_U64, point),
	FOF(struct finding_step, "place", FIELD_PLACE, place, &place_fields),
	F(struct finding_step, "source", FIELD_STR, source),
	F(struct finding_step, "what", FIELD_STR, what),
	F(struct finding_step, "recorded", FIELD_STR, recorded),
	FOF(struct finding_step, "stack", FIELD_LIST, stack, &place_fields),
	F(struct finding_step, "op", FIELD_OP, op),
	F(struct finding_step, "data", FIELD_STR, data),
	F(struct finding_step, "value", FIELD_STR, value),
	F(struct finding_step, "reads_from", FIELD_U32, reads_from),
	F(struct finding_step, "recorded_at", FIELD_U32, recorded_at),
	F(struct finding_step, "held", FIELD_STRS, held),
};
static const struct fields step_fields = FIELDS(struct finding_step, step_list);

static const struct field note_list[] = {
	FREQ(struct finding_note, "head", FIELD_STR, head),
	FREQ(struct finding_note, "text", FIELD_STR, text),
};
static const struct fields note_fields = FIELDS(struct finding_note, note_list);

static const struct field snippet_list[] = {
	FREQ(struct finding_snippet, "file", FIELD_STR, file),
	FREQ(struct finding_snippet, "first", FIELD_U32, first),
	FREQ(struct finding_snippet, "text", FIELD_STR, text),
};
static const struct fields snippet_fields = FIELDS(struct finding_snippet, snippet_list);

static const struct field move_list[] = {
	FREQ(struct finding_move, "thread", FIELD_U32, thread),
	FREQ(struct finding_move, "until", FIELD_U64, until),
};
static const struct fields move_fields = FIELDS(struct finding_move, move_list);

static const struct field flip_list[] = {
	FREQ(struct finding_flip, "kind", FIELD_FLIP_KIND, kind),
	FREQ(struct finding_flip, "class", FIELD_FLIP_CLASS, class_),
	F(struct finding_flip, "why", FIELD_STR, why),
	F(struct finding_flip, "recorded", FIELD_STR, recorded),
	F(struct finding_flip, "flipped", FIELD_STR, flipped),
	FREQ(struct finding_flip, "thread", FIELD_U32, thread),
	F(struct finding_flip, "func", FIELD_ID, func),
	F(struct finding_flip, "insn", FIELD_ID, insn),
	F(struct finding_flip, "index", FIELD_U64, index),
	F(struct finding_flip, "value", FIELD_U64, value),
	F(struct finding_flip, "address", FIELD_STR, address),
	F(struct finding_flip, "point", FIELD_U64, point),
	F(struct finding_flip, "instances", FIELD_U64, instances),
};
static const struct fields flip_fields = FIELDS(struct finding_flip, flip_list);

static const struct field finding_list[] = {
	F(struct finding, "name", FIELD_NAME, name),
	FREQ(struct finding, "kind", FIELD_KIND, kind),
	FREQ(struct finding, "status", FIELD_STATUS, status),
	FREQ(struct finding, "fingerprint", FIELD_HASH, fingerprint),
	FREQ(struct finding, "title", FIELD_STR, title),
	F(struct finding, "summary", FIELD_STR, summary),
	FOF(struct finding, "threads", FIELD_LIST, threads, &thread_fields),
	FOF(struct finding, "steps", FIELD_LIST, steps, &step_fields),
	FOF(struct finding, "notes", FIELD_LIST, notes, &note_fields),
	FOF(struct finding, "snippets", FIELD_LIST, snippets, &snippet_fields),
	FOF(struct finding, "moves", FIELD_LIST, moves, &move_fields),
	F(struct finding, "goal", FIELD_U32, goal),
	F(struct finding, "a", FIELD_ID, a),
	F(struct finding, "b", FIELD_ID, b),
	F(struct finding, "at_a", FIELD_U64, at_a),
	F(struct finding, "at_b", FIELD_U64, at_b),
	F(struct finding, "switches", FIELD_U32, switches),
	FOF(struct finding, "flip", FIELD_FLIP, flip, &flip_fields),
	FBIT(struct finding, "by_outcome", by_outcome, 1),
	FBIT(struct finding, "reused", reused, 1),
	F(struct finding, "expect_thread", FIELD_ID, expect_thread),
	F(struct finding, "test", FIELD_TEST, test),
	F(struct finding, "argv", FIELD_STRS, argv),
	F(struct finding, "exclude", FIELD_STRS, exclude),
	F(struct finding, "exe", FIELD_STR, exe),
	F(struct finding, "cwd", FIELD_STR, cwd),
	F(struct finding, "input", FIELD_STR, input),
	F(struct finding, "bitcode", FIELD_HASH, bitcode),
	F(struct finding, "outcome", FIELD_STR, outcome),
	F(struct finding, "divergence", FIELD_STR, divergence),
	F(struct finding, "hash", FIELD_HASH, hash),
};
const struct fields finding_fields = FIELDS(struct finding, finding_list);

/* ---- lifetime ------------------------------------------------------------------------------- */

struct field_vec field_vec_get(const void *vec)
{
	struct field_vec v;

	_Static_assert(sizeof v == sizeof(VEC(char *)), "a VEC is a pointer and two numbers");
	memcpy(&v, vec, sizeof v);
	return v;
}

void field_vec_put(void *vec, struct field_vec v)
{
	memcpy(vec, &v, sizeof v);
}

static void fields_release(const struct fields *t, void *s);

static void field_release(const struct field *f, char *at)
{
	struct field_vec v = {0};
	struct testcase *test;
	char *s = NULL;

	switch (f->type) {
	case FIELD_STR:
		memcpy(&s, at, sizeof s);
		free(s);
		break;
	case FIELD_FLIP:
	case FIELD_PLACE: fields_release(f->of, at); break;
	case FIELD_LIST:
		v = field_vec_get(at);
		for (uint32_t i = 0; i < v.n; i++)
			fields_release(f->of, (char *)v.at + (size_t)i * f->of->size);
		free(v.at);
		break;
	case FIELD_STRS:
		v = field_vec_get(at);
		for (uint32_t i = 0; i < v.n; i++)
			free(((char **)v.at)[i]);
		free(v.at);
		break;
	case FIELD_TEST:
		memcpy(&test, at, sizeof test);
		testcase_free(test);
		break;
	default: break;
	}
}

static void fields_release(const struct fields *t, void *s)
{
	for (uint32_t i = 0; i < t->n; i++)
		field_release(&t->at[i], (char *)s + t->at[i].at);
	memset(s, 0, t->size);
}

void finding_place_release(struct finding_place *p)
{
	fields_release(&place_fields, p);
}

struct finding *finding_new(void)
{
	struct finding *f = xcalloc(1, sizeof *f);

	f->a = f->b = f->expect_thread = UINT32_MAX;
	return f;
}

void finding_free(struct finding *f)
{
	if (!f)
		return;
	fields_release(&finding_fields, f);
	free(f);
}
