/* Saved states. Arrays are strips (strip.h), memory is an image (mem.h). */
#include "machine/save.h"

#include "base/base.h"
#include "base/vec.h"
#include "machine/code.h"
#include "machine/extension.h"
#include "memory/strip.h"

#include <stdlib.h>

/* the numbers of struct machine that belong to the state */
#define MACHINE_NUMBERS(X)                                                                         \
	X(nlive)                                                                                   \
	X(rng)                                                                                     \
	X(serial)                                                                                  \
	X(instructions)                                                                            \
	X(branches)                                                                                \
	X(fuel)                                                                                    \
	X(skipped_ns)                                                                              \
	X(current)

struct saved_thread {
	uint32_t refs;
	struct strip *record; /* struct thread without its arrays */
	struct strip *frames, *vars, *slots, *shadow, *terms;
};

enum { WORLD_BYTES = 1024 }; /* estimate for a copy of the world with few changes */

struct saved {
	uint32_t refs;
	uint32_t nthreads;
	struct saved_thread **threads;
	struct mem_image *mem;
	struct strip *blocks, *queue;
	uint64_t heap_next, heap_live, heap_peak;
#define X(field) __typeof__(((struct machine *)0)->field) field;
	MACHINE_NUMBERS(X)
#undef X
	const struct symbolic_ops *symbolic_ops;
	struct sym_state *sym; /* NULL: the machine had no terms */
	const struct world_ops *world_ops;
	struct world *world; /* NULL: the machine had none */
	uint64_t bytes; /* see saved_bytes() */
};

/* ---- threads --------------------------------------------------------------------------------- */

/* Copies the pointers to the arrays of a thread, and their capacity. */
static void take_arrays(struct thread *t, const struct thread *from)
{
	memcpy(&t->frames, &from->frames, sizeof t->frames);
	memcpy(&t->vars, &from->vars, sizeof t->vars);
	t->slots = from->slots;
	t->shadow = from->shadow;
	t->terms = from->terms;
	t->cap = from->cap;
}

static bool same_thread(const struct saved_thread *a, const struct saved_thread *b)
{
	return !memcmp(&a->record, &b->record, sizeof *a - offsetof(struct saved_thread, record));
}

static void saved_thread_unref(struct saved_thread *s)
{
	if (--s->refs)
		return;
	strip_unref(s->record);
	strip_unref(s->frames);
	strip_unref(s->vars);
	strip_unref(s->slots);
	strip_unref(s->shadow);
	strip_unref(s->terms);
	free(s);
}

static struct saved_thread *save_thread(const struct thread *t, struct saved_thread *old)
{
	struct saved_thread *s = xmalloc(sizeof *s), none = {0};
	const struct saved_thread *o = old ? old : &none;
	struct thread record = *t;

	take_arrays(&record, &(struct thread){0});
	*s = (struct saved_thread){.refs = 1};
	s->record = strip_new(o->record, &record, sizeof record);
	s->frames = strip_vec(o->frames, &t->frames);
	s->vars = strip_vec(o->vars, &t->vars);
	if (t->slots)
		s->slots = strip_new(o->slots, t->slots, t->nslots * (uint32_t)sizeof *t->slots);
	if (t->shadow)
		s->shadow = strip_new(o->shadow, t->shadow, t->nslots * (uint32_t)sizeof *t->shadow);
	if (t->terms)
		s->terms = strip_new(o->terms, t->terms, t->nslots * (uint32_t)sizeof *t->terms);
	if (old && same_thread(s, old)) {
		saved_thread_unref(s);
		old->refs++;
		return old;
	}
	return s;
}

/* Restores an array by slot; zeros if the save has none but the thread has one now. */
static void restore_slots(const struct strip *s, void *at, uint32_t bytes)
{
	if (s)
		strip_get(s, at);
	else if (at)
		memset(at, 0, bytes);
}

static void restore_thread(struct thread *t, const struct saved_thread *s)
{
	struct thread live = *t;

	strip_get(s->record, t);
	take_arrays(t, &live);
	strip_get_vec(s->frames, &t->frames);
	strip_get_vec(s->vars, &t->vars);
	if (t->cap < t->nslots || (s->shadow && !t->shadow) || (s->terms && !t->terms)) {
		t->cap = MAX(t->cap, t->nslots);
		t->slots = xrealloc(t->slots, t->cap * sizeof *t->slots);
		if (s->shadow || t->shadow)
			t->shadow = xrealloc(t->shadow, t->cap * sizeof *t->shadow);
		if (s->terms || t->terms)
			t->terms = xrealloc(t->terms, t->cap * sizeof *t->terms);
	}
	strip_get(s->slots, t->slots);
	restore_slots(s->shadow, t->shadow, t->nslots * (uint32_t)sizeof *t->shadow);
	restore_slots(s->terms, t->terms, t->nslots * (uint32_t)sizeof *t->terms);
}

