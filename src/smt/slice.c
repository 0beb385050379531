#include "smt/slice.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 8 };

struct element { /* an atom that is a byte of an array: the array symbol and the atom's node */
	uint32_t array, node;
};

struct classes { /* the classes of the atoms of one path, as a union-find forest of nodes */
	uint64_t used;           /* value of slice.clock at the last use */
	struct vec_u32 path;     /* terms, as passed to slice_path() */
	struct vec_u32 conjunct; /* the conjuncts of path */
	struct vec_u32 first;    /* by conjunct: the node of one of its atoms */
	struct map has;          /* conjunct -> 1 */
	struct map node;         /* atom -> its node */
	struct vec_u32 up;       /* by node: its parent; a root is its own parent */
	VEC(struct element) elements;
};

struct slice {
	struct terms *ts;
	struct arena arena;
	struct map atoms;     /* term -> struct term_syms * */
	struct vec_u32 stamp; /* by term: number of the last walk that met it */
	uint32_t walk;
	struct classes kept[KEPT], *now; /* now: the current path */
	uint64_t clock;
	struct vec_u32 todo, found, parts; /* scratch */
	struct vec_u32 wanted;             /* by root: the last `question` that needs its class */
	uint32_t question;                 /* number of the current slice_about() */
};

struct slice *slice_new(struct terms *ts)
{
	struct slice *s = xcalloc(1, sizeof *s);

	s->ts = ts;
	arena_init(&s->arena);
	s->now = &s->kept[0];
	return s;
}

static void classes_clear(struct classes *c)
{
	vec_clear(&c->path);
	vec_clear(&c->conjunct);
	vec_clear(&c->first);
	map_clear(&c->has);
	map_clear(&c->node);
	vec_clear(&c->up);
	vec_clear(&c->elements);
}

static void classes_release(struct classes *c)
{
	vec_release(&c->path);
	vec_release(&c->conjunct);
	vec_release(&c->first);
	map_release(&c->has);
	map_release(&c->node);
	vec_release(&c->up);
	vec_release(&c->elements);
}

void slice_free(struct slice *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < KEPT; i++)
		classes_release(&s->kept[i]);
	map_release(&s->atoms);
	arena_release(&s->arena);
	vec_release(&s->stamp);
	vec_release(&s->todo);
	vec_release(&s->found);
	vec_release(&s->parts);
	vec_release(&s->wanted);
	free(s);
}

bool slice_split(struct terms *ts, term_t t, struct vec_u32 *out)
{
	struct vec_u32 todo = {0};
	bool possible = true;

	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_pop(&todo)}, no = term_arg(ts, x, 0);
		enum term_op op = term_op(ts, x);
		u128 k;

		if (term_is_const(ts, x, &k)) {
			possible = possible && k;
		} else if (op == TERM_AND) {
			vec_push(&todo, term_arg(ts, x, 1).id);
			vec_push(&todo, no.id);
		} else if (op == TERM_NOT && term_op(ts, no) == TERM_OR) {
			vec_push(&todo, term_not(ts, term_arg(ts, no, 1)).id);
			vec_push(&todo, term_not(ts, term_arg(ts, no, 0)).id);
		} else {
			vec_push(out, x.id);
		}
	}
	vec_release(&todo);
	return possible;
}

/* -- atoms -- */

static bool is_element(const struct terms *ts, term_t t)
{
	return term_op(ts, t) == TERM_READ && term_op(ts, term_arg(ts, t, 0)) == TERM_SYM &&
	       term_op(ts, term_arg(ts, t, 1)) == TERM_CONST;
}

static void find_atoms(struct slice *s, term_t t)
{
	vec_clear(&s->found);
	vec_clear(&s->todo);
	if (s->stamp.n < terms_count(s->ts))
		vec_resize(&s->stamp, terms_count(s->ts));
	s->walk++;
	vec_push(&s->todo, t.id);
	while (s->todo.n) {
		term_t x = {vec_pop(&s->todo)};

		if (s->stamp.at[x.id] == s->walk)
			continue;
		s->stamp.at[x.id] = s->walk;
		if (term_op(s->ts, x) == TERM_SYM || is_element(s->ts, x)) {
			vec_push(&s->found, x.id);
			continue;
		}
		for (unsigned i = 0; i < 3; i++) {
			term_t a = term_arg(s->ts, x, i);

			if (a.id)
				vec_push(&s->todo, a.id);
		}
	}
	vec_u32_sort(&s->found, 0);
}

const struct term_syms *slice_atoms(struct slice *s, term_t t)
{
	uint64_t *at = map_get(&s->atoms, t.id);
	struct term_syms *r;

	if (at)
		return (const struct term_syms *)(uintptr_t)*at;
	find_atoms(s, t);
	r = arena_alloc(&s->arena, sizeof *r + s->found.n * sizeof *r->at);
	r->n = s->found.n;
	vec_each (&s->found, i)
		r->at[i] = (term_t){s->found.at[i]};
	*map_put(&s->atoms, t.id) = map_ptr(r);
	return r;
}

/* -- classes -- */

static uint32_t root_of(struct classes *c, uint32_t node)
{
	while (c->up.at[node] != node) {
		c->up.at[node] = c->up.at[c->up.at[node]];
		node = c->up.at[node];
	}
	return node;
}

