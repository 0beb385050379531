#include "trace/check_objects.h"

#include "base/arena.h"
#include "base/strbuf.h"

#include <errno.h>

enum { PAGE_BITS = 12, MAX_PAGES = 1024 };

/* ---- findings ------------------------------------------------------------------------------- */

static void add_finding(struct checker *c, enum check_finding_kind kind, const char *what)
{
	if (c->out->count[kind]++ < CHECK_MAX_FINDINGS)
		vec_push(&c->out->findings,
			(struct check_finding){kind, c->now, arena_strdup(&c->out->arena, what)});
}

void violation(struct checker *c, const char *fmt, ...)
{
	struct strbuf b = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	add_finding(c, c->h->foreign ? CHECK_UNEXPLAINED : CHECK_VIOLATION, b.s);
	strbuf_release(&b);
}

void misuse(struct checker *c, struct object *o, const char *what)
{
	add_finding(c, c->h->foreign ? CHECK_UNEXPLAINED : CHECK_MISUSE, what);
	if (o)
		object_unsure(o);
}

/* ---- objects -------------------------------------------------------------------------------- */

void object_reset(struct object *o)
{
	vec_release(&o->readers);
	*o = (struct object){
		.addr = o->addr,
		.next = o->next,
		.last = o->last,
		.life = o->life + 1,
		.what = o->what,
		.type = o->what == CHECK_MUTEX ? MUTEX_UNKNOWN : MUTEX_NORMAL,
		.owner = NO_THREAD,
		.acquirer = NO_THREAD,
		.signal_end = NEVER,
	};
}

void object_unsure(struct object *o)
{
	object_reset(o);
	o->unsure = true;
}

struct object *object_at(struct checker *c, uint64_t addr, enum check_primitive what)
{
	uint64_t *at, *page;
	struct object *o;

	if (!addr)
		return NULL;
	at = map_put(&c->by_addr, addr);
	if (!*at) {
		page = map_put(&c->by_page, addr >> PAGE_BITS);
		o = vec_add(&c->objects);
		*at = c->objects.n;
		o->addr = addr;
		o->what = what;
		o->last = NEVER;
		o->next = *page ? (uint32_t)*page - 1 : NO_OBJECT;
		*page = c->objects.n;
		object_reset(o);
		o->unsure = c->last_dark != NEVER;
		return o;
	}
	o = &c->objects.at[*at - 1];
	if (o->what != what) {
		o->what = what;
		object_unsure(o);
	}
	if (c->last_dark != NEVER && (o->last == NEVER || o->last <= c->last_dark)) {
		o->unsure = true;
		o->acquirer = NO_THREAD;
	}
	return o;
}

static void page_forget(struct checker *c, uint64_t page, uint64_t lo, uint64_t hi)
{
	uint32_t i = (uint32_t)map_get_or(&c->by_page, page, 0) - 1;

	for (; i != NO_OBJECT; i = c->objects.at[i].next) {
		struct object *o = &c->objects.at[i];

		if (o->addr >= lo && o->addr < hi)
			object_unsure(o);
	}
}

void objects_forget(struct checker *c, uint64_t lo, uint64_t hi)
{
	if (lo >= hi || !c->objects.n)
		return;
	if ((hi - lo) >> PAGE_BITS < MAX_PAGES) {
		for (uint64_t p = lo >> PAGE_BITS; p <= (hi - 1) >> PAGE_BITS; p++)
			page_forget(c, p, lo, hi);
	} else {
		map_each (&c->by_page, i)
			page_forget(c, c->by_page.slots[i].key, lo, hi);
	}
}

/* Sequence numbers of a block and of an object inside it are not comparable: in the observed order
 * a free may come after the first operation on an object in the next block at that address. So the
 * objects become unsure instead of new. */
void heap_step(struct checker *c, const struct sync_event *e)
{
	uint64_t *size;

	if (!e->object)
		return;
	if (e->kind == LOG_S_ALLOC) {
		*map_put(&c->blocks, e->object) = e->value;
		objects_forget(c, e->object, e->object + e->value);
	} else if ((size = map_get(&c->blocks, e->object))) {
		objects_forget(c, e->object, e->object + *size);
		map_del(&c->blocks, e->object);
	}
}

bool readers_remove(struct object *o, uint32_t thread)
{
	vec_each (&o->readers, i) {
		if (o->readers.at[i] == thread) {
			o->readers.at[i] = vec_last(&o->readers);
			o->readers.n--;
			return true;
		}
	}
	return false;
}

/* ---- threads -------------------------------------------------------------------------------- */

void checker_init(struct checker *c)
{
	c->threads = xcalloc((size_t)c->h->threads.n + 1, sizeof *c->threads);
	c->last_dark = NEVER;
	vec_each (&c->h->threads, t) {
		const struct sync_thread *th = &c->h->threads.at[t];

		c->threads[t].wait_rank = NEVER;
		if (!th->events.n && th->fate == SYNC_DARK)
			c->ndark++;
	}
	if (c->ndark)
		c->last_dark = 0;
}

void checker_release(struct checker *c)
{
	vec_each (&c->objects, i)
		vec_release(&c->objects.at[i].readers);
	vec_release(&c->objects);
	map_release(&c->by_addr);
	map_release(&c->by_page);
	map_release(&c->blocks);
	free(c->threads);
}

void threads_before(struct checker *c)
{
	const struct sync_thread *th = c->h->threads.at;
	uint32_t nesting = 0;

	c->self = c->now.thread;
	while (th[c->self].kind == LOG_T_SIGNAL && th[c->self].parent < c->h->threads.n &&
		nesting++ < 64)
		c->self = th[c->self].parent;
	if (c->ndark)
		c->last_dark = c->rank;
}

void threads_after(struct checker *c)
{
	const struct sync_thread *th = &c->h->threads.at[c->now.thread];
	struct check_thread *t = &c->threads[c->now.thread];

	if (c->now.event + 1 < th->events.n || th->fate == SYNC_COMPLETE || t->exhausted)
		return;
	if (c->rank != sync_order_last(c->o, c->now.thread, c->now.event))
		return;
	t->exhausted = true;
	if (th->fate == SYNC_DARK) {
		c->ndark++;
		c->last_dark = c->rank;
	} else {
		c->ncut++;
	}
}

bool may_lack_last(const struct checker *c, uint32_t thread)
{
	return c->threads[thread].exhausted;
}

bool lock_may_be_free(const struct checker *c, const struct object *o, const struct sync_event *e)
{
	if (may_lack_last(c, o->owner))
		return true;
	return e->result == EOWNERDEAD && c->threads[o->owner].ended;
}

bool readers_may_be_gone(const struct checker *c, const struct object *o)
{
	vec_each (&o->readers, i)
		if (!may_lack_last(c, o->readers.at[i]))
			return false;
	return true;
}

bool wait_was_cancelled(const struct checker *c, uint64_t mutex)
{
	return c->threads[c->now.thread].waits_mutex == mutex;
}
