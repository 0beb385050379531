/* Queries in windows of growing width around their events (docs/prediction.md, order of work). */
#include "model/cssa.h"
#include "model/model_internal.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/vec.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_WINDOW = 8000,    /* events; wider windows take too long */
	KEPT_EVENTS = 200000, /* in all models that are kept */
};
static const uint32_t half_widths[] = {100, 300, 1000};

struct asker {
	const struct ctp *c;
	struct facts *f;
	struct mhb *mhb;
	struct lemmas *lemmas;
	struct sim *sim;
	struct cssa *cssa; /* NULL until the first query in that encoding */
	bool own; /* facts and clocks */
	enum model_kind kind;
	struct model_limits lim;
	uint32_t whole;
	VEC(struct kept {
		struct model *m;
		uint64_t used;
	}) kept;
	uint64_t clock, events;
	struct asker_stats stats;
};

struct asker *asker_on(
	struct mhb *mhb, enum model_kind kind, const struct model_limits *lim, uint32_t whole)
{
	struct asker *a = xcalloc(1, sizeof *a);

	*a = (struct asker){.f = mhb_facts(mhb), .mhb = mhb, .kind = kind, .whole = whole};
	a->c = a->f->c;
	a->lim = lim ? *lim : (struct model_limits){.switches = -1};
	facts_derive_sections(a->f, kind != MODEL_CONTROL);
	a->lemmas = lemmas_new(a->f, a->mhb);
	a->sim = sim_new(a->f, kind);
	return a;
}

struct asker *asker_new(
	const struct ctp *c, enum model_kind kind, const struct model_limits *lim, uint32_t whole)
{
	struct asker *a = asker_on(mhb_new(c), kind, lim, whole);

	a->own = true;
	return a;
}

static void forget_models(struct asker *a)
{
	vec_each (&a->kept, i)
		model_free(a->kept.at[i].m);
	vec_clear(&a->kept);
	a->events = 0;
}

void asker_drop(struct asker *a)
{
	if (!a)
		return;
	a->stats.dropped += a->kept.n;
	forget_models(a);
	malloc_trim(0);
}

uint64_t asker_memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long all, here = 0;

	if (f) {
		if (fscanf(f, "%lu %lu", &all, &here) != 2)
			here = 0;
		fclose(f);
	}
	return (uint64_t)here * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t asker_memory_share(uint64_t memory, uint32_t processes)
{
	uint64_t here = asker_memory();

	return processes > 1 && memory > here ? here + (memory - here) / processes : memory;
}

void asker_free(struct asker *a)
{
	if (!a)
		return;
	forget_models(a);
	vec_release(&a->kept);
	sim_free(a->sim);
	cssa_free(a->cssa);
	lemmas_free(a->lemmas);
	if (a->own)
		mhb_free(a->mhb);
	free(a);
}

void asker_seconds(struct asker *a, double seconds)
{
	a->lim.seconds = seconds;
}

const struct asker_stats *asker_stats(const struct asker *a)
{
	return &a->stats;
}

static void remove_kept(struct asker *a, uint32_t i)
{
	assert(a->events >= a->kept.at[i].m->x.n);
	a->events -= a->kept.at[i].m->x.n;
	model_free(a->kept.at[i].m);
	a->kept.at[i] = vec_last(&a->kept);
	a->kept.n--;
}

static void drop_oldest(struct asker *a)
{
	uint32_t oldest = 0;

	vec_each (&a->kept, i)
		if (a->kept.at[i].used < a->kept.at[oldest].used)
			oldest = i;
	remove_kept(a, oldest);
}

static void drop_model(struct asker *a, const struct model *m)
{
	uint32_t i = 0;

	while (a->kept.at[i].m != m)
		i++;
	remove_kept(a, i);
}

static struct model *window_model(struct asker *a, uint32_t from, uint32_t to)
{
	struct model *m;

	a->clock++;
	vec_each (&a->kept, i) {
		m = a->kept.at[i].m;
		if (m->from == from && m->to == to) {
			a->kept.at[i].used = a->clock;
			return m;
		}
	}
	a->f->fold = a->lim.fold;
	m = model_of(a->f, a->mhb, a->lemmas, a->sim, a->kind, from, to);
	a->events += m->x.n;
	while (a->kept.n && a->events > KEPT_EVENTS)
		drop_oldest(a);
	vec_push(&a->kept, (struct kept){m, a->clock});
	return m;
}

static void widen_to_event(const struct asker *a, uint32_t e, uint32_t *lo, uint32_t *hi)
{
	uint32_t r = facts_rank(a->f, e), pred = ctp_pred(a->c, e);

	if (r == UINT32_MAX && pred == CTP_NONE)
		return;
	if (r == UINT32_MAX) /* never executed: its thread can only stand AT it */
		r = facts_rank(a->f, pred);
	*lo = MIN(*lo, r);
	*hi = MAX(*hi, r + 1);
}

/* the range of ranks of the events that a query names, and of the last reads of its terms */
static void query_ranks(struct asker *a, const struct query *q, uint32_t *lo, uint32_t *hi)
{
	*lo = UINT32_MAX;
	*hi = 0;
	facts_terms(a->f);
	vec_each (&q->atoms, i) {
		const struct atom *at = &q->atoms.at[i];

		if (at->kind == ATOM_HOLDS || at->kind == ATOM_SPINS) {
			uint32_t late = a->f->late.at[at->term.id];

			if (late && late <= a->c->events.n) {
				*lo = MIN(*lo, late - 1);
				*hi = MAX(*hi, late);
			}
		}
		if (at->kind == ATOM_HOLDS)
			continue;
		widen_to_event(a, at->a, lo, hi);
		if (at->kind == ATOM_BEFORE)
			widen_to_event(a, at->b, lo, hi);
	}
	if (*lo > *hi)
		*lo = *hi = 0;
}

