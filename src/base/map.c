#include "base/map.h"

#include "base/base.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

void map_clear(struct map *m)
{
	if (m->cap)
		memset(m->slots, 0, m->cap * sizeof *m->slots);
	m->n = 0;
}

static struct map_slot *find_slot(const struct map *m, uint64_t key)
{
	uint32_t mask = m->cap - 1, i;

	for (i = (uint32_t)hash_u64(key) & mask; m->slots[i].used; i = (i + 1) & mask)
		if (m->slots[i].key == key)
			break;
	return &m->slots[i];
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (!m->n)
		return NULL;
	s = find_slot(m, key);
	return s->used ? &s->val : NULL;
}

static void resize_table(struct map *m, uint32_t cap)
{
	struct map old = *m;

	m->cap = cap;
	m->slots = xcalloc(cap, sizeof *m->slots);
	map_each (&old, i)
		*find_slot(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *map_put(struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (m->n + 1 > m->cap / 4 * 3)
		resize_table(m, m->cap ? m->cap * 2 : 16);
	s = find_slot(m, key);
	if (!s->used) {
		*s = (struct map_slot){.key = key, .used = true};
		m->n++;
	}
	return &s->val;
}

bool map_del(struct map *m, uint64_t key)
{
	uint32_t mask = m->cap - 1, i, j, home;
	struct map_slot *s;

	if (!m->n)
		return false;
	s = find_slot(m, key);
	if (!s->used)
		return false;
	m->n--;
	/* close the hole at i: move back each later entry whose home slot is not after the hole */
	for (i = (uint32_t)(s - m->slots), j = i;;) {
		m->slots[i].used = false;
		do {
			j = (j + 1) & mask;
			if (!m->slots[j].used)
				return true;
			home = (uint32_t)hash_u64(m->slots[j].key) & mask;
		} while (i <= j ? i < home && home <= j : i < home || home <= j);
		m->slots[i] = m->slots[j];
		i = j;
	}
}

void intern_init(struct intern *in)
{
	*in = (struct intern){0};
	arena_init(&in->arena);
	intern_strn(in, "", 0);
}

void intern_release(struct intern *in)
{
	arena_release(&in->arena);
	map_release(&in->by_hash);
	free(in->strs);
	free(in->next);
	*in = (struct intern){0};
}

uint32_t intern_str(struct intern *in, const char *s)
{
	return intern_strn(in, s, strlen(s));
}

bool intern_lookup(const struct intern *in, const char *s, uint32_t *id)
{
	uint32_t k = (uint32_t)map_get_or(&in->by_hash, hash_bytes(s, strlen(s)), 0);

	for (; k; k = in->next[k - 1])
		if (!strcmp(in->strs[k - 1], s)) {
			*id = k - 1;
			return true;
		}
	return false;
}

uint32_t intern_strn(struct intern *in, const char *s, size_t n)
{
	uint64_t *first = map_put(&in->by_hash, hash_bytes(s, n));
	uint32_t id;

	for (id = (uint32_t)*first; id; id = in->next[id - 1])
		if (!strncmp(in->strs[id - 1], s, n) && !in->strs[id - 1][n])
			return id - 1;
	if (in->n == in->cap) {
		in->cap = in->cap ? in->cap * 2 : 64;
		in->strs = xrealloc(in->strs, in->cap * sizeof *in->strs);
		in->next = xrealloc(in->next, in->cap * sizeof *in->next);
	}
	id = in->n++;
	in->strs[id] = arena_strndup(&in->arena, s, n);
	in->next[id] = (uint32_t)*first;
	*first = id + 1;
	return id;
}
