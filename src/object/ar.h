/*
 * Archives of `ar`: GNU and BSD names, thin archives. The reader checks every size and offset. The
 * writer makes the container of native objects in an executable, so that `ar t` can list it.
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
	char *name;          /* as written; in a thin archive a path from its directory; free it */
	const uint8_t *data; /* NULL in a thin archive */
	size_t n;
	size_t offset; /* offset of data in the archive */
};

/* False if the memory is not an archive. */
bool ar_init(struct ar *a, const void *data, size_t n);
/* The next member that is a file. False at the end; *wrong (if wrong is not NULL) is then NULL, or
 * says in which way the archive is broken. */
bool ar_next(struct ar *a, struct ar_member *m, const char **wrong);

void ar_begin(struct strbuf *out);
/* The name has at most 15 characters and no slash. */
void ar_add(struct strbuf *out, const char *name, const void *data, size_t n);

#endif
