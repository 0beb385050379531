/*
 * `heddle trace --check-memory`, for heddle's own tests: compares the globals at the end of the
 * program, which the runtime wrote to a file, with the writes of the re-executed threads. For each
 * byte, the last write of each thread is a candidate for the final value, unless another thread's
 * write happens after it: a write lies between two synchronization events of its thread, whose
 * order is known. One of the remaining candidates must have the value of the byte. Synchronization
 * objects (mutexes and others) are not compared, because the library writes them.
 *
 * FILE is a sequence of: u32 (number of the global among those that are not thread-local), u64
 * (size), and that many bytes.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/clocks.h"
#include "view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_REPORTED = 20, CLOCKS_LIMIT = 1 << 30 };

struct last_write { /* the last writes of one thread to an aligned word of 8 bytes */
	uint8_t mask, value[8]; /* mask: bytes that were written */
	uint8_t early;     /* bytes that may have been written before event after[i] - 1 */
	uint32_t after[8]; /* by byte: synchronization events of the thread before the write */
};

struct writer {             /* one thread */
	struct map by_word; /* address / 8 -> index + 1 */
	VEC(struct last_write) at;
	uint32_t events; /* synchronization events so far */
	bool after_sync; /* writes of a synchronizing call are reported after its event */
};

struct dumped {
	uint32_t global;
	uint64_t addr, size;
	size_t at;          /* offset of the bytes in the file */
	uint8_t *main_view; /* the bytes in the memory of the re-executed main thread at its end */
	bool *known;        /* by byte: main_view is known */
};

struct memory {
	struct view *v;
	const char *path;
	struct strbuf file;
	VEC(struct dumped) globals;
	struct writer *writers;
	struct clocks clocks;
	struct map library; /* address / 4 of synchronization objects */
	uint64_t lo, hi;    /* address range of the globals */
	uint64_t compared, unknown, wrong;
};

/* ---- writes of the threads ------------------------------------------------------------------ */

static void note_byte(struct memory *m, struct writer *w, uint64_t addr, uint8_t value)
{
	uint64_t *at;
	struct last_write *lw;

	if (addr < m->lo || addr >= m->hi)
		return;
	at = map_put(&w->by_word, addr >> 3);
	if (!*at) {
		(void)vec_add(&w->at);
		*at = w->at.n;
	}
	lw = &w->at.at[*at - 1];
	lw->mask |= (uint8_t)(1u << (addr & 7));
	lw->early &= (uint8_t)~(1u << (addr & 7));
	lw->early |= (uint8_t)(w->after_sync << (addr & 7));
	lw->value[addr & 7] = value;
	lw->after[addr & 7] = w->events;
}

static void note_write(struct memory *m, struct writer *w, const struct follow_event *e)
{
	uint8_t v[16];

	memcpy(v, &e->value.lo, 8);
	memcpy(v + 8, &e->value.hi, 8);
	for (uint64_t i = 0; i < e->size; i++)
		if (e->bytes || i < sizeof v)
			note_byte(m, w, e->addr + i, e->bytes ? e->bytes[i] : v[i]);
}

static void look_at_main(struct memory *m, const struct follow *f)
{
	vec_each (&m->globals, i) {
		struct dumped *d = &m->globals.at[i];

		for (uint64_t k = 0; k < d->size; k++)
			d->known[k] = follow_memory(f, d->addr + k, &d->main_view[k], 1);
	}
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct memory *m = ctx;
	struct writer *w = &m->writers[thread];

	switch (e->kind) {
	case FOLLOW_WRITE:
	case FOLLOW_RMW:
		w->after_sync = false;
		note_write(m, w, e);
		break;
	case FOLLOW_NATIVE_WRITE: note_write(m, w, e); break;
	default:
		w->events++;
		w->after_sync = e->kind == FOLLOW_SYNC;
		if (trace_thread(m->v->t, thread)->kind == LOG_T_MAIN &&
			(e->kind == FOLLOW_END ||
				(e->kind == FOLLOW_SYNC && e->sync->kind == LOG_S_PROCESS_EXIT)))
			look_at_main(m, f);
	}
}

