/* The instructions that may write a location, by the points-to analysis and executed_before.c. */
#include "context/context_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

#define WHOLE (1u << 30) /* more bytes than any object has */

struct test {
	struct context *c;
	struct location *l;
	bool hit;
};

/* ---- one write ------------------------------------------------------------------------------- */

static bool is_outside(const struct context *c, uint32_t object)
{
	return bitset_has(&c->code.outside, object);
}

static bool may_overlap(
	const struct context *c, const struct location *l, struct pts_loc at, uint32_t width)
{
	if (at.object == l->object)
		return offs_overlap(at.at, MIN(width, WHOLE), offs_exact(l->offset), l->size);
	return at.object == PTS_EXTERNAL && is_outside(c, l->object);
}

static bool operand_may_overlap(struct test *t, uint32_t func, ir_ref at, uint32_t width)
{
	struct pts_locs locs = {0};
	bool hit;

	if (t->l->object == IR_NONE)
		return points_to_may_alias(
			t->c->pt, func, at, MIN(width, WHOLE), t->l->func, t->l->ref, t->l->size);
	points_to_get(t->c->pt, func, at, &locs);
	/* a pointer of unknown origin may point anywhere; an integer operand is no address */
	hit = !locs.list.n && ir_is_reg(at) &&
	      ir_ref_type(code_func(&t->c->code, func), at) == IR_PTR;
	for (uint32_t i = 0; i < locs.list.n && !hit; i++)
		hit = may_overlap(t->c, t->l, locs.list.at[i], width);
	pts_locs_release(&locs);
	return hit;
}

static bool is_reached(struct context *c, struct location *l, const struct bitset *reached)
{
	struct pts_locs locs = {0};
	bool hit = false;

	if (l->object != IR_NONE)
		return bitset_has(reached, l->object);
	points_to_get(c->pt, l->func, l->ref, &locs);
	for (uint32_t i = 0; i < locs.list.n && !hit; i++)
		hit = bitset_has(reached, locs.list.at[i].object);
	pts_locs_release(&locs);
	return hit;
}

/* Is the location in an object that is reachable from the operand? */
static bool operand_reaches(struct test *t, uint32_t func, ir_ref at)
{
	struct pts_locs locs = {0};
	struct vec_u32 work = {0};
	struct bitset seen = {0};
	bool hit;

	points_to_get(t->c->pt, func, at, &locs);
	do {
		vec_each (&locs.list, i)
			if (bitset_add(&seen, locs.list.at[i].object))
				vec_push(&work, locs.list.at[i].object);
		vec_clear(&locs.list);
		if (work.n)
			points_to_contents(t->c->pt, vec_pop(&work), &locs);
	} while (locs.list.n || work.n);
	hit = is_reached(t->c, t->l, &seen);
	vec_release(&work);
	bitset_release(&seen);
	pts_locs_release(&locs);
	return hit;
}

static void test_write(
	void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width, enum write_kind kind)
{
	struct test *t = ctx;

	(void)insn;
	if (t->hit)
		return;
	switch (kind) {
	case WRITE_PLAIN:
	case WRITE_QUIET: t->hit = operand_may_overlap(t, func, at, width); break;
	case WRITE_DEEP: t->hit = operand_reaches(t, func, at); break;
	case WRITE_FREED: t->hit = operand_may_overlap(t, func, at, WRITES_ALL); break;
	}
}

bool writes_location(struct context *c, uint32_t func, uint32_t insn, struct location *l)
{
	const struct ir_insn *in = &code_func(&c->code, func)->insns.at[insn];
	struct test t = {c, l, false};

	if (ir_ops[in->op].shape == IR_S_LIFE)
		return operand_may_overlap(&t, func, in->arg[0], WRITES_ALL);
	writes_each(&c->code.writes, func, insn, test_write, &t);
	return t.hit;
}

static void test_quiet_write(
	void *ctx, uint32_t func, uint32_t insn, ir_ref at, uint32_t width, enum write_kind kind)
{
	if (kind == WRITE_QUIET || kind == WRITE_DEEP)
		test_write(ctx, func, insn, at, width, kind);
}

