/*
 * Inside of names.h: a way into an object, while it is written down. What is left of the address is
 * a constant offset, and terms of which only the text is known.
 */
#ifndef HEDDLE_TRACE_NAMES_PATH_H
#define HEDDLE_TRACE_NAMES_PATH_H

#include "base/strbuf.h"
#include "ir/ir.h"

enum { PATH_TERMS = 8 };

struct path {
	const struct ir_program *p;
	struct strbuf *out;
	uint32_t dtype; /* of what is reached so far */
	int64_t offset;
	uint64_t size; /* of the access */
	bool whole;    /* it may be of a whole struct or array: stop there */
	bool begun;    /* a field or index was written */
	uint32_t nterms;
	struct path_term {
		const char *text;
		int64_t scale;
	} terms[PATH_TERMS];
};

/* Walks down to what is accessed; `dot` stands before the first field. */
void path_walk(struct path *w, const char *dot);
/* Whether elements of s bytes are counted, and the index written out: "[i + 3]". */
bool path_has_index(const struct path *w, uint64_t s);
void path_index(struct path *w, uint64_t s);
uint64_t dtype_size(const struct ir_program *p, uint32_t dtype);

#endif