static void join_classes(struct classes *c, uint32_t a, uint32_t b)
{
	c->up.at[root_of(c, a)] = root_of(c, b);
}

static uint32_t *node_of(const struct classes *c, term_t atom, uint32_t *buf)
{
	uint64_t *at = map_get(&c->node, atom.id);

	if (!at)
		return NULL;
	*buf = (uint32_t)*at;
	return buf;
}

static bool is_array(const struct slice *s, term_t atom)
{
	return !term_width(s->ts, atom);
}

static uint32_t add_atom(struct slice *s, term_t atom)
{
	struct classes *c = s->now;
	uint32_t node, other;

	if (node_of(c, atom, &node))
		return node;
	node = c->up.n;
	vec_push(&c->up, node);
	*map_put(&c->node, atom.id) = node;
	if (is_array(s, atom)) {
		vec_each (&c->elements, i)
			if (c->elements.at[i].array == atom.id)
				join_classes(c, c->elements.at[i].node, node);
	} else if (term_op(s->ts, atom) == TERM_READ) {
		term_t array = term_arg(s->ts, atom, 0);

		vec_push(&c->elements, (struct element){array.id, node});
		if (node_of(c, array, &other))
			join_classes(c, node, other);
	}
	return node;
}

static void add_conjunct(struct slice *s, uint32_t conjunct)
{
	struct classes *c = s->now;
	const struct term_syms *atoms;
	uint64_t *has = map_put(&c->has, conjunct);
	uint32_t first = 0;

	if (*has)
		return;
	*has = 1;
	atoms = slice_atoms(s, (term_t){conjunct});
	for (uint32_t i = 0; i < atoms->n; i++) {
		uint32_t node = add_atom(s, atoms->at[i]);

		if (i)
			join_classes(c, node, first);
		else
			first = node;
	}
	if (!atoms->n) { /* without symbols, but not folded: a class of its own */
		first = c->up.n;
		vec_push(&c->up, first);
	}
	vec_push(&c->conjunct, conjunct);
	vec_push(&c->first, first);
}

/* whether the path of c is a prefix of this path */
static bool extends_path(const struct classes *c, const term_t *path, uint32_t n)
{
	uint32_t m = c->path.n;

	_Static_assert(sizeof *path == sizeof *c->path.at, "a path is an array of ids");
	return m <= n && (!m || (path[m - 1].id == c->path.at[m - 1] &&
					!memcmp(path, c->path.at, m * sizeof *path)));
}

void slice_path(struct slice *s, const term_t *path, uint32_t n)
{
	struct classes *best = NULL, *oldest = &s->kept[0];

	if (!extends_path(s->now, path, n)) {
		for (unsigned i = 0; i < KEPT; i++) {
			struct classes *c = &s->kept[i];

			if (c->used < oldest->used)
				oldest = c;
			if (extends_path(c, path, n) && (!best || c->path.n > best->path.n))
				best = c;
		}
		if (!best || !best->path.n) {
			best = oldest;
			classes_clear(best);
		}
		s->now = best;
	}
	s->now->used = ++s->clock;
	for (uint32_t i = s->now->path.n; i < n; i++) {
		vec_push(&s->now->path, path[i].id);
		vec_clear(&s->parts);
		slice_split(s->ts, path[i], &s->parts);
		vec_each (&s->parts, k)
			add_conjunct(s, s->parts.at[k]);
	}
}

bool slice_has(const struct slice *s, uint32_t conjunct)
{
	return map_get(&s->now->has, conjunct);
}

const struct vec_u32 *slice_all(const struct slice *s)
{
	return &s->now->conjunct;
}

static void want_node(struct slice *s, uint32_t node)
{
	s->wanted.at[root_of(s->now, node)] = s->question;
}

static void want_atom(struct slice *s, term_t atom)
{
	struct classes *c = s->now;
	uint32_t node;

	if (node_of(c, atom, &node)) {
		want_node(s, node);
	} else if (is_array(s, atom)) {
		vec_each (&c->elements, i)
			if (c->elements.at[i].array == atom.id)
				want_node(s, c->elements.at[i].node);
	} else if (term_op(s->ts, atom) == TERM_READ &&
		   node_of(c, term_arg(s->ts, atom, 0), &node)) {
		want_node(s, node);
	}
}

void slice_about(struct slice *s, const uint32_t *terms, uint32_t n, struct vec_u32 *out)
{
	struct classes *c = s->now;

	if (s->wanted.n < c->up.n)
		vec_resize(&s->wanted, c->up.n);
	s->question++;
	for (uint32_t i = 0; i < n; i++) {
		const struct term_syms *atoms = slice_atoms(s, (term_t){terms[i]});

		for (uint32_t k = 0; k < atoms->n; k++)
			want_atom(s, atoms->at[k]);
	}
	vec_each (&c->conjunct, i)
		if (s->wanted.at[root_of(c, c->first.at[i])] == s->question)
			vec_push(out, c->conjunct.at[i]);
}

uint32_t slice_class(struct slice *s, uint32_t i)
{
	return root_of(s->now, s->now->first.at[i]);
}
