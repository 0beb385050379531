#include "machine/state_hash.h"

#include "base/vec.h"
#include "facts/plan.h"
#include "machine/code.h"

#include <string.h>

void hash128_bytes(struct hash128 *h, const void *p, size_t n)
{
	const uint8_t *at = p;
	uint64_t w;

	hash128_add(h, n);
	for (; n >= 8; n -= 8, at += 8) {
		memcpy(&w, at, 8);
		hash128_add(h, w);
	}
	w = 0;
	memcpy(&w, at, n);
	hash128_add(h, w);
}

static void add_value(struct hash128 *h, struct val v)
{
	hash128_add(h, v.lo);
	hash128_add(h, v.hi);
}

/* A register that the call gives its result to has no value yet. */
static bool is_result(const struct ir_insn *in, uint32_t reg)
{
	return ir_ops[in->op].shape == IR_S_CALL && reg - in->dst < (uint32_t)in->imm;
}

/* The registers of the frame that are live where it is. */
static void live_registers(struct machine *m, struct frame *f, bool is_top, struct vec_u32 *out)
{
	const struct ir_func *fn = frame_func(m, f);
	uint32_t insn = frame_insn(f, is_top), n = 0;

	code_live(m, m->codes[f->func], 0);
	plan_live(fn, &m->codes[f->func]->live, insn, !is_top, out);
	vec_each (out, i)
		if (is_top || !is_result(&fn->insns.at[insn], out->at[i]))
			out->at[n++] = out->at[i];
	out->n = n;
}

static void add_registers(
	struct machine *m, struct thread *t, struct frame *f, bool is_top, struct hash128 *h)
{
	struct vec_u32 live = {0};

	live_registers(m, f, is_top, &live);
	vec_each (&live, i) {
		struct opnd o = frame_get(m, t, f, live.at[i]);

		hash128_add(h, live.at[i]);
		hash128_add(h, o.t.id);
		add_value(h, o.u);
		add_value(h, o.t.id ? (struct val){0}
				    : (struct val){o.v.lo & ~o.u.lo, o.v.hi & ~o.u.hi});
	}
	vec_release(&live);
}

void machine_each_register(struct machine *m,
	void (*fn)(void *ctx, struct thread *t, struct frame *f, uint32_t reg), void *ctx)
{
	struct vec_u32 live = {0};

	vec_each (&m->threads, i) {
		struct thread *t = m->threads.at[i];

		vec_each (&t->frames, k) {
			vec_clear(&live);
			live_registers(m, &t->frames.at[k], k + 1 == t->frames.n, &live);
			vec_each (&live, r)
				fn(ctx, t, &t->frames.at[k], live.at[r]);
		}
	}
	vec_release(&live);
}

static void add_frame_shape(
	const struct machine *m, const struct frame *f, bool is_top, struct hash128 *h)
{
	hash128_add(h, (uint64_t)f->func << 32 | frame_insn(f, is_top));
	hash128_add(h, (uint64_t)f->entered << 1 | (uint64_t)f->initial);
	hash128_add(h, f->nvars);
	hash128_add(h, f->sp);
	if (!(frame_func(m, f)->flags & IR_FN_VARARG))
		return; /* the fields below are not set */
	hash128_add(h, f->va_regs);
	hash128_add(h, f->va_mem);
	hash128_add(h, (uint64_t)f->va_gp << 16 | f->va_fp);
}

static void add_thread_shape(const struct machine *m, const struct thread *t, struct hash128 *h)
{
	hash128_add(h, t->state);
	hash128_add(h, t->frames.n);
	hash128_add(h, t->sp);
	hash128_add(h, t->creator);
	hash128_add(h, (uint64_t)(t->deadline != 0) | (uint64_t)t->waits_first << 1 |
			       (uint64_t)t->at_condition << 2 | (uint64_t)t->notified << 3 |
			       (uint64_t)t->resumed << 4 | (uint64_t)t->gave_way << 5);
	if (t->state == THREAD_WAITING) {
		hash128_add(h, t->wait_on);
		hash128_bytes(h, t->why, t->why ? strlen(t->why) : 0);
	}
	vec_each (&t->vars, i) {
		hash128_add(h, t->vars.at[i].base);
		hash128_add(h, t->vars.at[i].size);
	}
	vec_each (&t->frames, i)
		add_frame_shape(m, &t->frames.at[i], i + 1 == t->frames.n, h);
}

static void add_thread(struct machine *m, struct thread *t, struct hash128 *h)
{
	add_thread_shape(m, t, h);
	vec_each (&t->frames, i)
		add_registers(m, t, &t->frames.at[i], i + 1 == t->frames.n, h);
}

static void add_queue(const struct machine *m, struct hash128 *h)
{
	vec_each (&m->queue, i) {
		const struct waiter *w = &m->queue.at[i];

		hash128_add(h, w->addr);
		hash128_add(h, (uint64_t)w->thread << 32 | w->term.id);
		hash128_add(h, w->stamp.id);
	}
	hash128_add(h, m->rng);
}

void machine_shape_hash(struct machine *m, struct hash128 *h)
{
	vec_each (&m->threads, i)
		add_thread_shape(m, m->threads.at[i], h);
	add_queue(m, h);
	vec_each (&m->heap.blocks, i) {
		const struct heap_block *b = &m->heap.blocks.at[i];

		if (b->freed)
			continue;
		hash128_add(h, b->base);
		hash128_add(h, b->size << 1 | b->symbolic);
	}
}

static void add_heap(const struct heap *heap, struct hash128 *h)
{
	hash128_add(h, heap->next);
	hash128_add(h, heap->live);
	vec_each (&heap->blocks, i) {
		const struct heap_block *b = &heap->blocks.at[i];

		hash128_add(h, b->base);
		hash128_add(h, b->size << 2 | (uint64_t)b->freed << 1 | b->symbolic);
	}
}

void machine_hash(struct machine *m, struct hash128 *h)
{
	uint64_t pages[2];

	vec_each (&m->threads, i)
		add_thread(m, m->threads.at[i], h);
	add_queue(m, h);
	add_heap(&m->heap, h);
	mem_hash(&m->mem, pages);
	hash128_add(h, pages[0]);
	hash128_add(h, pages[1]);
}
