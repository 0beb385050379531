/*
 * Lines of fields: the recipe in an executable, and the messages between the driver and its worker.
 * A line has fields separated by tabs and ends with a newline; tab, newline and backslash inside a
 * field are written \t, \n and \\. The first field is the key.
 */
#ifndef HEDDLE_OBJECT_FIELDS_H
#define HEDDLE_OBJECT_FIELDS_H

#include "base/strbuf.h"

/* fields_add(&b, "unit", name, why): appends one line with these fields */
#define fields_add(out, ...)                                                                       \
	fields_add_(out, (const char *const[]){__VA_ARGS__},                                       \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void fields_add_(struct strbuf *out, const char *const *fields, size_t n);

#define FIELDS_MAX 16

struct fields {
	const char *field[FIELDS_MAX]; /* inside the text of the reader; "" from n on */
	uint32_t n;
};

/* Reads the text line by line and changes it. fields_next() is false at the end; fields after the
 * first FIELDS_MAX are dropped, and a last line without a newline is ignored. */
struct fields_reader {
	char *pos, *end;
};
bool fields_next(struct fields_reader *r, struct fields *out);

#endif
