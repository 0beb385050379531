#include "memory/objects.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/search.h"

/* ---- call stacks ------------------------------------------------------------------------- */

stack_id stacks_intern(struct stacks *s, const struct stack_entry *e, uint32_t n)
{
	uint64_t *slot;
	const struct stack_entry *old = NULL;

	if (!s->first.n) { /* stack 0 is the empty one */
		vec_push(&s->first, 0);
		vec_push(&s->first, 0);
	}
	slot = map_put(&s->by_hash, hash_bytes(e, n * sizeof *e));
	if (*slot && stacks_get(s, (stack_id){(uint32_t)*slot}, &old) == n &&
		!memcmp(old, e, n * sizeof *e))
		return (stack_id){(uint32_t)*slot};
	for (uint32_t i = 0; i < n; i++)
		vec_push(&s->entries, e[i]);
	vec_push(&s->first, s->entries.n);
	*slot = s->first.n - 2;
	return (stack_id){(uint32_t)*slot};
}

uint32_t stacks_get(const struct stacks *s, stack_id id, const struct stack_entry **e)
{
	if (!id.id)
		return 0;
	*e = s->entries.at + s->first.at[id.id];
	return s->first.at[id.id + 1] - s->first.at[id.id];
}

void stacks_release(struct stacks *s)
{
	vec_release(&s->entries);
	vec_release(&s->first);
	map_release(&s->by_hash);
}

/* ---- heap -------------------------------------------------------------------------------- */

void heap_init(struct heap *h, uint64_t limit)
{
	*h = (struct heap){.next = ADDR_HEAP, .limit = limit};
}

void heap_release(struct heap *h)
{
	vec_release(&h->blocks);
}

/* at least 32 bytes: a small overrun does not reach the next block; more for large blocks */
static uint64_t red_zone(uint64_t size)
{
	return MAX((uint64_t)32, MIN(size / 8, (uint64_t)MEM_PAGE));
}

uint64_t heap_alloc(struct heap *h, struct mem *m, uint64_t size, uint64_t align, bool zero,
	uint32_t thread, stack_id stack)
{
	uint64_t base = ALIGN_UP(h->next, MAX(align, (uint64_t)16));

	if (size >= 1ull << 40 || (h->limit && size > h->limit - h->live) ||
		base + size + MEM_PAGE > ADDR_STACK)
		return 0;
	vec_push(&h->blocks, (struct heap_block){.base = base, .size = size,
				    .alloc_thread = thread, .alloc_stack = stack});
	mem_map(m, base, size, zero);
	h->next = base + size + red_zone(size);
	h->live += size;
	h->peak = MAX(h->peak, h->live);
	return base;
}

void heap_forget_freed(struct heap *h)
{
	while (h->blocks.n && h->blocks.at[h->blocks.n - 1].freed &&
		!h->blocks.at[h->blocks.n - 1].symbolic)
		h->next = vec_pop(&h->blocks).base;
	h->changed = MIN(h->changed, h->blocks.n);
}

uint64_t heap_reserve(struct heap *h, uint64_t size, uint64_t align, uint32_t thread,
	stack_id stack)
{
	uint64_t base = ALIGN_UP(h->next, MAX(align, (uint64_t)16));

	if (base + size + MEM_PAGE > ADDR_STACK)
		return 0;
	vec_push(&h->blocks, (struct heap_block){.base = base, .size = size, .symbolic = true,
				    .alloc_thread = thread, .alloc_stack = stack});
	h->next = base + size + red_zone(size);
	return base;
}

struct heap_block *heap_find(struct heap *h, uint64_t a)
{
	uint32_t k = upper_bound(0, h->blocks.n, i, h->blocks.at[i].base, a);

	if (k && a < h->blocks.at[k - 1].base + h->blocks.at[k - 1].size)
		return &h->blocks.at[k - 1];
	/* in a red zone: an address just before a block is more likely an underrun of that block */
	if (k < h->blocks.n && h->blocks.at[k].base - a <= 16)
		return &h->blocks.at[k];
	return k && a < h->next + 16 * MEM_PAGE ? &h->blocks.at[k - 1] : NULL;
}

void heap_free(struct heap *h, struct mem *m, struct heap_block *b, uint32_t thread,
	stack_id stack)
{
	BUG_ON(b->freed);
	if (!b->symbolic) {
		mem_unmap(m, b->base, b->size);
		h->live -= b->size;
	}
	h->changed = MIN(h->changed, (uint32_t)(b - h->blocks.at));
	b->freed = true;
	b->free_thread = thread;
	b->free_stack = stack;
}