/* ---- the file ------------------------------------------------------------------------------- */

static int bad_file(const struct memory *m, const char *what)
{
	return error_at((struct diag_pos){.file = m->path}, "%s", what);
}

static void list_globals(const struct ir_program *p, struct vec_u32 *out)
{
	vec_each (&p->globals, g)
		if (!(p->globals.at[g].flags & IR_G_TLS))
			vec_push(out, g);
}

static int read_globals(struct memory *m, const struct vec_u32 *ids)
{
	const struct follow_snapshot *s = trace_snapshot(m->v->t);
	size_t at = 0;

	m->lo = UINT64_MAX;
	while (at < m->file.n) {
		struct dumped d = {0};

		if (m->file.n - at < 12)
			return bad_file(m, "the file is truncated");
		memcpy(&d.global, m->file.s + at, 4);
		memcpy(&d.size, m->file.s + at + 4, 8);
		d.at = at + 12;
		if (d.global >= ids->n || d.size > m->file.n - d.at ||
			d.size != m->v->p->globals.at[ids->at[d.global]].size)
			return bad_file(m, "the file belongs to another program, or is truncated");
		d.global = ids->at[d.global];
		at = d.at + d.size;
		d.addr = s ? follow_global_addr(s, d.global) : 0;
		if (!d.addr || !d.size)
			continue;
		d.main_view = xcalloc(d.size, 1);
		d.known = xcalloc(d.size, 1);
		m->lo = MIN(m->lo, d.addr);
		m->hi = MAX(m->hi, d.addr + d.size);
		vec_push(&m->globals, d);
	}
	return 0;
}

static int read_dump(struct memory *m)
{
	struct vec_u32 ids = {0};
	int rc;

	if (strbuf_read_file(&m->file, m->path))
		return bad_file(m, strerror(errno));
	list_globals(m->v->p, &ids);
	rc = read_globals(m, &ids);
	vec_release(&ids);
	return rc;
}

static uint64_t object_size(int primitive)
{
	switch (primitive) {
	case CHECK_MUTEX: return sizeof(pthread_mutex_t);
	case CHECK_RWLOCK: return sizeof(pthread_rwlock_t);
	case CHECK_SPIN: return sizeof(pthread_spinlock_t);
	case CHECK_COND: return sizeof(pthread_cond_t);
	case CHECK_SEM: return sizeof(sem_t);
	case CHECK_BARRIER: return sizeof(pthread_barrier_t);
	case CHECK_ONCE: return sizeof(pthread_once_t);
	default: return 0;
	}
}

static void find_library_objects(struct memory *m)
{
	const struct history *h = &m->v->c.h;

	vec_each (&h->threads, t) {
		vec_each (&h->threads.at[t].events, i) {
			const struct sync_event *e = &h->threads.at[t].events.at[i];
			uint64_t n = e->object ? object_size(check_primitive_of(e->kind)) : 0;

			for (uint64_t a = e->object; a < e->object + n; a += 4)
				*map_put(&m->library, a >> 2) = 1;
		}
	}
}

/* ---- comparing ------------------------------------------------------------------------------ */

struct candidate {
	uint32_t thread;
	uint32_t before, after; /* the write is between these events; UINT32_MAX: none */
	uint8_t value;
};
struct candidates {
	struct candidate *at;
	uint32_t n, cap;
	bool open; /* a thread that wrote it was not reproduced to its end: value not known */
};

static void find_candidates(struct memory *m, uint64_t addr, struct candidates *c)
{
	vec_clear(c);
	c->open = false;
	for (uint32_t t = 0; t < trace_nthreads(m->v->t); t++) {
		const struct sync_thread *h = &m->v->c.h.threads.at[t];
		uint64_t at = map_get_or(&m->writers[t].by_word, addr >> 3, 0);
		const struct last_write *lw = at ? &m->writers[t].at.at[at - 1] : NULL;
		uint32_t after, before;

		if (!lw || !(lw->mask >> (addr & 7) & 1))
			continue;
		after = MIN(lw->after[addr & 7], h->events.n);
		before = 1u + (lw->early >> (addr & 7) & 1);
		c->open |= h->fate != SYNC_COMPLETE;
		vec_push(c, (struct candidate){t, after >= before ? after - before : UINT32_MAX,
			after < h->events.n ? after : UINT32_MAX, lw->value[addr & 7]});
	}
}

