#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "snapshot.h"

#include "machine/code.h"
#include "memory/mem_page.h"

#include <stdlib.h>
#include <string.h>

struct snapshot {
	struct mem_image *mem;
	VEC(struct heap_block) blocks;
	uint64_t heap_next, heap_live;
	VEC(struct thread *) threads;
	VEC(struct waiter) queue;
	uint32_t nlive, current;
	uint64_t skipped_ns;
};

#define COPY_VEC(to, from)                                                                         \
	do {                                                                                       \
		vec_resize((to), (from)->n);                                                       \
		if ((from)->n)                                                                     \
			memcpy((to)->at, (from)->at, (from)->n * sizeof *(from)->at);              \
	} while (0)

static uint64_t *words_copy(const uint64_t *from, uint32_t n, uint32_t cap)
{
	return from ? memcpy(xcalloc(cap, sizeof *from), from, n * sizeof *from) : NULL;
}

/* ---- threads -----------------------------------------------------------------------------------
 */

static void thread_copy(struct thread *to, const struct thread *from)
{
	*to = *from;
	to->frames = (__typeof__(to->frames)){0};
	to->vars = (__typeof__(to->vars)){0};
	COPY_VEC(&to->frames, &from->frames);
	COPY_VEC(&to->vars, &from->vars);
	to->slots = words_copy(from->slots, from->nslots, from->cap);
	to->shadow = words_copy(from->shadow, from->nslots, from->cap);
}

static void thread_clear(struct thread *t)
{
	vec_release(&t->frames);
	vec_release(&t->vars);
	free(t->slots);
	free(t->shadow);
}

/* ---- take and restore
 * ---------------------------------------------------------------------------- */

struct snapshot *snapshot_take(struct machine *m)
{
	struct snapshot *s = xcalloc(1, sizeof *s);

	s->mem = mem_save(&m->mem);
	COPY_VEC(&s->blocks, &m->heap.blocks);
	s->heap_next = m->heap.next;
	s->heap_live = m->heap.live;
	vec_each (&m->threads, i) {
		struct thread *t = xmalloc(sizeof *t);

		thread_copy(t, m->threads.at[i]);
		vec_push(&s->threads, t);
	}
	COPY_VEC(&s->queue, &m->queue);
	s->nlive = m->nlive;
	s->current = m->current;
	s->skipped_ns = m->skipped_ns;
	return s;
}

void snapshot_restore(struct machine *m, const struct snapshot *s)
{
	mem_restore(&m->mem, s->mem);
	COPY_VEC(&m->heap.blocks, &s->blocks);
	m->heap.next = s->heap_next;
	m->heap.live = s->heap_live;
	while (m->threads.n > s->threads.n)
		thread_free(m, vec_pop(&m->threads));
	vec_each (&s->threads, i) {
		thread_clear(m->threads.at[i]);
		thread_copy(m->threads.at[i], s->threads.at[i]);
	}
	COPY_VEC(&m->queue, &s->queue);
	m->nlive = s->nlive;
	m->current = s->current;
	m->skipped_ns = s->skipped_ns;
	strbuf_clear(&m->res->report);
	m->res->fate = EXEC_EXITED;
	m->res->fault = FAULT_NONE;
}

void snapshot_free(struct snapshot *s)
{
	mem_image_free(s->mem);
	vec_release(&s->blocks);
	vec_each (&s->threads, i) {
		thread_clear(s->threads.at[i]);
		free(s->threads.at[i]);
	}
	vec_release(&s->threads);
	vec_release(&s->queue);
	free(s);
}

/* ---- the hash
 * --------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* The word with zeros for its bytes that are not initialized: one bit of `init` for each byte. */
static uint64_t initialized(uint64_t word, uint8_t init)
{
	uint64_t mask = 0;

	if (init == 0xff)
		return word;
	for (unsigned k = 0; k < 8; k++)
		if (init >> k & 1)
			mask |= 0xffull << 8 * k;
	return word & mask;
}