static void save_threads(const struct machine *m, struct saved *s)
{
	const struct saved *old = m->saved;

	s->nthreads = m->threads.n;
	s->threads = xmalloc(s->nthreads * sizeof *s->threads + 1);
	vec_each (&m->threads, i)
		s->threads[i] = save_thread(m->threads.at[i],
			old && i < old->nthreads ? old->threads[i] : NULL);
}

static void restore_threads(struct machine *m, const struct saved *s)
{
	while (m->threads.n > s->nthreads)
		thread_free(m, vec_pop(&m->threads));
	while (m->threads.n < s->nthreads)
		vec_push(&m->threads, xcalloc(1, sizeof(struct thread)));
	vec_each (&m->threads, i)
		restore_thread(m->threads.at[i], s->threads[i]);
}

/* ---- heap blocks: many, of which few change -------------------------------------------------- */

static uint32_t unchanged_bytes(const struct heap *h)
{
	return MIN(h->changed, h->blocks.n) * (uint32_t)sizeof *h->blocks.at;
}

static void save_blocks(struct heap *h, const struct saved *old, struct saved *s)
{
	s->blocks = strip_new_from(old ? old->blocks : NULL, h->blocks.at,
		h->blocks.n * (uint32_t)sizeof *h->blocks.at, unchanged_bytes(h));
	h->changed = UINT32_MAX;
}

static void restore_blocks(struct heap *h, const struct saved *old, const struct saved *s)
{
	uint32_t same = unchanged_bytes(h);

	h->blocks.n = (uint32_t)(strip_size(s->blocks) / sizeof *h->blocks.at);
	vec_reserve(&h->blocks, h->blocks.n);
	strip_get_from(s->blocks, h->blocks.at, old ? old->blocks : NULL, same);
	h->changed = UINT32_MAX;
}

/* ---- size ------------------------------------------------------------------------------------ */

static uint64_t saved_thread_bytes(const struct saved_thread *s)
{
	if (s->refs > 1)
		return 0;
	return sizeof *s + strip_bytes(s->record) + strip_bytes(s->frames) + strip_bytes(s->vars) +
	       strip_bytes(s->slots) + strip_bytes(s->shadow) + strip_bytes(s->terms);
}

/* Bytes that only this save holds, just after it was made. */
static uint64_t bytes_added(const struct saved *s, const struct saved *old)
{
	uint64_t sum = sizeof *s + s->nthreads * sizeof *s->threads + strip_bytes(s->blocks) +
		       strip_bytes(s->queue) + (s->sym ? s->symbolic_ops->bytes(s->sym) : 0) +
		       (s->world ? WORLD_BYTES : 0);

	if (!old || old->mem != s->mem)
		sum += mem_image_bytes(s->mem);
	for (uint32_t i = 0; i < s->nthreads; i++)
		sum += saved_thread_bytes(s->threads[i]);
	return sum;
}

