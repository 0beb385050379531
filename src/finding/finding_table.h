/*
 * The fields of a finding as data: one list that releasing (finding.c), writing and reading JSON
 * (finding_json.c) go through.
 */
#ifndef HEDDLE_FINDING_FINDING_TABLE_H
#define HEDDLE_FINDING_FINDING_TABLE_H

#include "finding/finding.h"

enum field_type {
	FIELD_STR,  /* char *, owned; null for NULL */
	FIELD_NAME, /* char[16] */
	FIELD_U32,
	FIELD_ID, /* uint32_t; null for UINT32_MAX */
	FIELD_U64,
	FIELD_HASH,   /* uint64_t, "0x…" */
	FIELD_BIT,    /* bit `arg` of a uint32_t, as a boolean */
	FIELD_KIND,   /* enum fault, by word */
	FIELD_STATUS, /* enum finding_status, by word */
	FIELD_FLIP,   /* struct finding_flip; not there if its kind is NONE: `of` */
	FIELD_FLIP_KIND,  /* enum flip_kind, by word */
	FIELD_FLIP_CLASS, /* enum flip_class, by word */
	FIELD_PLACE,  /* struct inside: `of` */
	FIELD_LIST,   /* VEC of structs: `of` */
	FIELD_STRS,   /* VEC(char *) */
	FIELD_TEST,   /* struct testcase *, owned; not there if NULL */
};

struct field {
	const char *key;
	uint8_t type;
	bool required; /* reading without it is an error; others are empty then */
	uint16_t at;
	uint32_t arg;
	const struct fields *of;
};

struct fields {
	const struct field *at;
	uint32_t n;
	uint32_t size; /* of the struct */
};

extern const struct fields finding_fields;

struct field_vec { /* what every VEC is */
	void *at;
	uint32_t n, cap;
};
/* Copied out and in, because the types of the pointers differ. */
struct field_vec field_vec_get(const void *vec);
void field_vec_put(void *vec, struct field_vec v);

void fields_release(const struct fields *t, void *s);

#endif
