#include "cover/between.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "facts/writes.h"
#include "ir/cfg.h"
#include "ir/dom.h"

#include <stdlib.h>

struct between_func {
	struct cfg cfg; /* without the blocks that end the process */
	struct dom postdom;
};

struct between {
	const struct sync_ops *so;
	const struct points_to *pt;
	const struct exits *exits;
	const struct markers *markers;
	struct arena arena;
	struct writes writes;
	struct between_func **funcs; /* by function; NULL until the first query */
	struct memory_set *mods;     /* by function: what a call of it may write */
	struct map ways;             /* func, block, edge -> struct between_ways * */
};

/* ---- memory ------------------------------------------------------------------------------------ */

void memory_set_add(const struct points_to *pt, uint32_t func, ir_ref at, struct memory_set *out)
{
	struct pts_locs locs = {0};

	if (!points_to_knows(pt, func)) {
		out->outside = true;
		return;
	}
	points_to_get(pt, func, at, &locs);
	vec_each (&locs.list, i) {
		if (points_to_object(pt, locs.list.at[i].object)->kind == PTS_K_EXTERNAL)
			out->outside = true;
		bitset_add(&out->objects, locs.list.at[i].object);
	}
	pts_locs_release(&locs);
}

static bool reaches_outside(const struct points_to *pt, const struct memory_set *m)
{
	if (m->outside)
		return true;
	bitset_each (&m->objects, o)
		if (points_to_outside(pt, o))
			return true;
	return false;
}

bool memory_sets_overlap(
	const struct points_to *pt, const struct memory_set *a, const struct memory_set *b)
{
	return bitset_intersects(&a->objects, &b->objects) ||
	       (a->outside && reaches_outside(pt, b)) || (b->outside && reaches_outside(pt, a));
}

void memory_set_release(struct memory_set *m)
{
	bitset_release(&m->objects);
}

static void memory_set_merge(struct memory_set *to, const struct memory_set *from)
{
	bitset_or(&to->objects, &from->objects);
	to->outside |= from->outside;
}

/* ---- writes of functions ------------------------------------------------------------------------- */

struct collected {
	const struct between *b;
	struct memory_set *out;
};

static void collect_write(
	void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width, enum write_kind kind)
{
	struct collected *c = ctx;

	(void)insn, (void)width;
	memory_set_add(c->b->pt, func, at, c->out);
	c->out->outside |= kind == WRITE_DEEP;
}

static void add_mods(void *ctx, uint32_t callee)
{
	struct collected *c = ctx;

	if (c->b->writes.natives[callee].call == CALL_TRACED)
		memory_set_merge(c->out, &c->b->mods[callee]);
	else if (c->b->writes.natives[callee].unknown)
		c->out->outside = true;
}

/* What the instruction may write, with the functions of the program that it calls. Code outside may
 * write all that it can reach. */
static void add_writes(
	const struct between *b, uint32_t func, uint32_t insn, struct memory_set *out)
{
	enum ir_shape s = ir_ops[b->so->p->funcs.at[func].insns.at[insn].op].shape;
	struct collected c = {b, out};

	if (!points_to_knows(b->pt, func)) {
		out->outside |= s == IR_S_STORE || s == IR_S_BULK || s == IR_S_RMW ||
				s == IR_S_CAS || s == IR_S_CALL || s == IR_S_ASM;
		return;
	}
	writes_each(&b->writes, func, insn, collect_write, &c);
	out->outside |= s == IR_S_ASM;
	if (s == IR_S_CALL)
		sync_each_callee(b->so, func, insn, add_mods, &c);
}

/* To a fixpoint, because functions that the library calls back may come after their callers. */
static void find_mods(struct between *b)
{
	bool changed = true;

	while (changed) {
		changed = false;
		vec_each (&b->so->p->funcs, f) {
			struct memory_set all = {0};

			if (b->writes.natives[f].call != CALL_TRACED)
				continue;
			vec_each (&b->so->p->funcs.at[f].insns, k)
				add_writes(b, f, k, &all);
			changed |= bitset_or(&b->mods[f].objects, &all.objects) ||
				   (all.outside && !b->mods[f].outside);
			b->mods[f].outside |= all.outside;
			memory_set_release(&all);
		}
	}
}

/* ---- control flow -------------------------------------------------------------------------------- */

static struct between_func *func_of(struct between *b, uint32_t func)
{
	const struct ir_func *f = &b->so->p->funcs.at[func];
	struct between_func *bf = b->funcs[func];
	uint8_t *without;

	if (bf)
		return bf;
	bf = b->funcs[func] = xcalloc(1, sizeof *bf);
	without = xcalloc(f->blocks.n + 1, 1);
	vec_each (&f->blocks, i)
		without[i] = exits_block(b->exits, func, i);
	cfg_init_without(&bf->cfg, f, without);
	postdom_init(&bf->postdom, &bf->cfg);
	free(without);
	return bf;
}

