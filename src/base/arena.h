/*
 * Arena: memory with one lifetime, freed at once. The *program* and *phase* lifetimes of the house
 * are arenas. Returned memory is zeroed and aligned to 16 bytes.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include "base/base.h"

struct arena {
	struct arena_chunk *chunks; /* newest first */
	char *pos, *end;            /* the free part of the newest chunk */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void *arena_alloc(struct arena *a, size_t n);
void *arena_memdup(struct arena *a, const void *p, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);

#define arena_new(a, T)      ((T *)arena_alloc(a, sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc(a, sizeof(T) * (size_t)(n)))

#endif
