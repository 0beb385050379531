/*
 * Strips: immutable byte arrays in pieces. Successive saves of an array that changes
 * little share most of their pieces. NULL is the empty strip. Lifetime: heap, reference counted,
 * strip_unref().
 */
#ifndef HEDDLE_MEMORY_STRIP_H
#define HEDDLE_MEMORY_STRIP_H

#include "base/base.h"
#include "base/vec.h"

struct strip;

/* The bytes as a strip that shares equal pieces with `old` (which may be NULL); if all bytes are
 * equal, a new reference to `old`. Linear in n. */
struct strip *strip_new(struct strip *old, const void *bytes, uint32_t n);
/* strip_new() if the first `from` bytes, up to the size of `old`, are known to be equal: they are
 * not compared. */
struct strip *strip_new_from(struct strip *old, const void *bytes, uint32_t n, uint32_t from);
void strip_unref(struct strip *s);
uint32_t strip_size(const struct strip *s);
/* Copies all bytes to `to`. */
void strip_get(const struct strip *s, void *to);
/* strip_get() if `to` has the bytes of `old`, possibly changed from byte `from` on: copies only
 * what may differ. */
void strip_get_from(const struct strip *s, void *to, const struct strip *old, uint32_t from);
bool strip_same(const struct strip *s, const void *bytes, uint32_t n);
/* The bytes that strip_unref() would free. */
uint64_t strip_bytes(const struct strip *s);

/* Convert a vector (base/vec.h) to a strip and back. */
#define strip_vec(old, v) strip_new(old, (v)->at, (uint32_t)((v)->n * sizeof *(v)->at))
#define strip_get_vec(s, v)                                                                        \
	do {                                                                                       \
		(v)->n = (uint32_t)(strip_size(s) / sizeof *(v)->at);                              \
		vec_reserve(v, (v)->n);                                                            \
		strip_get(s, (v)->at);                                                             \
	} while (0)

#endif