static bool is_before(const struct memory *m, const struct candidate *a, const struct candidate *b)
{
	return a->after != UINT32_MAX && b->before != UINT32_MAX &&
	       clocks_before(&m->clocks, a->thread, a->after, b->thread, b->before);
}

static bool is_explained(const struct memory *m, const struct candidates *c, uint8_t value)
{
	vec_each (c, i) {
		bool overwritten = false;

		vec_each (c, k)
			overwritten |= k != i && is_before(m, &c->at[i], &c->at[k]);
		if (!overwritten && c->at[i].value == value)
			return true;
	}
	return false;
}

static void report_difference(
	struct memory *m, const struct dumped *d, uint64_t k, const struct candidates *c)
{
	struct strbuf b = {0};

	if (m->wrong++ >= MAX_REPORTED)
		return;
	view_data(&b, m->v, d->addr + k, 1, 0);
	strbuf_addf(&b, ": byte %" PRIu64 " of global '%s' is 0x%02x in the program, but", k,
		ir_str(m->v->p, m->v->p->globals.at[d->global].name),
		(uint8_t)m->file.s[d->at + k]);
	vec_each (c, i)
		strbuf_addf(&b, "%s 0x%02x by thread %u", i ? "," : "", c->at[i].value,
			view_thread_id(m->v, c->at[i].thread));
	if (!c->n)
		strbuf_addf(&b, " 0x%02x in the memory of the main thread", d->main_view[k]);
	error_("%s", b.s);
	strbuf_release(&b);
}

static void compare_memory(struct memory *m)
{
	struct candidates c = {0};

	vec_each (&m->globals, i) {
		const struct dumped *d = &m->globals.at[i];

		for (uint64_t k = 0; k < d->size; k++) {
			uint8_t is = (uint8_t)m->file.s[d->at + k];

			if (map_get(&m->library, (d->addr + k) >> 2))
				continue;
			find_candidates(m, d->addr + k, &c);
			if (c.open || (!c.n && !d->known[k])) {
				m->unknown++;
				continue;
			}
			m->compared++;
			if (c.n ? !is_explained(m, &c, is) : d->main_view[k] != is)
				report_difference(m, d, k, &c);
		}
	}
	vec_release(&c);
}

static int check_memory(struct memory *m)
{
	struct trace_observer o = {.event = on_event,
		.ctx = m,
		.kinds = FOLLOW_BIT(FOLLOW_WRITE) | FOLLOW_BIT(FOLLOW_RMW) |
			 FOLLOW_BIT(FOLLOW_NATIVE_WRITE) | FOLLOW_BIT(FOLLOW_SYNC) |
			 FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END)};

	if (read_dump(m) || trace_follow(m->v->t, &o, NULL, m->v->jobs))
		return -1;
	find_library_objects(m);
	clocks_build(&m->clocks, &m->v->c.o, CLOCKS_LIMIT);
	compare_memory(m);
	clocks_release(&m->clocks);
	printf("%" PRIu64 " bytes compared, %" PRIu64 " differ, %" PRIu64 " unknown\n", m->compared,
		m->wrong, m->unknown);
	return m->wrong ? 1 : 0;
}

int view_check_memory(struct view *v, const char *path)
{
	uint32_t n = trace_nthreads(v->t);
	struct memory m = {.v = v, .path = path};
	int status;

	m.writers = xcalloc((size_t)n + 1, sizeof *m.writers);
	status = check_memory(&m);
	for (uint32_t t = 0; t < n; t++) {
		map_release(&m.writers[t].by_word);
		vec_release(&m.writers[t].at);
	}
	free(m.writers);
	map_release(&m.library);
	vec_each (&m.globals, i) {
		free(m.globals.at[i].main_view);
		free(m.globals.at[i].known);
	}
	vec_release(&m.globals);
	strbuf_release(&m.file);
	return status;
}