bool between_must(struct between *b, uint32_t func, uint32_t from, uint32_t head)
{
	struct between_func *bf = func_of(b, func);

	/* a block that ends the process: nothing after the branch is reached on its ways */
	if (bf->postdom.idom[from] == BLK_NONE || bf->postdom.idom[head] == BLK_NONE)
		return false;
	return dominates(&bf->postdom, head, from);
}

static void add_block(struct between *b, uint32_t func, uint32_t block, struct between_ways *w)
{
	const struct ir_block *bl = &b->so->p->funcs.at[func].blocks.at[block];

	for (uint32_t i = bl->first; i < bl->first + bl->n; i++) {
		w->syncs |= sync_classes(b->so, func, i) || marker_at(b->markers, func, i);
		add_writes(b, func, i, &w->writes);
	}
}

static void add_copies(const struct ir_func *f, uint32_t edge, struct between_ways *w)
{
	const struct ir_edge *e = &f->edges.at[edge];

	for (uint32_t i = 0; i < e->ncopies; i++)
		vec_push(&w->copies, f->extra.at[e->copies + 2 * i]);
}

static void walk_ways(
	struct between *b, uint32_t func, uint32_t block, uint32_t edge, struct between_ways *w)
{
	struct between_func *bf = func_of(b, func);
	const struct ir_func *f = &b->so->p->funcs.at[func];
	uint32_t join = bf->postdom.idom[block];
	struct bitset seen = {0};
	struct vec_u32 work = {0};

	for (uint32_t e = bf->cfg.succ_at[block]; e < bf->cfg.succ_at[block + 1]; e++)
		if (bf->cfg.succ_edge[e] != edge) {
			add_copies(f, bf->cfg.succ_edge[e], w);
			if (bf->cfg.succ[e] != join && bitset_add(&seen, bf->cfg.succ[e]))
				vec_push(&work, bf->cfg.succ[e]);
		}
	while (work.n) {
		uint32_t at = vec_pop(&work);

		add_block(b, func, at, w);
		for (uint32_t e = bf->cfg.succ_at[at]; e < bf->cfg.succ_at[at + 1]; e++) {
			add_copies(f, bf->cfg.succ_edge[e], w);
			if (bf->cfg.succ[e] != join && bitset_add(&seen, bf->cfg.succ[e]))
				vec_push(&work, bf->cfg.succ[e]);
		}
	}
	bitset_release(&seen);
	vec_release(&work);
}

const struct between_ways *between_ways(
	struct between *b, uint32_t func, uint32_t block, uint32_t edge)
{
	uint64_t key = (uint64_t)func << 40 | (uint64_t)(block & 0xfffff) << 20 | (edge & 0xfffff);
	uint64_t *v = map_put(&b->ways, key);
	struct between_ways *w;

	if (*v)
		return (const struct between_ways *)(uintptr_t)*v;
	w = arena_new(&b->arena, struct between_ways);
	*w = (struct between_ways){0};
	*v = map_ptr(w);
	walk_ways(b, func, block, edge, w);
	return w;
}

/* ---- lifetime ------------------------------------------------------------------------------------ */

struct between *between_new(const struct sync_ops *so, const struct points_to *pt,
	const struct exits *x, const struct markers *ms)
{
	struct between *b = xcalloc(1, sizeof *b);
	uint32_t n = so->p->funcs.n;
	bool *traced = xcalloc(n + 1, sizeof *traced);

	b->so = so;
	b->pt = pt;
	b->exits = x;
	b->markers = ms;
	arena_init(&b->arena);
	vec_each (&so->p->funcs, f)
		traced[f] = !(so->p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL));
	b->writes = (struct writes){so->p, pt, natives_resolve(&b->arena, so->p, traced)};
	free(traced);
	b->funcs = xcalloc(n + 1, sizeof *b->funcs);
	b->mods = xcalloc(n + 1, sizeof *b->mods);
	find_mods(b);
	return b;
}

void between_free(struct between *b)
{
	for (uint32_t f = 0; f < b->so->p->funcs.n; f++) {
		memory_set_release(&b->mods[f]);
		if (!b->funcs[f])
			continue;
		cfg_release(&b->funcs[f]->cfg);
		dom_release(&b->funcs[f]->postdom);
		free(b->funcs[f]);
	}
	map_each (&b->ways, i) {
		struct between_ways *w = (void *)(uintptr_t)b->ways.slots[i].val;

		memory_set_release(&w->writes);
		vec_release(&w->copies);
	}
	map_release(&b->ways);
	arena_release(&b->arena);
	free(b->funcs);
	free(b->mods);
	free(b);
}
