/*
 * Private part of names.h: the path from an object to a part of it, while it is written. The rest
 * of the address is a constant offset and terms (text times scale).
 */
#ifndef HEDDLE_TRACE_NAMES_INTERNAL_H
#define HEDDLE_TRACE_NAMES_INTERNAL_H

#include "base/strbuf.h"
#include "ir/ir.h"

enum { PATH_TERMS = 8 };

struct path {
	const struct ir_program *p;
	struct strbuf *out;
	uint32_t dtype; /* type at the end of the path so far */
	int64_t offset; /* bytes from there to the access */
	uint64_t size; /* of the access, in bytes */
	bool whole;    /* the path may end at a struct or array of that size */
	bool begun;    /* a field or index was written */
	uint32_t nterms;
	struct path_term {
		const char *text;
		int64_t scale; /* bytes */
	} terms[PATH_TERMS];
};

/* Appends fields and indices down to the data accessed; `dot` is written before the first field. */
void path_walk(struct path *w, const char *dot);
/* Whether the rest of the address has an index of elements of s bytes. */
bool path_has_index(const struct path *w, uint64_t s);
/* Appends that index, as in "[i + 3]", and removes it from the rest. */
void path_index(struct path *w, uint64_t s);
/* Bytes; 0 = unknown. */
uint64_t dtype_size(const struct ir_program *p, uint32_t dtype);

#endif
