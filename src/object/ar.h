/*
 * Archives of `ar`: GNU and BSD names, thin archives. A reader that believes nothing, and a writer
 * for the container of native objects in an executable (so that `ar t` shows what is in it).
 */
#ifndef HEDDLE_OBJECT_AR_H
#define HEDDLE_OBJECT_AR_H

#include "base/strbuf.h"

struct ar {
	const uint8_t *data;
	size_t n, pos;
	bool thin;
	const uint8_t *long_names;
	size_t nlong;
};

struct ar_member {
	char *name; /* as written; a thin archive's is a path from its directory; free it */
	const uint8_t *data; /* NULL in a thin archive */
	size_t n;
	size_t offset; /* of data in the archive */
};

/* false if the memory is no archive */
bool ar_init(struct ar *a, const void *data, size_t n);
/* The next member that is a file; false at the end or where the archive is broken, then *wrong
 * (if not NULL) says what is wrong with it. */
bool ar_next(struct ar *a, struct ar_member *m, const char **wrong);

void ar_begin(struct strbuf *out);
/* the name has at most 15 characters and no slash */
void ar_add(struct strbuf *out, const char *name, const void *data, size_t n);

#endif