/* ---- globals ----------------------------------------------------------------------------- */

static void place_globals(struct globals *g, const struct ir_program *p)
{
	uint64_t next[2] = {ADDR_GLOBAL, ADDR_CONST};

	vec_each (&p->globals, i) {
		const struct ir_global *gl = &p->globals.at[i];
		uint64_t align = MAX(gl->align, 16u), *at;

		if (gl->flags & IR_G_EXTERN)
			continue;
		if (gl->flags & IR_G_TLS) {
			g->addr[i] = ALIGN_UP(g->tls_size + 32, align);
			g->tls_size = g->addr[i] + gl->size;
			continue;
		}
		at = &next[gl->flags & IR_G_CONST ? 1 : 0];
		g->addr[i] = ALIGN_UP(*at, align);
		*at = g->addr[i] + gl->size + red_zone(gl->size);
	}
}

static void fill_global(
	const struct globals *g, struct mem *m, const struct ir_program *p, uint32_t id, uint64_t a)
{
	const struct ir_global *gl = &p->globals.at[id];
	uint64_t bad, v;

	mem_map(m, a, gl->size, true);
	if (gl->init)
		mem_in(m, a, gl->init, gl->size, &bad);
	vec_each (&gl->relocs, k) {
		const struct ir_reloc *r = &gl->relocs.at[k];

		switch (r->kind) {
		case IR_C_FUNC: v = func_addr(r->id) + (uint64_t)r->addend; break;
		case IR_C_BLOCK: v = block_addr(r->id, (uint32_t)r->addend); break;
		default: v = g->addr[r->id] + (uint64_t)r->addend; break;
		}
		if (r->kind == IR_C_FUNC && (p->funcs.at[r->id].flags & IR_FN_EXTERN) &&
			(p->funcs.at[r->id].flags & IR_FN_WEAK))
			v = 0;
		if (r->kind == IR_C_GLOBAL && !g->addr[r->id])
			v = 0;
		mem_in(m, a + r->offset, &v, 8, &bad);
	}
}

void globals_init(struct globals *g, struct mem *m, const struct ir_program *p)
{
	*g = (struct globals){0};
	g->addr = xcalloc(p->globals.n, sizeof *g->addr);
	g->by_addr = xcalloc(p->globals.n, sizeof *g->by_addr);
	place_globals(g, p);
	/* constants have lower addresses than the others: two passes give rising addresses */
	for (int pass = 0; pass < 2; pass++)
		vec_each (&p->globals, i) {
			const struct ir_global *gl = &p->globals.at[i];

			if ((gl->flags & (IR_G_EXTERN | IR_G_TLS)) ||
				(gl->flags & IR_G_CONST ? 0 : 1) != pass)
				continue;
			g->by_addr[g->nby_addr++] = i;
			fill_global(g, m, p, i, g->addr[i]);
		}
	vec_each (&p->globals, i)
		if ((p->globals.at[i].flags & (IR_G_EXTERN | IR_G_TLS | IR_G_CONST)) == IR_G_CONST)
			mem_protect(m, g->addr[i], p->globals.at[i].size);
}

void globals_release(struct globals *g)
{
	free(g->addr);
	free(g->by_addr);
}

void globals_init_tls(const struct globals *g, struct mem *m, const struct ir_program *p,
	uint64_t base)
{
	vec_each (&p->globals, i)
		if ((p->globals.at[i].flags & (IR_G_EXTERN | IR_G_TLS)) == IR_G_TLS)
			fill_global(g, m, p, i, base + g->addr[i]);
}

uint32_t globals_find(const struct globals *g, const struct ir_program *p, uint64_t a)
{
	uint32_t k = upper_bound(0, g->nby_addr, i, g->addr[g->by_addr[i]], a);

	if (k < g->nby_addr) { /* between two globals: the nearer one */
		uint32_t before = k ? g->by_addr[k - 1] : IR_NONE, after = g->by_addr[k];
		uint64_t end = k ? g->addr[before] + p->globals.at[before].size : 0;

		if (a >= end && (!k || g->addr[after] - a < a - end))
			return after;
	}
	return k ? g->by_addr[k - 1] : IR_NONE;
}