bool writes_quietly(struct context *c, uint32_t func, uint32_t insn, struct location *l)
{
	struct test t = {c, l, false};

	writes_each(&c->code.writes, func, insn, test_quiet_write, &t);
	return t.hit;
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool writes_called(struct context *c, uint32_t func, struct location *l)
{
	uint64_t known = map_get_or(&l->writes, func, 0);
	struct bitset all = {0};
	bool hit = false;

	if (known)
		return known == 2;
	code_closure(&c->code, func, &all);
	bitset_each (&all, f)
		for (uint32_t i = 0; i < code_func(&c->code, f)->insns.n && !hit; i++)
			hit = writes_location(c, f, i, l);
	bitset_release(&all);
	*map_put(&l->writes, func) = 1 + hit;
	return hit;
}

bool writes_insn(struct context *c, uint32_t func, uint32_t insn, struct location *l)
{
	struct bitset all = {0};
	bool hit = false;

	if (writes_location(c, func, insn, l))
		return true;
	if (code_func(&c->code, func)->insns.at[insn].op != IR_CALL)
		return false;
	code_called(&c->code, func, insn, &all);
	bitset_each (&all, f)
		hit = hit || writes_called(c, f, l);
	bitset_release(&all);
	return hit;
}

bool writes_block(struct context *c, uint32_t func, uint32_t block, struct location *l)
{
	uint64_t key = (uint64_t)func << 32 | block, known = map_get_or(&l->dirty, key, 0);
	struct ir_block b = code_func(&c->code, func)->blocks.at[block];
	bool hit = false;

	if (known)
		return known == 2;
	for (uint32_t i = b.first; i < b.first + b.n && !hit; i++)
		hit = writes_insn(c, func, i, l);
	*map_put(&l->dirty, key) = 1 + hit;
	return hit;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Can only the thread that created it reach it? */
static bool is_private(struct context *c, const struct location *l)
{
	if (l->object != IR_NONE)
		return escape_thread_local(&c->code.escape, l->object);
	return escape_pointer_local(&c->code.escape, c->pt, l->func, l->ref);
}

static bool is_written_by_others(struct context *c, uint32_t thread, struct location *l)
{
	vec_each (&c->before.writers, i) {
		struct writer w = c->before.writers.at[i];

		if (w.by & ~(1ull << thread) && phase_late(&c->code.phase, w.func, w.insn) &&
			writes_location(c, w.func, w.insn, l))
			return true;
	}
	return false;
}

bool writes_own(struct context *c, uint32_t thread, struct location *l)
{
	BUG_ON(thread >= MAX_THREADS);
	if (!(l->asked >> thread & 1)) {
		l->asked |= 1ull << thread;
		if (is_private(c, l) || !is_written_by_others(c, thread, l))
			l->own |= 1ull << thread;
	}
	return l->own >> thread & 1;
}

/* A block that is allocated late has new contents then. */
static bool is_allocated_late(struct context *c, const struct location *l)
{
	const struct symbol *s = symbol_get(c, l->base);

	return s->is.kind == CONTEXT_HEAP && phase_late(&c->code.phase, s->is.func, s->is.insn);
}

bool writes_early(struct context *c, struct location *l)
{
	bool late;

	if (!l->stable) {
		late = l->object == IR_NONE || is_allocated_late(c, l);
		for (uint32_t i = 0; i < c->before.writers.n && !late; i++) {
			struct writer w = c->before.writers.at[i];

			late = phase_late(&c->code.phase, w.func, w.insn) &&
			       writes_location(c, w.func, w.insn, l);
		}
		l->stable = 1 + !late;
	}
	return l->stable == 2;
}

bool writes_ever(struct context *c, struct location *l)
{
	vec_each (&c->before.writers, i)
		if (writes_location(
			    c, c->before.writers.at[i].func, c->before.writers.at[i].insn, l))
			return true;
	return false;
}