/* bytes that are part of no object do not count */
static uint64_t page_hash(uint64_t no, const struct mem_page *p)
{
	uint64_t h = mix(no, 1), word;

	for (unsigned i = 0; i < MEM_PAGE / 8; i++) {
		if (!p->init[i] && !p->valid[i])
			continue;
		memcpy(&word, p->bytes + 8 * i, 8);
		h = mix(h, initialized(word, p->init[i]));
		h = mix(h, (uint64_t)i << 16 | (uint64_t)p->valid[i] << 8 | p->init[i]);
	}
	return h;
}

void clear_registers(const struct machine *m, struct thread *t)
{
	const struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	uint32_t end = f->code->const_first, first = end - 1; /* the last one is a temporary */

	if (f->pc || t->resumed)
		return;
	if (fn->nparams < fn->regs.n)
		first = f->code->slot[fn->nparams];
	for (uint32_t k = first; k < end; k++)
		t->slots[f->base + k] = 0;
}

struct hashed_page {
	uint64_t hash;
	uint8_t bytes[MEM_PAGE], valid[MEM_PAGE / 8], init[MEM_PAGE / 8];
};

/* page_hash(), computed again only if the page differs from what it was at the last call. */
static uint64_t known_hash(struct page_hashes *known, uint64_t no, const struct mem_page *p)
{
	uint64_t *slot = map_put(&known->by_number, no);
	struct hashed_page *last = (struct hashed_page *)(uintptr_t)*slot;

	if (last && !memcmp(last->valid, p->valid, sizeof last->valid) &&
		!memcmp(last->init, p->init, sizeof last->init) &&
		!memcmp(last->bytes, p->bytes, sizeof last->bytes))
		return last->hash;
	if (!last) {
		last = xmalloc(sizeof *last);
		*slot = map_ptr(last);
	}
	memcpy(last->bytes, p->bytes, sizeof last->bytes);
	memcpy(last->valid, p->valid, sizeof last->valid);
	memcpy(last->init, p->init, sizeof last->init);
	return last->hash = page_hash(no, p);
}

void page_hashes_release(struct page_hashes *known)
{
	map_each (&known->by_number, i)
		free((struct hashed_page *)(uintptr_t)known->by_number.slots[i].val);
	map_release(&known->by_number);
}

static uint64_t thread_hash(const struct thread *t)
{
	uint64_t h = mix(t->state, t->wait_on * (t->state == THREAD_WAITING));

	h = mix(h, (uint64_t)t->notified << 1 | t->resumed);
	vec_each (&t->frames, i) {
		const struct frame *f = &t->frames.at[i];

		h = mix(h, (uint64_t)f->func << 32 | f->pc);
	}
	for (uint32_t i = 0; i < t->nslots; i++)
		h = mix(h, t->slots[i]);
	for (uint32_t i = 0; t->shadow && i < t->nslots; i++)
		h = mix(h, t->shadow[i]);
	return h;
}

uint64_t machine_hash(struct machine *m, struct page_hashes *known)
{
	VEC(uint64_t) numbers = {0};
	uint64_t pages = 0, h = 7;

	map_each (&m->mem.pages, i)
		vec_push(&numbers, m->mem.pages.slots[i].key);
	vec_each (&numbers, i) {
		const struct mem_page *p = page_look_up(&m->mem, numbers.at[i]);

		if (p && !p->readonly && p->nvalid)
			pages += known_hash(known, numbers.at[i], p); /* in any order */
	}
	vec_release(&numbers);
	h = mix(h, pages);
	vec_each (&m->heap.blocks, i)
		h = mix(h, m->heap.blocks.at[i].base + m->heap.blocks.at[i].freed);
	vec_each (&m->threads, i)
		h = mix(h, thread_hash(m->threads.at[i]));
	vec_each (&m->queue, i)
		h = mix(h, m->queue.at[i].addr + m->queue.at[i].thread);
	return h;
}
