#include "memory/strip.h"

#include "base/base.h"
#include "base/parray.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 256 };

struct piece {
	uint32_t refs, n;
	uint8_t bytes[];
};

struct strip {
	uint32_t refs, n;
	struct parray pieces;
	uint8_t bytes[]; /* all bytes if n <= PIECE; then there are no pieces */
};

static void piece_ref(void *element)
{
	((struct piece *)element)->refs++;
}

static void piece_unref(void *element)
{
	struct piece *p = element;

	if (!--p->refs)
		free(p);
}

static uint64_t piece_bytes(const void *element)
{
	const struct piece *p = element;

	return p->refs > 1 ? 0 : sizeof *p + p->n;
}

static const struct parray_ops piece_ops = {piece_ref, piece_unref, piece_bytes};

static struct piece *piece_new(const uint8_t *bytes, uint32_t n)
{
	struct piece *p = xmalloc(sizeof *p + n);

	*p = (struct piece){.refs = 1, .n = n};
	memcpy(p->bytes, bytes, n);
	return p;
}

static struct strip *strip_ref(struct strip *s)
{
	if (s)
		s->refs++;
	return s;
}

static struct strip *make_small(struct strip *old, const void *bytes, uint32_t n)
{
	struct strip *s;

	if (old && old->n == n && !memcmp(old->bytes, bytes, n))
		return strip_ref(old);
	s = xmalloc(sizeof *s + n);
	*s = (struct strip){.refs = 1, .n = n};
	memcpy(s->bytes, bytes, n);
	return s;
}

/* A new strip of n bytes with the pieces of `old`. */
static struct strip *copy_pieces(const struct strip *old, uint32_t n)
{
	struct strip *s = xmalloc(sizeof *s);

	*s = (struct strip){.refs = 1, .n = n};
	if (old)
		s->pieces = parray_copy(old->pieces);
	return s;
}

struct strip *strip_new(struct strip *old, const void *bytes, uint32_t n)
{
	return strip_new_from(old, bytes, n, 0);
}

struct strip *strip_new_from(struct strip *old, const void *bytes, uint32_t n, uint32_t from)
{
	struct strip *s = NULL;
	uint32_t i;

	if (!n)
		return NULL;
	if (n <= PIECE)
		return make_small(old, bytes, n);
	from = old && old->n > PIECE ? MIN(from, MIN(n, old->n)) : 0;
	for (i = from / PIECE; i * PIECE < n; i++) {
		const uint8_t *at = (const uint8_t *)bytes + i * PIECE;
		uint32_t len = MIN(n - i * PIECE, (uint32_t)PIECE);
		struct piece *p = old ? parray_get(old->pieces, i) : NULL;

		if (p && p->n == len && !memcmp(p->bytes, at, len))
			continue;
		if (!s)
			s = copy_pieces(old, n);
		parray_set(&s->pieces, &piece_ops, i, piece_new(at, len));
	}
	if (!s && old->n == n)
		return strip_ref(old);
	if (!s)
		s = copy_pieces(old, n);
	for (; parray_get(s->pieces, i); i++)
		parray_set(&s->pieces, &piece_ops, i, NULL);
	return s;
}

void strip_unref(struct strip *s)
{
	BUG_ON(s && !s->refs);
	if (!s || --s->refs)
		return;
	parray_release(&s->pieces, &piece_ops);
	free(s);
}

uint32_t strip_size(const struct strip *s)
{
	return s ? s->n : 0;
}

void strip_get(const struct strip *s, void *to)
{
	if (s && s->n <= PIECE) {
		memcpy(to, s->bytes, s->n);
		return;
	}
	for (uint32_t at = 0; at < strip_size(s); at += PIECE) {
		const struct piece *p = parray_get(s->pieces, at / PIECE);

		memcpy((uint8_t *)to + at, p->bytes, p->n);
	}
}

struct target {
	uint8_t *to;
	uint32_t end; /* index of a piece; the caller copies the pieces from here on */
};

static void get_piece(void *ctx, uint32_t i, void *old, void *new)
{
	struct target *x = ctx;
	const struct piece *p = new;

	(void)old;
	if (p && i < x->end)
		memcpy(x->to + i * PIECE, p->bytes, p->n);
}

void strip_get_from(const struct strip *s, void *to, const struct strip *old, uint32_t from)
{
	struct target x = {to, from / PIECE};

	if (!old || strip_size(s) <= PIECE || old->n <= PIECE) {
		strip_get(s, to);
		return;
	}
	if (s != old)
		parray_diff(old->pieces, s->pieces, get_piece, &x);
	for (uint32_t i = x.end; i * PIECE < s->n; i++) {
		const struct piece *p = parray_get(s->pieces, i);

		memcpy(x.to + i * PIECE, p->bytes, p->n);
	}
}

bool strip_same(const struct strip *s, const void *bytes, uint32_t n)
{
	if (strip_size(s) != n)
		return false;
	if (n <= PIECE)
		return !n || !memcmp(s->bytes, bytes, n);
	for (uint32_t at = 0; at < n; at += PIECE) {
		const struct piece *p = parray_get(s->pieces, at / PIECE);

		if (memcmp(p->bytes, (const uint8_t *)bytes + at, p->n))
			return false;
	}
	return true;
}

uint64_t strip_bytes(const struct strip *s)
{
	if (!s || s->refs > 1)
		return 0;
	return sizeof *s + (s->n <= PIECE ? s->n : parray_bytes(s->pieces, &piece_ops));
}
