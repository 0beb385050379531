/*
 * Lines of fields: what the driver and its worker say to each other, and the recipe in an
 * executable. Fields are separated by tabs, records end with a newline; tab, newline and backslash
 * inside a field are written \t, \n and \\. The first field is the key.
 */
#ifndef HEDDLE_OBJECT_FIELDS_H
#define HEDDLE_OBJECT_FIELDS_H

#include "base/strbuf.h"

/* fields_add(&b, "unit", name, why): one record of these fields */
#define fields_add(out, ...)                                                                       \
	fields_add_(out, (const char *const[]){__VA_ARGS__},                                       \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void fields_add_(struct strbuf *out, const char *const *fields, size_t n);

#define FIELDS_MAX 16

struct fields {
	const char *field[FIELDS_MAX]; /* "" from n on; inside the reader's text */
	uint32_t n;
};

/* Walks over text, which is changed on the way; false at the end. Fields past the last that fits
 * are dropped; an incomplete last line is not a record. */
struct fields_reader {
	char *pos, *end;
};
bool fields_next(struct fields_reader *r, struct fields *out);

#endif
