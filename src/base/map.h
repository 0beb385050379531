/*
 * Hash map from a 64-bit key to a 64-bit value (open addressing, linear probing, at most 3/4 full),
 * and a string interner giving dense 32-bit ids. Both live on the heap of their owner.
 * A zeroed struct map is an empty one. Iteration is in the order of the slots, which depends on the
 * hash and the capacity: sort before the order becomes visible to a user.
 */
#ifndef HEDDLE_BASE_MAP_H
#define HEDDLE_BASE_MAP_H

#include "base/arena.h"

struct map {
	struct map_slot {
		uint64_t key, val;
		bool used;
	} *slots;
	uint32_t n, cap; /* cap is 0 or a power of two */
};

void map_release(struct map *m);
void map_clear(struct map *m);
/* the value's address, or NULL; valid until the next map_put */
uint64_t *map_get(const struct map *m, uint64_t key);
/* the value's address, valid until the next map_put; a new key gets the value 0 */
uint64_t *map_put(struct map *m, uint64_t key);
bool map_del(struct map *m, uint64_t key);
static inline uint64_t map_get_or(const struct map *m, uint64_t key, uint64_t otherwise)
{
	uint64_t *v = map_get(m, key);
	return v ? *v : otherwise;
}
#define map_ptr(p) ((uint64_t)(uintptr_t)(p))
#define map_each(m, i)                                                                             \
	for (uint32_t i = 0; i < (m)->cap; i++)                                                    \
		if ((m)->slots[i].used)

/* Interned strings: id 0 is the empty string; ids are dense and stable. */
struct intern {
	struct arena arena;
	const char **strs; /* by id */
	uint32_t n, cap;
	struct map by_hash; /* hash -> id + 1 of the last string with that hash */
	uint32_t *next;     /* by id: id + 1 of the next string with the same hash; 0: none */
};

void intern_init(struct intern *in);
void intern_release(struct intern *in);
uint32_t intern_str(struct intern *in, const char *s);
uint32_t intern_strn(struct intern *in, const char *s, size_t n);
/* Sets *id to the id of s; false if s is not interned. */
bool intern_lookup(const struct intern *in, const char *s, uint32_t *id);
static inline const char *intern_get(const struct intern *in, uint32_t id)
{
	return in->strs[id];
}

#endif
