#include "ctp/transfers.h"

#include "base/base.h"
#include "log/hidden.h"

#include <limits.h>

enum { MANY = 5000 }; /* transfers_source() is linear */

void transfers_init(struct transfers *t, const struct ctp *c)
{
	*t = (struct transfers){.c = c};
	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);

		if (ev->kind == CTP_HIDDEN && ctp_hidden(ev)->object &&
			ctp_hidden(ev)->object == ctp_hidden(ev)->contents)
			vec_push(&t->at, e);
	}
	if (t->at.n > MANY)
		vec_clear(&t->at);
}

void transfers_release(struct transfers *t)
{
	vec_release(&t->at);
}

static bool is_read(const struct ctp_event *e)
{
	return e->flags & CTP_HAD_READ;
}

struct ends { /* threads, by group, that read and write an object; CTP_NONE */
	uint32_t readers[2], writers[2];
	bool more; /* others too, or bytes that are not counted */
};

static void add_group(struct ends *x, uint32_t *groups, uint32_t group)
{
	if (groups[0] == CTP_NONE)
		groups[0] = group;
	else if (groups[0] != group && groups[1] == CTP_NONE)
		groups[1] = group;
	else if (groups[0] != group && groups[1] != group)
		x->more = true;
}

static struct ends find_ends(const struct transfers *t, uint64_t object)
{
	struct ends x = {{CTP_NONE, CTP_NONE}, {CTP_NONE, CTP_NONE}, false};

	vec_each (&t->at, i) {
		const struct ctp_event *e = ctp_at(t->c, t->at.at[i]);
		uint32_t group = ctp_group(t->c, e->thread);

		if (ctp_hidden(e)->object != object)
			continue;
		add_group(&x, is_read(e) ? x.readers : x.writers, group);
		x.more |= ctp_hidden(e)->fn->state != HIDDEN_DESCRIPTOR; /* a buffer of its own */
	}
	return x;
}

/* The thread, by group, whose bytes the thread `reader` reads; CTP_NONE: not known. */
static uint32_t find_writer(const struct ends *x, uint32_t reader)
{
	const uint32_t *w = x->writers, *r = x->readers;

	if (x->more)
		return CTP_NONE;
	if (w[1] == CTP_NONE && r[1] == CTP_NONE) /* a pipe */
		return w[0] != reader ? w[0] : CTP_NONE;
	/* a pair of sockets, both ends of which are read and written */
	if (w[1] != CTP_NONE && r[1] != CTP_NONE && w[0] + w[1] == r[0] + r[1] &&
		(w[0] == r[0] || w[0] == r[1]))
		return w[0] == reader ? w[1] : w[0];
	return CTP_NONE;
}

void transfers_source(const struct transfers *t, uint32_t event, struct vec_u32 *out)
{
	const struct ctp_event *ev = ctp_at(t->c, event);
	uint32_t writer, last = CTP_NONE;
	struct ends ends;

	vec_clear(out);
	if (!t->at.n || ev->kind != CTP_HIDDEN || !is_read(ev) || !ctp_hidden(ev)->end)
		return;
	ends = find_ends(t, ctp_hidden(ev)->object);
	writer = find_writer(&ends, ctp_group(t->c, ev->thread));
	vec_each (&t->at, i) {
		const struct ctp_event *e = ctp_at(t->c, t->at.at[i]);

		if (ctp_hidden(e)->object != ctp_hidden(ev)->object || is_read(e) ||
			ctp_group(t->c, e->thread) != writer || e->thread == last ||
			ctp_hidden(e)->end < ctp_hidden(ev)->end)
			continue;
		vec_push(out, t->at.at[i]); /* the first one of its thread */
		last = e->thread;
	}
}

bool transfers_settled(const struct transfers *t, uint32_t event)
{
	const struct ctp_hidden *r = ctp_hidden(ctp_at(t->c, event));
	const struct ctp_hidden *first = NULL;
	struct vec_u32 from = {0};
	bool settled;

	transfers_source(t, event, &from);
	settled = from.n && r->waits && r->full;
	vec_each (&from, i) {
		const struct ctp_hidden *w = ctp_hidden(ctp_at(t->c, from.at[i]));

		first = first ? first : w;
		settled &= w->bytes <= PIPE_BUF && w->end - w->bytes <= r->end - r->bytes;
		settled &= w->end == first->end && w->data && w->data == first->data;
	}
	vec_release(&from);
	return settled;
}
