#include "extract/extract_internal.h"

#include "base/vec.h"

#include <stdlib.h>

struct turns {
	const struct ctp *c;
	struct vec_u32 threads; /* by thread of the schedule: index in ctp.threads; CTP_NONE */
	struct vec_u32 left;    /* by thread of the ctp: segments that are left */
	struct vec_u32 next;    /* by thread of the ctp: its next event */
};

/* ---- the text: "P.N P.N …;T:UNTIL T:UNTIL …" -------------------------------------------------- */

static uint32_t find_thread(const struct ctp *c, uint32_t parent, uint32_t nth)
{
	vec_each (&c->threads, i)
		if (c->threads.at[i].parent == parent && (parent == CTP_NONE || c->threads.at[i].nth == nth))
			return i;
	return CTP_NONE;
}

static const char *read_names(struct turns *t, const char *s)
{
	vec_push(&t->threads, find_thread(t->c, CTP_NONE, 0));
	while (*s && *s != ';') {
		char *end;
		uint32_t parent = (uint32_t)strtoul(s, &end, 10);
		uint32_t nth = *end == '.' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
		uint32_t p = parent < t->threads.n ? t->threads.at[parent] : CTP_NONE;

		if (end == s)
			return NULL;
		vec_push(&t->threads, p == CTP_NONE ? CTP_NONE : find_thread(t->c, p, nth));
		s = *end == ' ' ? end + 1 : end;
	}
	return *s == ';' ? s + 1 : NULL;
}

/* Reads one segment and returns the text after it; NULL if there is no segment. */
static const char *read_segment(const struct turns *t, const char *s, uint32_t *thread, uint64_t *until)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (end == s || *end != ':' || n >= t->threads.n)
		return NULL;
	*thread = t->threads.at[n];
	s = end + 1;
	*until = strtoull(s, &end, 10);
	return end == s ? NULL : *end == ' ' ? end + 1 : end;
}

/* ---- events ----------------------------------------------------------------------------------- */

static uint32_t end_of(const struct ctp *c, uint32_t thread)
{
	const struct ctp_thread *th = &c->threads.at[thread];
	uint32_t end = th->first + th->n;

	return th->n && (ctp_at(c, end - 1)->flags & CTP_PENDING) ? end - 1 : end;
}

/* Whether e->point is a scheduling point of the event itself, not the next one after it. */
static bool has_point(const struct ctp_event *e)
{
	return !ctp_is_guard(e->kind) && e->kind != CTP_BEGIN && e->kind != CTP_ATOMIC_BEGIN &&
	       e->kind != CTP_ATOMIC_END && e->kind != CTP_HIDDEN && !(e->flags & CTP_NATIVE_USE);
}

/* Whether the event is executed when the thread stops at its point `until`. A thread ends in its
 * last segment. */
static bool is_over(const struct ctp_event *e, uint64_t until, bool last)
{
	if (e->kind == CTP_END || e->kind == CTP_FAIL)
		return last && e->point <= until;
	return has_point(e) ? e->point < until : e->point <= until;
}

static void run_segment(struct turns *t, uint32_t thread, uint64_t until, struct vec_u32 *order)
{
	uint32_t end = end_of(t->c, thread), *e = &t->next.at[thread];
	bool last = !--t->left.at[thread];

	while (*e < end && is_over(ctp_at(t->c, *e), until, last))
		vec_push(order, (*e)++);
}

static bool count_segments(struct turns *t, const char *s)
{
	uint32_t thread;
	uint64_t until;

	vec_each (&t->c->threads, i) {
		vec_push(&t->left, 0);
		vec_push(&t->next, t->c->threads.at[i].first);
	}
	while (s && *s) {
		s = read_segment(t, s, &thread, &until);
		if (!s || thread == CTP_NONE)
			return false;
		t->left.at[thread]++;
	}
	return s;
}

/* Appends the events of cut threads after their last segment: the re-execution of a cut thread
 * continues until it needs a value of another thread. False if a thread that was not cut has events
 * left. */
static bool run_rest(struct turns *t, struct vec_u32 *order)
{
	vec_each (&t->c->threads, i) {
		if (t->next.at[i] < end_of(t->c, i) && !t->c->threads.at[i].cut)
			return false;
		while (t->next.at[i] < end_of(t->c, i))
			vec_push(order, t->next.at[i]++);
	}
	return true;
}

bool turns_order(const struct ctp *c, const char *turns, struct vec_u32 *order)
{
	struct turns t = {.c = c};
	const char *s = read_names(&t, turns);
	bool whole = s && count_segments(&t, s);
	uint32_t thread;
	uint64_t until;

	while (whole && *s) {
		s = read_segment(&t, s, &thread, &until);
		run_segment(&t, thread, until, order);
	}
	whole = whole && run_rest(&t, order);
	vec_release(&t.threads);
	vec_release(&t.left);
	vec_release(&t.next);
	return whole;
}
