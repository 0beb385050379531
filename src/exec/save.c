/* Saved states. Arrays are strips (strip.h), memory is an image (mem.h). */
#include "exec/save.h"

#include "exec/lazy.h"
#include "exec/strip.h"
#include "exec/sym.h"
#include "exec/world.h"

#include <stdlib.h>

/* the numbers of struct machine that belong to the state */
#define MACHINE_NUMBERS(X)                                                                         \
	X(nlive)                                                                                   \
	X(rng)                                                                                     \
	X(serial)                                                                                  \
	X(instructions)                                                                            \
	X(fuel)                                                                                    \
	X(skipped_ns)                                                                              \
	X(current)

struct saved_thread {
	uint32_t refs;
	struct strip *record; /* struct thread without its arrays */
	struct strip *frames, *vars, *slots, *shadow, *terms;
};

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
	struct sym *sym; /* with what sym_except() leaves; NULL: the machine had none */
	struct strip *path, *switches;
	struct world *world;
};

/* ---- threads ---------------------------------------------------------------------------------------- */

/* The arrays of the one in the record of the other. */
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

/* An array by slot: as saved, or zeros if there was none and there is one now. */
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

/* ---- the path ------------------------------------------------------------------------------------------ */

/* What of struct sym is not state, and what is kept otherwise. */
static void sym_except(struct sym *y, const struct sym *from)
{
	y->ts = from->ts;
	y->ask = from->ask;
	y->ops = from->ops;
	y->ctx = from->ctx;
	y->bases = from->bases;
	memcpy(&y->path, &from->path, sizeof y->path);
	memcpy(&y->switches, &from->switches, sizeof y->switches);
	y->lazy = from->lazy;
}

static void save_sym(const struct sym *y, const struct saved *old, struct saved *s)
{
	s->sym = xmalloc(sizeof *s->sym);
	*s->sym = *y;
	sym_except(s->sym, &(struct sym){.lazy = y->lazy ? lazy_copy(y->lazy) : NULL});
	s->path = strip_vec(old ? old->path : NULL, &y->path);
	s->switches = strip_vec(old ? old->switches : NULL, &y->switches);
}

static void restore_sym(struct sym *y, const struct saved *s)
{
	struct sym live = *y;

	if (live.lazy)
		lazy_free(live.lazy);
	live.lazy = s->sym->lazy ? lazy_copy(s->sym->lazy) : NULL;
	*y = *s->sym;
	sym_except(y, &live);
	strip_get_vec(s->path, &y->path);
	strip_get_vec(s->switches, &y->switches);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void remember(struct machine *m, struct saved *s)
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
	s->blocks = strip_vec(old ? old->blocks : NULL, &m->heap.blocks);
	s->heap_next = m->heap.next;
	s->heap_live = m->heap.live;
	s->heap_peak = m->heap.peak;
	save_threads(m, s);
	s->queue = strip_vec(old ? old->queue : NULL, &m->queue);
#define X(field) s->field = m->field;
	MACHINE_NUMBERS(X)
#undef X
	if (m->sym)
		save_sym(m->sym, old, s);
	if (m->world)
		s->world = world_copy(m->world);
	remember(m, s);
	return s;
}

void machine_restore(struct machine *m, struct saved *s)
{
	BUG_ON(!m->sym != !s->sym);
	mem_restore(&m->mem, s->mem);
	strip_get_vec(s->blocks, &m->heap.blocks);
	m->heap.next = s->heap_next;
	m->heap.live = s->heap_live;
	m->heap.peak = s->heap_peak;
	restore_threads(m, s);
	strip_get_vec(s->queue, &m->queue);
#define X(field) m->field = s->field;
	MACHINE_NUMBERS(X)
#undef X
	if (m->sym)
		restore_sym(m->sym, s);
	if (m->world)
		world_free(m->world);
	m->world = s->world ? world_copy(s->world) : NULL;
	remember(m, s);
}

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
	strip_unref(s->path);
	strip_unref(s->switches);
	if (s->sym && s->sym->lazy)
		lazy_free(s->sym->lazy);
	free(s->sym);
	if (s->world)
		world_free(s->world);
	free(s);
}

static uint64_t saved_thread_bytes(const struct saved_thread *s)
{
	if (s->refs > 1)
		return 0;
	return sizeof *s + strip_bytes(s->record) + strip_bytes(s->frames) + strip_bytes(s->vars) +
	       strip_bytes(s->slots) + strip_bytes(s->shadow) + strip_bytes(s->terms);
}

uint64_t saved_bytes(const struct saved *s)
{
	uint64_t sum = sizeof *s + s->nthreads * sizeof *s->threads + mem_image_bytes(s->mem) +
		       strip_bytes(s->blocks) + strip_bytes(s->queue) + strip_bytes(s->path) +
		       strip_bytes(s->switches) + (s->sym ? sizeof *s->sym : 0);

	for (uint32_t i = 0; i < s->nthreads; i++)
		sum += saved_thread_bytes(s->threads[i]);
	return sum;
}
