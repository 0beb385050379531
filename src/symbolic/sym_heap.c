/* Allocation and free with sizes and pointers that are terms. */
#include "symbolic/lazy.h"

#include "base/base.h"

enum { HEAP_MOST = 40 }; /* log2 of the least size that malloc refuses (objects.c) */

static term_t number_term(struct machine *m, uint64_t v)
{
	return term_const(m->ts, 64, v);
}

/* Allocates a block whose size is a term: a region of the greatest possible size, `most`. */
static uint64_t alloc_region(struct machine *m, struct thread *t, term_t size, uint64_t most,
	uint64_t align, bool zero)
{
	struct terms *ts = m->ts;
	term_t zeros = term_array_of(ts, term_const(ts, 8, 0));
	uint64_t base = heap_reserve(&m->heap, most, align, t->id, stack_capture(m, t));

	if (!base)
		return 0;
	if (!m->sym->lazy)
		m->sym->lazy = lazy_new(NULL);
	lazy_add(m->sym->lazy, (struct lazy_region){.base = base, .size = most, .size_term = size,
				       .bytes = zero ? zeros : term_fresh_array(ts, "block"),
				       .init = zero ? TERM_NONE : zeros, .object = IR_NONE});
	return base;
}

enum step sym_alloc(struct machine *m, struct thread *t, struct opnd size, uint64_t align, bool zero,
	struct opnd *ret)
{
	struct sym *s = m->sym;
	term_t n = opnd_term(m, size, 64);
	uint64_t limit = 1ull << HEAP_MOST, base;
	bool refused;
	u128 least, most;

	if (m->heap.limit)
		limit = MIN(limit, m->heap.limit - m->heap.live + 1);
	if (sym_decide(m, t, term_ule(m->ts, number_term(m, limit), n), &refused) != STEP_NEXT)
		return STEP_STOP;
	*ret = (struct opnd){0};
	if (refused)
		return STEP_NEXT;
	ask_range(s->ask, s->path.at, s->path.n, n, &least, &most);
	if (least == most)
		base = heap_alloc(&m->heap, &m->mem, (uint64_t)most, align, zero, t->id,
			stack_capture(m, t));
	else
		base = alloc_region(m, t, n, MIN((uint64_t)most, limit - 1), align, zero);
	if (!base) {
		sym_incomplete(m, t, "the heap has no room for a block of symbolic size");
	}
	ret->v.lo = base;
	return STEP_NEXT;
}

/* Finds the live block that begins at the pointer. STEP_STOP after the fault of another pointer. */
static enum step block_of(struct machine *m, struct thread *t, struct opnd p, struct resolved *at)
{
	struct heap_block *h;
	uint64_t a;
	u128 live;
	bool off, dead;

	if (val_u128(p.u))
		return fault_unknown(m, t, "an uninitialized pointer is freed");
	if (resolve_one(m, t, opnd_term(m, p, 64), at) != STEP_NEXT)
		return STEP_STOP;
	h = heap_find(&m->heap, at->base);
	if (at->region != IR_NONE) {
		term_t l = lazy_get(m->sym->lazy, at->region)->live;

		dead = l.id && term_is_const(m->ts, l, &live) && !live;
	} else {
		dead = !h || h->base != at->base || h->freed;
	}
	if (dead)
		return fault_free(m, t, at->base, h);
	if (sym_decide(m, t, term_ne(m->ts, at->offset, number_term(m, 0)), &off) != STEP_NEXT)
		return STEP_STOP;
	if (!off)
		return STEP_NEXT;
	a = at->base + 1;
	resolve_example(m, term_add(m->ts, at->offset, number_term(m, at->base)), &a);
	return fault_free(m, t, a, h);
}

enum step sym_free(struct machine *m, struct thread *t, struct opnd p)
{
	struct resolved at;
	struct heap_block *h;

	if (block_of(m, t, p, &at) != STEP_NEXT)
		return STEP_STOP;
	if (at.region != IR_NONE)
		lazy_at(m->sym->lazy, at.region)->live = term_bool(m->ts, false);
	h = heap_find(&m->heap, at.base);
	if (h && h->base == at.base)
		heap_free(&m->heap, &m->mem, h, t->id, stack_capture(m, t));
	return STEP_NEXT;
}

enum step sym_alloc_size(struct machine *m, struct thread *t, struct opnd p, struct opnd *ret)
{
	const struct lazy_region *r;
	struct resolved at;

	if (block_of(m, t, p, &at) != STEP_NEXT)
		return STEP_STOP;
	*ret = (struct opnd){.v = {at.size, 0}};
	if (at.region == IR_NONE)
		return STEP_NEXT;
	r = lazy_get(m->sym->lazy, at.region);
	if (r->assumed)
		return stop_unknown(m, t, STOP_SYMBOLIC_POINTER,
			"the size of a block of the initial state is not known");
	if (r->size_term.id)
		*ret = opnd_of_term(m, r->size_term);
	return STEP_NEXT;
}
