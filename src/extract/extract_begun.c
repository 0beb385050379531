/*
 * Extraction of a run whose beginning is missing (heddle record --window, --limit). The threads'
 * logs begin at different times, so the missing events of one thread may come after events in the
 * log of another, and depend on them. Therefore all logs are cut at one rank in the order of
 * synchronization, after the beginning of every log, such that no thread ends anything after the
 * cut that it began before it: a critical section, a wait, a barrier or a transaction. The events
 * before the cut are executed as recorded.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"

/* The operations that a thread has begun after the cut, and not ended. */
struct inside {
	struct map held; /* lock -> number of locks without an unlock */
	bool waits, barrier;
	uint32_t atomic;
};

/* False if the thread does not hold the lock. */
static bool release_lock(struct inside *in, uint64_t lock)
{
	uint64_t *n = map_put(&in->held, lock);

	if (!*n)
		return false;
	--*n;
	return true;
}

/* False if the event ends an operation that began before the cut. */
static bool step_event(struct inside *in, const struct ctp_event *e)
{
	bool ok = true;

	switch (e->kind) {
	case CTP_LOCK:
	case CTP_RDLOCK: ++*map_put(&in->held, e->object); break;
	case CTP_UNLOCK: ok = release_lock(in, e->object); break;
	case CTP_WAIT:
		ok = release_lock(in, ctp_mutex(e));
		in->waits = true;
		break;
	case CTP_WOKEN:
	case CTP_TIMEOUT:
		ok = in->waits;
		in->waits = false;
		++*map_put(&in->held, ctp_mutex(e));
		break;
	case CTP_BARRIER_ENTER: in->barrier = true; break;
	case CTP_BARRIER_LEAVE:
		ok = in->barrier;
		in->barrier = false;
		break;
	case CTP_ATOMIC_BEGIN: in->atomic++; break;
	case CTP_ATOMIC_END:
		ok = in->atomic;
		in->atomic -= ok;
		break;
	default: break;
	}
	return ok;
}

/* The thread's first synchronization event of at least that rank. */
static uint32_t start_of(const struct extractor *x, uint32_t t, uint32_t rank)
{
	const struct ctp_thread *th = &x->c->threads.at[t];
	uint32_t e = th->first;

	if (!rank)
		return e;
	while (e < th->first + th->n && (!x->rank.at[e] || x->rank.at[e] < rank))
		e++;
	return e;
}

/* A rank, at least `rank`, after which the thread ends no operation that began before `rank`. */
static uint32_t clean_after(const struct extractor *x, uint32_t t, uint32_t rank)
{
	const struct ctp_thread *th = &x->c->threads.at[t];
	struct inside in = {0};
	uint32_t clean = rank;

	for (uint32_t e = start_of(x, t, rank); e < th->first + th->n; e++)
		if (!(ctp_at(x->c, e)->flags & CTP_PENDING) && !step_event(&in, ctp_at(x->c, e)))
			clean = MAX(clean, x->rank.at[e] + 1);
	map_release(&in.held);
	return clean;
}

static uint32_t find_cut(const struct extractor *x)
{
	uint32_t rank = 0, before;

	vec_each (&x->c->threads, t) {
		const struct ctp_thread *th = &x->c->threads.at[t];
		uint32_t e = th->first;

		if (trace_thread(x->t, th->id)->begins)
			continue;
		while (e < th->first + th->n && !x->rank.at[e])
			e++;
		rank = MAX(rank, e < th->first + th->n ? x->rank.at[e] : UINT32_MAX);
	}
	do {
		before = rank;
		vec_each (&x->c->threads, t)
			rank = MAX(rank, clean_after(x, t, rank));
	} while (rank > before);
	return rank;
}

/* Replaces symbols of reads before the cut by their recorded values. */
static void settle_reads(struct extractor *x, const struct bitset *keep)
{
	struct term_subst s;

	term_subst_init(&s, x->ts);
	vec_each (&x->c->events, e) {
		const struct ctp_event *ev = ctp_at(x->c, e);

		for (uint32_t k = ev->first; !bitset_has(keep, e) && k < ev->first + ev->n; k++) {
			const struct ctp_access *a = &x->c->accesses.at[k];

			if (a->sym.id)
				term_subst_put(&s, a->sym,
					term_const(x->ts, term_width(x->ts, a->sym), a->seen));
		}
	}
	vec_each (&x->c->events, e) {
		struct ctp_event *ev = &x->c->events.at[e];

		if (!bitset_has(keep, e))
			continue;
		if (ev->cond.id)
			ev->cond = term_subst(&s, ev->cond);
		if (ev->operand.id)
			ev->operand = term_subst(&s, ev->operand);
		for (uint32_t k = ev->first; k < ev->first + ev->n; k++)
			if (x->c->accesses.at[k].value.id)
				x->c->accesses.at[k].value =
					term_subst(&s, x->c->accesses.at[k].value);
	}
	term_subst_release(&s);
}

void begun_cut(struct extractor *x)
{
	uint32_t rank = find_cut(x);
	struct bitset keep = {0};

	vec_each (&x->c->threads, t) {
		const struct ctp_thread *th = &x->c->threads.at[t];

		for (uint32_t e = start_of(x, t, rank); e < th->first + th->n; e++)
			bitset_add(&keep, e);
	}
	settle_reads(x, &keep);
	extract_keep(x, &keep);
	bitset_release(&keep);
}