uint64_t saved_bytes(const struct saved *s)
{
	return s->bytes;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void remember_saved(struct machine *m, struct saved *s)
{
	s->refs++;
	if (m->saved)
		saved_free(m->saved);
	m->saved = s;
}

struct saved *machine_save(struct machine *m)
{
	struct saved *s = xcalloc(1, sizeof *s);
	const struct saved *old = m->saved;

	s->refs = 1;
	s->mem = mem_save(&m->mem);
	save_blocks(&m->heap, old, s);
	s->heap_next = m->heap.next;
	s->heap_live = m->heap.live;
	s->heap_peak = m->heap.peak;
	save_threads(m, s);
	s->queue = strip_vec(old ? old->queue : NULL, &m->queue);
#define X(field) s->field = m->field;
	MACHINE_NUMBERS(X)
#undef X
	if (m->sym) {
		s->symbolic_ops = m->symbolic_ops;
		s->sym = m->symbolic_ops->save(m, old ? old->sym : NULL);
	}
	if (m->world) {
		s->world_ops = m->world_ops;
		s->world = m->world_ops->copy(m->world);
	}
	s->bytes = bytes_added(s, old);
	remember_saved(m, s);
	return s;
}

void machine_restore(struct machine *m, struct saved *s)
{
	BUG_ON(!s->refs || !m->sym != !s->sym);
	mem_restore(&m->mem, s->mem);
	restore_blocks(&m->heap, m->saved, s);
	m->heap.next = s->heap_next;
	m->heap.live = s->heap_live;
	m->heap.peak = s->heap_peak;
	restore_threads(m, s);
	strip_get_vec(s->queue, &m->queue);
#define X(field) m->field = s->field;
	MACHINE_NUMBERS(X)
#undef X
	if (m->sym)
		m->symbolic_ops->restore(m, s->sym);
	if (m->world)
		m->world_ops->free(m->world);
	m->world_ops = s->world_ops;
	m->world = s->world ? s->world_ops->copy(s->world) : NULL;
	remember_saved(m, s);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->code == b->code && a->base == b->base && a->careful == b->careful &&
	       (a->careful ? a->pc == b->pc : a->ip == b->ip) && a->entered == b->entered &&
	       a->nvars == b->nvars && a->sp == b->sp;
}

static bool has_beside(const struct frame *f)
{
	return f->careful || f->code->guard;
}

/* Compares shadows or terms. Only careful and guarded frames have valid ones; the slots of other
 * frames have stale values. */
static bool same_beside(const struct thread *t, const struct strip *s, const void *at, size_t size)
{
	uint8_t *old = xcalloc(t->nslots + 1, size);
	bool same = true;

	strip_get(s, old);
	vec_each (&t->frames, i) {
		const struct frame *f = &t->frames.at[i];
		uint32_t end = i + 1 < t->frames.n ? f[1].base : t->nslots;

		if (has_beside(f) && at)
			same &= !memcmp(old + f->base * size, (const uint8_t *)at + f->base * size,
				(end - f->base) * size);
		for (size_t k = f->base * size; has_beside(f) && !at && k < end * size; k++)
			same &= !old[k];
	}
	free(old);
	return same;
}

/* With exec_options.pick a time-out is possible at any moment; else the deadline decides when. */
static bool same_deadline(const struct machine *m, uint64_t a, uint64_t b)
{
	return m->opt->pick ? !a == !b : !a && !b;
}

static bool same_place(const struct machine *m, const struct thread *t, const struct saved_thread *s)
{
	VEC(struct frame) frames = {0};
	struct thread old;
	bool same;

	strip_get(s->record, &old);
	if (t->state != old.state || t->nslots != old.nslots || t->sp != old.sp ||
		t->wait_on != old.wait_on || !same_deadline(m, t->deadline, old.deadline) ||
		t->notified != old.notified || t->resumed != old.resumed ||
		t->poll_fd != old.poll_fd ||
		strip_size(s->frames) != t->frames.n * sizeof *t->frames.at)
		return false;
	strip_get_vec(s->frames, &frames);
	same = true;
	for (uint32_t i = frames.n; i-- && same;)
		same = same_frame(&frames.at[i], &t->frames.at[i]);
	vec_release(&frames);
	return same;
}

static bool same_registers(const struct thread *t, const struct saved_thread *s)
{
	return strip_same(s->slots, t->slots, t->nslots * (uint32_t)sizeof *t->slots) &&
	       strip_same(s->vars, t->vars.at, t->vars.n * (uint32_t)sizeof *t->vars.at) &&
	       same_beside(t, s->shadow, t->shadow, sizeof *t->shadow) &&
	       same_beside(t, s->terms, t->terms, sizeof *t->terms);
}

static bool same_queue(const struct machine *m, const struct saved *s)
{
	VEC(struct waiter) old = {0};
	bool same = strip_size(s->queue) == m->queue.n * sizeof *m->queue.at;

	strip_get_vec(s->queue, &old);
	for (uint32_t i = 0; i < old.n && same; i++)
		same = old.at[i].addr == m->queue.at[i].addr &&
		       old.at[i].thread == m->queue.at[i].thread &&
		       term_same(old.at[i].term, m->queue.at[i].term) &&
		       term_same(old.at[i].stamp, m->queue.at[i].stamp);
	vec_release(&old);
	return same;
}

static bool same_extensions(const struct machine *m, const struct saved *s)
{
	return (!m->sym || m->symbolic_ops->same(m, s->sym)) &&
	       (!m->world || m->world_ops->same(m->world, s->world));
}

bool machine_same(struct machine *m, const struct saved *s)
{
	if (m->threads.n != s->nthreads || m->rng != s->rng ||
		m->heap.next != s->heap_next || m->heap.live != s->heap_live)
		return false;
	for (uint32_t i = m->threads.n; i--;) /* the running thread is rarely thread 0 */
		if (!same_place(m, m->threads.at[i], s->threads[i]))
			return false;
	vec_each (&m->threads, i)
		if (!same_registers(m->threads.at[i], s->threads[i]))
			return false;
	return same_queue(m, s) && same_extensions(m, s) &&
	       strip_same(s->blocks, m->heap.blocks.at,
		       m->heap.blocks.n * (uint32_t)sizeof *m->heap.blocks.at) &&
	       mem_same(&m->mem, s->mem);
}

/* ---- the end --------------------------------------------------------------------------------- */

void saved_free(struct saved *s)
{
	if (--s->refs)
		return;
	mem_image_free(s->mem);
	strip_unref(s->blocks);
	for (uint32_t i = 0; i < s->nthreads; i++)
		saved_thread_unref(s->threads[i]);
	free(s->threads);
	strip_unref(s->queue);
	if (s->sym)
		s->symbolic_ops->drop(s->sym);
	if (s->world)
		s->world_ops->free(s->world);
	free(s);
}
