/* The symbolic part of a saved state: the path condition and symbolic memory. */
#include "base/base.h"
#include "memory/strip.h"
#include "symbolic/lazy.h"
#include "symbolic/sym_internal.h"

#include <stdlib.h>

struct sym_state {
	struct sym sym; /* the fields of take_shared() are 0, except for a copy of lazy */
	struct strip *path, *fixed, *switches;
};

/* Copies the fields of struct sym that are not state, or are saved as a strip or a copy. */
static void take_shared(struct sym *to, const struct sym *from)
{
	to->ask = from->ask;
	to->ops = from->ops;
	to->ctx = from->ctx;
	to->summaries = from->summaries;
	to->bases = from->bases;
	to->opaque_of = from->opaque_of;
	memcpy(&to->opaque, &from->opaque, sizeof to->opaque);
	to->reduced = from->reduced;
	to->nreduced = UINT32_MAX;
	memcpy(&to->path, &from->path, sizeof to->path);
	memcpy(&to->fixed, &from->fixed, sizeof to->fixed);
	memcpy(&to->switches, &from->switches, sizeof to->switches);
	to->lazy = from->lazy;
}

struct sym_state *sym_save(const struct machine *m, const struct sym_state *old)
{
	const struct sym *y = m->sym;
	struct sym_state *s = xmalloc(sizeof *s);

	s->sym = *y;
	take_shared(&s->sym, &(struct sym){.lazy = y->lazy ? lazy_copy(y->lazy) : NULL});
	s->path = strip_vec(old ? old->path : NULL, &y->path);
	s->fixed = strip_vec(old ? old->fixed : NULL, &y->fixed);
	s->switches = strip_vec(old ? old->switches : NULL, &y->switches);
	return s;
}

void sym_restore(struct machine *m, const struct sym_state *s)
{
	struct sym *y = m->sym, live = *y;

	if (live.lazy)
		lazy_free(live.lazy);
	live.lazy = s->sym.lazy ? lazy_copy(s->sym.lazy) : NULL;
	*y = s->sym;
	take_shared(y, &live);
	strip_get_vec(s->path, &y->path);
	strip_get_vec(s->fixed, &y->fixed);
	strip_get_vec(s->switches, &y->switches);
}

static bool same_lazy(const struct lazy *a, const struct lazy *b)
{
	if (!a || !b)
		return a == b;
	if (lazy_count(a) != lazy_count(b))
		return false;
	for (uint32_t i = 0; i < lazy_count(a); i++) {
		const struct lazy_region *x = lazy_get(a, i), *y = lazy_get(b, i);

		if (x->base != y->base || x->size != y->size || !term_same(x->bytes, y->bytes) ||
			!term_same(x->live, y->live) || !term_same(x->size_term, y->size_term))
			return false;
	}
	return true;
}

bool sym_same(const struct machine *m, const struct sym_state *s)
{
	const struct sym *y = m->sym;

	return strip_same(s->path, y->path.at, y->path.n * (uint32_t)sizeof *y->path.at) &&
	       same_lazy(y->lazy, s->sym.lazy);
}

uint64_t sym_state_bytes(const struct sym_state *s)
{
	return sizeof *s + strip_bytes(s->path) + strip_bytes(s->fixed) + strip_bytes(s->switches);
}

void sym_drop(struct sym_state *s)
{
	strip_unref(s->path);
	strip_unref(s->fixed);
	strip_unref(s->switches);
	if (s->sym.lazy)
		lazy_free(s->sym.lazy);
	free(s);
}
