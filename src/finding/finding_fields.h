/*
 * The fields of a finding as a table. Release (finding.c), writing of JSON (finding_json.c) and
 * reading of JSON (finding_read.c) iterate over it.
 */
#ifndef HEDDLE_FINDING_FINDING_FIELDS_H
#define HEDDLE_FINDING_FINDING_FIELDS_H

#include "finding/finding.h"

enum field_type {
	FIELD_STR,  /* char *, owned; null for NULL */
	FIELD_NAME, /* char[16] */
	FIELD_U32,
	FIELD_ID, /* uint32_t; null for UINT32_MAX */
	FIELD_U64,
	FIELD_HASH,       /* uint64_t, "0x…" */
	FIELD_BIT,        /* bit `arg` of a uint32_t, as a boolean */
	FIELD_KIND,       /* enum fault, by word */
	FIELD_STATUS,     /* enum finding_status, by word */
	FIELD_FLIP,       /* struct finding_flip, fields in `of`; omitted if its kind is NONE */
	FIELD_FLIP_KIND,  /* enum flip_kind, by word */
	FIELD_FLIP_CLASS, /* enum flip_class, by word */
	FIELD_OP,         /* enum step_op, by word */
	FIELD_PLACE,      /* embedded struct, fields in `of` */
	FIELD_LIST,       /* VEC of structs, fields in `of` */
	FIELD_STRS,       /* VEC(char *), strings owned */
	FIELD_TEST,       /* struct testcase *, owned; omitted if NULL */
};

struct field {
	const char *key;
	uint8_t type;
	bool required; /* its absence is an error; other absent fields stay empty */
	uint16_t at;   /* offset in the struct */
	uint32_t arg;  /* FIELD_BIT: the mask */
	const struct fields *of;
};

struct fields {
	const struct field *at;
	uint32_t n;
	uint32_t size; /* of the struct, in bytes */
};

extern const struct fields finding_fields;

struct field_vec { /* layout of every VEC */
	void *at;
	uint32_t n, cap;
};
/* Copy a VEC of any type out and in: its pointer has another type, so a cast would break
 * aliasing. */
struct field_vec field_vec_get(const void *vec);
void field_vec_put(void *vec, struct field_vec v);

#endif
