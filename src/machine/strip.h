/*
 * Strips: byte arrays kept in pieces, so that an array that changes little from one save to the next
 * shares most of its pieces with the one before. Immutable; many may hold one.
 * NULL is the empty strip. Lifetime: heap, strip_unref().
 */
#ifndef HEDDLE_MACHINE_STRIP_H
#define HEDDLE_MACHINE_STRIP_H

#include "base/base.h"
#include "base/vec.h"

struct strip;

/* The bytes as a strip that shares with `old` (which may be NULL) what is the same; `old` itself, held
 * once more, if everything is. Time: that of comparing. */
struct strip *strip_new(struct strip *old, const void *bytes, uint32_t n);
/* The same where the first `from` bytes, as far as `old` has them, are known to be its own. */
struct strip *strip_new_from(struct strip *old, const void *bytes, uint32_t n, uint32_t from);
struct strip *strip_ref(struct strip *s);
void strip_unref(struct strip *s);
uint32_t strip_size(const struct strip *s);
/* All of it, to where there is room. */
void strip_get(const struct strip *s, void *to);
/* The same over bytes that were `old` and may have changed since from byte `from` on. */
void strip_get_from(const struct strip *s, void *to, const struct strip *old, uint32_t from);
bool strip_same(const struct strip *s, const void *bytes, uint32_t n);
/* What strip_unref() would free. */
uint64_t strip_bytes(const struct strip *s);

/* A vector (base/vec.h), and back. */
#define strip_vec(old, v) strip_new(old, (v)->at, (uint32_t)((v)->n * sizeof *(v)->at))
#define strip_get_vec(s, v)                                                                        \
	do {                                                                                       \
		(v)->n = (uint32_t)(strip_size(s) / sizeof *(v)->at);                              \
		vec_reserve(v, (v)->n);                                                            \
		strip_get(s, (v)->at);                                                             \
	} while (0)

#endif