static void count_answer(struct asker *a, const struct model_result *r)
{
	struct asker_stats *s = &a->stats;

	s->queries++;
	s->yes += r->answer == ANSWER_YES;
	s->no += r->answer == ANSWER_NO;
	s->bounded += r->answer == ANSWER_NO && r->bounded;
	s->unknown += r->answer == ANSWER_UNKNOWN;
	s->lazy += !strcmp(r->stage, "lazy");
	s->eager += !strcmp(r->stage, "eager");
	s->z3 += !strcmp(r->stage, "z3");
}

static bool has_room(struct asker *a)
{
	if (!a->lim.memory || asker_memory() <= a->lim.memory)
		return true;
	asker_drop(a);
	return asker_memory() <= a->lim.memory;
}

static void log_query(const struct asker *a, const struct query *q, uint32_t from, uint32_t to,
	const struct model_result *r, double seconds)
{
	static const char *const kinds[] = {"trace program", "causal", "control"};
	static const char *const answers[] = {"no", "yes", "unknown"};

	LOG(model, "%s query of %u clauses in window [%u, %u): %s%s by %s in %.3f s%s%s",
		kinds[a->kind], q->clauses.n, from, to, answers[r->answer],
		r->bounded ? " (bounded)" : "", r->stage, seconds, r->why ? ": " : "",
		r->why ? r->why : "");
}

static void ask_window(struct asker *a, const struct query *q, uint32_t from, uint32_t to,
	struct model_result *out)
{
	double start = clock_seconds();
	struct model *m;

	model_result_release(out);
	if (!has_room(a)) {
		*out = (struct model_result){.answer = ANSWER_UNKNOWN,
			.stage = "static",
			.why = "the memory limit was reached"};
		return;
	}
	m = window_model(a, from, to);
	model_ask(m, q, &a->lim, out);
	if (m->spoilt)
		drop_model(a, m);
	log_query(a, q, from, to, out, clock_seconds() - start);
	a->stats.widest = MAX(a->stats.widest, to - from);
}

static bool is_final(const struct model_result *r)
{
	return r->answer == ANSWER_YES || (r->answer == ANSWER_NO && !r->bounded);
}

/* The linearization of the second encoding, executed and shortened. A bound on switches is not part
 * of that encoding: a witness with more switches decides nothing. */
static void take_cssa_witness(
	struct asker *a, const struct query *q, struct vec_u32 *events, struct model_result *out)
{
	struct shortening s = {a->f, a->mhb, a->sim, 0};

	assert_witness(&s, q, events);
	shorten_witness(&s, q, events);
	assert_witness(&s, q, events);
	if (a->lim.switches >= 0 && count_switches(a->c, events) > (uint32_t)a->lim.switches) {
		out->why = "this encoding has no bound on context switches";
		return;
	}
	out->answer = ANSWER_YES;
	fill_witness(&s, a->kind, events, &out->witness);
}

/* The whole trace in the encoding of cssa.h, without refutations by other means. */
static void ask_cssa(struct asker *a, const struct query *q, struct model_result *out)
{
	double start = clock_seconds();
	struct vec_u32 events = {0};

	*out = (struct model_result){.answer = ANSWER_UNKNOWN, .stage = "cssa", .why = a->f->wrong};
	if (!out->why && !has_room(a))
		out->why = "the memory limit was reached";
	if (!out->why) {
		if (!a->cssa)
			a->cssa = cssa_new(a->c, a->kind);
		switch (cssa_decide(a->cssa, q, &a->lim, &events, &out->why)) {
		case SAT_SAT: take_cssa_witness(a, q, &events, out); break;
		case SAT_UNSAT: out->answer = ANSWER_NO; break;
		case SAT_UNKNOWN: break;
		}
		a->stats.widest = a->f->order.n;
	}
	log_query(a, q, 0, a->f->order.n, out, clock_seconds() - start);
	vec_release(&events);
}

void asker_ask(struct asker *a, const struct query *q, struct model_result *out)
{
	uint32_t n = a->f->order.n, lo, hi;

	if (a->lim.encoding == ENCODING_CSSA) {
		ask_cssa(a, q, out);
		count_answer(a, out);
		return;
	}
	*out = (struct model_result){.answer = ANSWER_UNKNOWN,
		.stage = "static",
		.why = "its events are too far apart for a window"};
	if (!a->f->wrong && !a->f->merged && static_refutes(a->f, a->mhb, q)) {
		*out = (struct model_result){.answer = ANSWER_NO, .stage = "static"};
		log_query(a, q, 0, n, out, 0);
		count_answer(a, out);
		return;
	}
	if (n <= a->whole || n <= half_widths[0] || !a->c->order_exact || a->f->wrong) {
		ask_window(a, q, 0, n, out);
		count_answer(a, out);
		return;
	}
	query_ranks(a, q, &lo, &hi);
	for (uint32_t i = 0; i < ARRAY_SIZE(half_widths); i++) {
		uint32_t h = half_widths[i], grid = h / 2;
		uint32_t from = lo > h ? (lo - h) / grid * grid : 0;
		uint32_t to = MIN(n, (hi + h + grid - 1) / grid * grid);

		assert(from <= lo && hi <= to && to <= n); /* the window has the query's events */
		if (to - from > MAX_WINDOW)
			break;
		ask_window(a, q, from, to, out);
		if (is_final(out))
			break;
	}
	if (!is_final(out) && n <= a->lim.decide)
		ask_window(a, q, 0, n, out);
	count_answer(a, out);
}
