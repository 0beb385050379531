/* The terms and symbols below a term, and substitution. */
#include "term/term_table.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void term_reach(const struct terms *ts, const term_t *roots, uint32_t n, struct vec_u32 *out)
{
	struct vec_u32 todo = {0};
	struct map seen = {0};
	uint32_t from = out->n;

	for (uint32_t i = 0; i < n; i++)
		vec_push(&todo, roots[i].id);
	while (todo.n) {
		term_t t = {vec_pop(&todo)};
		uint64_t *at = map_put(&seen, t.id);

		if (*at)
			continue;
		*at = 1;
		vec_push(out, t.id);
		for (unsigned i = 0; i < tt_arity(tt_node(ts, t)->op); i++)
			vec_push(&todo, tt_arg(ts, t, i).id);
	}
	vec_u32_sort(out, from);
	map_release(&seen);
	vec_release(&todo);
}

/* the union of n sets: one of them if it contains all others, else a new set */
static const struct term_syms *syms_union(
	struct terms *ts, const struct term_syms **sets, unsigned n)
{
	struct vec_u32 all = {0};
	struct term_syms *s;
	uint32_t m = 0;

	for (unsigned i = 0; i < n; i++)
		for (uint32_t j = 0; j < sets[i]->n; j++)
			vec_push(&all, sets[i]->at[j].id);
	vec_u32_sort(&all, 0);
	vec_each (&all, i)
		if (!i || all.at[i] != all.at[i - 1])
			all.at[m++] = all.at[i];
	for (unsigned i = 0; i < n; i++)
		if (sets[i]->n == m) {
			vec_release(&all);
			return sets[i];
		}
	s = arena_alloc(&ts->arena, sizeof *s + m * sizeof *s->at);
	s->n = m;
	for (uint32_t i = 0; i < m; i++)
		s->at[i] = (term_t){all.at[i]};
	vec_release(&all);
	return s;
}

static const struct term_syms *syms_known(const struct terms *ts, term_t t)
{
	return (const struct term_syms *)(uintptr_t)map_get_or(&ts->syms, t.id, 0);
}

static void syms_compute(struct terms *ts, term_t t)
{
	const struct term_syms *sets[3], *r;
	unsigned n = tt_arity(tt_node(ts, t)->op);

	for (unsigned i = 0; i < n; i++)
		sets[i] = syms_known(ts, tt_arg(ts, t, i));
	if (n) {
		r = syms_union(ts, sets, n);
	} else {
		struct term_syms *s = arena_alloc(&ts->arena, sizeof *s + sizeof *s->at);

		if (tt_is(ts, t, TERM_SYM))
			s->at[s->n++] = t;
		r = s;
	}
	*map_put(&ts->syms, t.id) = map_ptr(r);
}

const struct term_syms *term_syms(struct terms *ts, term_t t)
{
	const struct term_syms *known = syms_known(ts, t);
	struct vec_u32 todo = {0};

	if (known)
		return known;
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_last(&todo)};
		bool ready = true;

		for (unsigned i = 0; i < tt_arity(tt_node(ts, x)->op); i++)
			if (!syms_known(ts, tt_arg(ts, x, i))) {
				vec_push(&todo, tt_arg(ts, x, i).id);
				ready = false;
			}
		if (!ready)
			continue;
		todo.n--;
		if (!syms_known(ts, x))
			syms_compute(ts, x);
	}
	vec_release(&todo);
	return syms_known(ts, t);
}

void term_subst_init(struct term_subst *s, struct terms *ts)
{
	*s = (struct term_subst){.ts = ts};
}

void term_subst_release(struct term_subst *s)
{
	map_release(&s->to);
}

void term_subst_put(struct term_subst *s, term_t from, term_t to)
{
	BUG_ON(tt_width(s->ts, from) != tt_width(s->ts, to));
	*map_put(&s->to, from.id) = to.id;
}

/* the operation of t with other operands, simplified */
static term_t rebuild_term(struct terms *ts, term_t t, const term_t *a)
{
	struct term_node n = *tt_node(ts, t); /* a copy: growth of the table moves the nodes */

	switch ((enum term_op)n.op) {
	case TERM_NOT: return term_not(ts, a[0]);
	case TERM_AND: return term_and(ts, a[0], a[1]);
	case TERM_OR: return term_or(ts, a[0], a[1]);
	case TERM_XOR: return term_xor(ts, a[0], a[1]);
	case TERM_ADD: return term_add(ts, a[0], a[1]);
	case TERM_MUL: return term_mul(ts, a[0], a[1]);
	case TERM_UDIV: return term_udiv(ts, a[0], a[1]);
	case TERM_UREM: return term_urem(ts, a[0], a[1]);
	case TERM_SDIV: return term_sdiv(ts, a[0], a[1]);
	case TERM_SREM: return term_srem(ts, a[0], a[1]);
	case TERM_SHL: return term_shl(ts, a[0], a[1]);
	case TERM_LSHR: return term_lshr(ts, a[0], a[1]);
	case TERM_ASHR: return term_ashr(ts, a[0], a[1]);
	case TERM_EQ: return term_eq(ts, a[0], a[1]);
	case TERM_ULT: return term_ult(ts, a[0], a[1]);
	case TERM_SLT: return term_slt(ts, a[0], a[1]);
	case TERM_ITE: return term_ite(ts, a[0], a[1], a[2]);
	case TERM_ZEXT: return term_zext(ts, a[0], n.width);
	case TERM_SEXT: return term_sext(ts, a[0], n.width);
	case TERM_EXTRACT: return term_extract(ts, a[0], n.low, n.width);
	case TERM_CONCAT: return term_concat(ts, a[0], a[1]);
	case TERM_READ: return term_read(ts, a[0], a[1]);
	case TERM_WRITE: return term_write(ts, a[0], a[1], a[2]);
	case TERM_FILL: return term_array_of(ts, a[0]);
	case TERM_CONST:
	case TERM_SYM:
	case TERM_N_OPS: break;
	default: return tt_float(ts, n.op, n.width, n.low, a[0], a[1]);
	}
	return t;
}

term_t term_subst(struct term_subst *s, term_t t)
{
	struct vec_u32 todo = {0};
	uint64_t *done = map_get(&s->to, t.id);

	if (done)
		return (term_t){(uint32_t)*done};
	vec_push(&todo, t.id);
	while (todo.n) {
		term_t x = {vec_last(&todo)}, a[3] = {TERM_NONE}, r;
		unsigned arity = tt_arity(tt_node(s->ts, x)->op);
		bool ready = true, same = true;

		for (unsigned i = 0; i < arity; i++) {
			term_t arg = tt_arg(s->ts, x, i);

			a[i] = (term_t){(uint32_t)map_get_or(&s->to, arg.id, 0)};
			if (!a[i].id) {
				vec_push(&todo, arg.id);
				ready = false;
			}
			same = same && term_same(a[i], arg);
		}
		if (!ready)
			continue;
		todo.n--;
		if (map_get(&s->to, x.id))
			continue;
		r = same ? x : rebuild_term(s->ts, x, a);
		*map_put(&s->to, x.id) = r.id;
	}
	vec_release(&todo);
	return (term_t){(uint32_t)map_get_or(&s->to, t.id, 0)};
}
