/*
 * Lines of fields: what the driver and its worker say to each other, and the recipe in an
 * executable. Fields are separated by tabs, records end with a newline; tab, newline and backslash
 * inside a field are written \t, \n and \\. The first field is the key.
 */
#ifndef HEDDLE_OBJECT_RECORD_H
#define HEDDLE_OBJECT_RECORD_H

#include "base/strbuf.h"

/* record_add(&b, "unit", name, why): one record of these fields */
#define record_add(out, ...)                                                                       \
	record_add_(out, (const char *const[]){__VA_ARGS__},                                       \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void record_add_(struct strbuf *out, const char *const *fields, size_t n);

#define RECORD_MAX 16

struct record {
	const char *field[RECORD_MAX]; /* "" from n on; inside the reader's text */
	uint32_t n;
};

/* Walks over text, which is changed on the way; false at the end. Fields past the last that fits
 * are dropped; an incomplete last line is not a record. */
struct record_reader {
	char *pos, *end;
};
bool record_next(struct record_reader *r, struct record *out);

#endif
