#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(16) char data[];
};

void arena_init(struct arena *a)
{
	*a = (struct arena){0};
}

void arena_release(struct arena *a)
{
	struct arena_chunk *c, *next;

	for (c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct arena){0};
}

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_chunk *c;
	size_t room;
	void *p;

	n = ALIGN_UP(MAX(n, (size_t)1), 16);
	if ((size_t)(a->end - a->pos) < n) {
		room = MAX(n, (size_t)CHUNK);
		c = xcalloc(1, sizeof *c + room);
		c->next = a->chunks;
		a->chunks = c;
		a->pos = c->data;
		a->end = c->data + room;
	}
	p = a->pos;
	a->pos += n;
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t n)
{
	void *q = arena_alloc(a, n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}
