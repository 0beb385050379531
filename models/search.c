/* <search.h>: linear search, linked lists, hash tables. Trees are in tsearch.c. */
#include "model.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- linear ------------------------------------------------------------------------------ */

void *lfind(const void *key, const void *base, size_t *n, size_t size,
	int (*compare)(const void *, const void *))
{
	const char *p = base;

	for (size_t i = 0; i < *n; i++, p += size)
		if (compare(key, p) == 0)
			return (void *)p;
	return NULL;
}

void *lsearch(const void *key, void *base, size_t *n, size_t size,
	int (*compare)(const void *, const void *))
{
	char *p = base;

	for (size_t i = 0; i < *n; i++, p += size)
		if (compare(key, p) == 0)
			return p;
	__builtin_memcpy(p, key, size);
	++*n;
	return p;
}

struct element {
	struct element *next, *previous;
};

void insque(void *element, void *after)
{
	struct element *e = element, *a = after;

	e->previous = a;
	e->next = a ? a->next : NULL;
	if (!a)
		return;
	if (a->next)
		a->next->previous = e;
	a->next = e;
}

void remque(void *element)
{
	struct element *e = element;

	if (e->next)
		e->next->previous = e->previous;
	if (e->previous)
		e->previous->next = e->next;
}

/* ---- hash tables: open addressing, never larger than created ------------------------------- */

struct _ENTRY {
	bool used;
	ENTRY entry;
};

static struct hsearch_data shared;

static size_t hash(const char *s)
{
	size_t h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

int __hcreate_r(size_t n, struct hsearch_data *h)
{
	size_t size = 8;

	if (h->table)
		return 0;
	if (n >= UINT_MAX / 4) {
		errno = ENOMEM;
		return 0;
	}
	while (size < n + n / 2)
		size *= 2;
	h->table = __heddle_alloc(size * sizeof *h->table, 16, true);
	if (!h->table) {
		errno = ENOMEM;
		return 0;
	}
	h->size = (unsigned)size;
	h->filled = 0;
	return 1;
}
M_ALIAS(hcreate_r, __hcreate_r);

void __hdestroy_r(struct hsearch_data *h)
{
	if (h->table)
		__heddle_free(h->table);
	h->table = NULL;
}
M_ALIAS(hdestroy_r, __hdestroy_r);

int __hsearch_r(ENTRY item, ACTION action, ENTRY **result, struct hsearch_data *h)
{
	size_t i = hash(item.key) % h->size;

	*result = NULL;
	for (; h->table[i].used; i = (i + 1) % h->size)
		if (strcmp(h->table[i].entry.key, item.key) == 0) {
			*result = &h->table[i].entry;
			return 1;
		}
	if (action == FIND) {
		errno = ESRCH;
		return 0;
	}
	if (h->filled + 1 == h->size) {
		errno = ENOMEM;
		return 0;
	}
	h->filled++;
	h->table[i].used = true;
	h->table[i].entry = item;
	*result = &h->table[i].entry;
	return 1;
}
M_ALIAS(hsearch_r, __hsearch_r);

int hcreate(size_t n)
{
	__heddle_order(&shared, true);
	return __hcreate_r(n, &shared);
}

void hdestroy(void)
{
	__heddle_order(&shared, true);
	__hdestroy_r(&shared);
}

ENTRY *hsearch(ENTRY item, ACTION action)
{
	__heddle_order(&shared, true);
	ENTRY *result;

	__hsearch_r(item, action, &result, &shared);
	return result;
}
