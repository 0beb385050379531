#include "cover/search.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 256, MOST_EPOCHS = 1000 };

struct queued { /* a start of an epoch */
	uint32_t epoch, start;
};

struct search {
	struct search_options opt;
	struct executor *x;
	struct initials *states;
	VEC(struct epoch *) epochs;
	VEC(struct queued) queue;
	uint32_t taken; /* of the queue */
	uint64_t paths;
	bool many_starts; /* an epoch has too many states */
	struct queued at; /* the search in progress */
};

/* The name of the epoch at the end of the path: a sum, so the order of the threads does not matter. */
static uint64_t name_of(const struct path *p)
{
	uint64_t h = 0;

	vec_each (&p->places, i)
		h += hash_u64(p->places.at[i].context ^ p->places.at[i].waiting);
	return h;
}

static void enqueue(struct search *s, uint32_t epoch, uint32_t start)
{
	struct epoch_start *e = &s->epochs.at[epoch]->starts.at[start];

	if (e->queued)
		return;
	e->queued = true;
	vec_push(&s->queue, (struct queued){epoch, start});
}

static uint32_t add_epoch(struct search *s, uint64_t name, const struct path *p)
{
	struct epoch *e = xcalloc(1, sizeof *e);

	e->name = name;
	for (uint32_t i = 0; p && i < p->places.n; i++)
		vec_push(&e->places, p->places.at[i]);
	vec_push(&s->epochs, e);
	return s->epochs.n - 1;
}

static int find_epoch(const struct search *s, uint64_t name)
{
	for (uint32_t i = 1; i < s->epochs.n; i++)
		if (s->epochs.at[i]->name == name)
			return (int)i;
	return -1;
}

static int find_start(const struct epoch *e, const struct hash128 *shape)
{
	vec_each (&e->starts, i)
		if (e->starts.at[i].state && e->starts.at[i].state->shape.a == shape->a &&
			e->starts.at[i].state->shape.b == shape->b)
			return (int)i;
	return -1;
}

/* A path ended at an epoch, and the machine is there: its state becomes part of the epoch's states. */
static int arrive(void *ctx, const struct path *p, bool *stale);

static struct testcase *confirm(void *ctx, enum path_end end, const char *report);

static struct start *make_start(struct search *s)
{
	struct start_options o = {.x = s->x,
		.max_paths = &s->opt.max_paths,
		.paths = &s->paths,
		.no_prefixes = s->opt.no_prefixes,
		.arrive = arrive,
		.confirm = confirm,
		.ctx = s};

	return start_new(&o);
}

static int arrive(void *ctx, const struct path *p, bool *stale)
{
	struct search *s = ctx;
	uint64_t name = name_of(p);
	struct hash128 shape;
	int e = find_epoch(s, name), k;
	struct epoch *to;

	if (e < 0)
		e = (int)add_epoch(s, name, p);
	to = s->epochs.at[e];
	initial_arrive(s->x->m, &shape);
	k = find_start(to, &shape);
	if (k < 0 && to->starts.n >= MOST_STARTS) {
		s->many_starts = true;
		return e;
	}
	if (k < 0) {
		vec_push(&to->starts, ((struct epoch_start){initial_new(s->states, &shape),
					      make_start(s), false}));
		enqueue(s, (uint32_t)e, to->starts.n - 1);
	} else if (initial_join(s->states, to->starts.at[k].state)) {
		enqueue(s, (uint32_t)e, (uint32_t)k);
		*stale |= (uint32_t)e == s->at.epoch && (uint32_t)k == s->at.start;
	}
	return e;
}

struct search *search_new(const struct cover_facts *facts, const struct search_options *opt)
{
	struct search *s = xcalloc(1, sizeof *s);

	s->opt = *opt;
	s->x = executor_new(facts, &opt->executor);
	if (!s->x) {
		free(s);
		return NULL;
	}
	s->states = initials_new(s->x->m, facts->p);
	add_epoch(s, 0, NULL);
	vec_push(&s->epochs.at[0]->starts, ((struct epoch_start){NULL, make_start(s), false}));
	enqueue(s, 0, 0);
	return s;
}

/* ---- results ----------------------------------------------------------------------------------- */

static struct epoch_schedule *schedule_like(struct epoch *e, const struct covered *c)
{
	struct epoch_schedule *n;

	vec_each (&e->schedules, i)
		if (e->schedules.at[i].next == c->next &&
			schedule_same(e->schedules.at[i].schedule, c->schedule))
			return &e->schedules.at[i];
	n = vec_add(&e->schedules);
	n->schedule = c->schedule;
	n->next = c->next;
	return n;
}

static void release_schedules(struct epoch *e)
{
	vec_each (&e->schedules, i)
		vec_release(&e->schedules.at[i].parts);
	vec_release(&e->schedules);
}

/* The schedules of all states of the epoch, each once. */
static void merge_starts(struct epoch *e)
{
	release_schedules(e);
	vec_each (&e->starts, i) {
		uint32_t n;
		const struct covered *c = start_schedules(e->starts.at[i].start, &n);

		for (uint32_t k = 0; k < n; k++) {
			struct epoch_schedule *to = schedule_like(e, &c[k]);

			vec_push(&to->parts, ((struct epoch_part){i, &c[k]}));
			to->paths += c[k].paths;
		}
	}
}

static bool is_complete(const struct search *s)
{
	if (s->many_starts || s->taken < s->queue.n || inputs_have_clock(s->x->facts->p, NULL))
		return false;
	vec_each (&s->epochs, i)
		vec_each (&s->epochs.at[i]->starts, k)
			if (!start_is_complete(s->epochs.at[i]->starts.at[k].start))
				return false;
	return true;
}

int search_run(struct search *s)
{
	while (s->taken < s->queue.n && !s->x->run.cut) {
		struct queued q = s->queue.at[s->taken++];
		struct epoch_start *e = &s->epochs.at[q.epoch]->starts.at[q.start];
		bool stale;

		e->queued = false;
		s->at = q;
		LOG(cover, "epoch %u, state %u", q.epoch, q.start);
		start_search(e->start, e->state ? e->state->saved : s->x->entry, &stale);
	}
	vec_each (&s->epochs, i)
		merge_starts(s->epochs.at[i]);
	return is_complete(s) ? 0 : -1;
}

void search_each_reason(
	const struct search *s, void (*fn)(void *ctx, uint32_t epoch, const char *why), void *ctx)
{
	const struct start_reason *r;
	uint32_t n;

	vec_each (&s->epochs, i)
		vec_each (&s->epochs.at[i]->starts, k) {
			r = start_reasons(s->epochs.at[i]->starts.at[k].start, &n);
			for (uint32_t q = 0; q < n; q++)
				fn(ctx, i, r[q].why);
		}
	for (uint32_t i = s->taken; i < s->queue.n; i++)
		fn(ctx, s->queue.at[i].epoch, "the epoch was not searched");
	if (inputs_have_clock(s->x->facts->p, NULL))
		fn(ctx, 0, "the program reads the clock");
	if (s->many_starts)
		fn(ctx, 0,
			"an epoch begins with too many different sets of threads, heap blocks or "
			"files");
}

/* ---- failures ---------------------------------------------------------------------------------- */

/* The values of the inputs on the path that the machine is at the end of, as conditions. */
static bool take_inputs(struct search *s, struct vec_u32 *out)
{
	struct executor *x = s->x;
	struct term_assign model;
	bool ok;

	term_assign_init(&model, x->ts);
	ok = ask_model(x->ask, x->sym.path.at, x->sym.path.n, &model) == ASK_YES;
	for (uint32_t i = 0; ok && i < terms_n_syms(x->ts); i++) {
		term_t y = terms_sym_at(x->ts, i);
		unsigned bits = term_width(x->ts, y);

		if (!bits || initials_own(s->states, y) || initials_local(x->ts, y))
			continue;
		vec_push(out, term_eq(x->ts, y, term_const(x->ts, bits, term_value(&model, y))).id);
	}
	term_assign_release(&model);
	return ok;
}

/* The last line of a report, which says what failed where. */
static const char *summary_of(const char *report)
{
	const char *s = report ? strstr(report, "SUMMARY") : NULL;

	return s ? s : "";
}

static bool same_end(
	const struct path *p, enum path_end end, const struct executor *x, const char *report)
{
	return p->end == end && !strcmp(summary_of(x->res.report.s), summary_of(report));
}

/* Follows the inputs from the program's entry, without joins, to the failure. */
static struct testcase *follow_inputs(
	struct search *s, struct vec_u32 *inputs, enum path_end end, const char *report)
{
	struct saved *at;
	struct vec_u32 none = {0};
	struct testcase *tc = NULL;

	machine_restore(s->x->m, s->x->entry);
	at = machine_save(s->x->m);
	for (uint32_t i = 0; i < MOST_EPOCHS; i++) {
		struct path p = {0};
		bool on = executor_run(s->x, at, i ? &none : inputs, &p) && !p.why.n &&
			  p.end == PATH_EPOCH;

		if (p.steps.n && !p.why.n && same_end(&p, end, s->x, report))
			tc = executor_example(s->x);
		path_release(&p);
		if (!on)
			break;
		saved_free(at);
		at = machine_save(s->x->m);
	}
	saved_free(at);
	return tc;
}

static struct testcase *confirm(void *ctx, enum path_end end, const char *report)
{
	struct search *s = ctx;
	struct vec_u32 inputs = {0};
	struct testcase *tc = NULL;

	if (take_inputs(s, &inputs))
		tc = follow_inputs(s, &inputs, end, report);
	vec_release(&inputs);
	return tc;
}

int search_locate(const struct search *s, const struct path *p, int *start)
{
	int e = find_epoch(s, name_of(p));
	struct hash128 shape;

	initial_arrive(s->x->m, &shape);
	*start = e < 0 ? -1 : find_start(s->epochs.at[e], &shape);
	return e;
}

uint32_t search_count(const struct search *s)
{
	return s->epochs.n;
}

const struct epoch *search_epoch(const struct search *s, uint32_t i)
{
	return s->epochs.at[i];
}

uint64_t search_paths(const struct search *s)
{
	return s->paths;
}

struct executor *search_executor(struct search *s)
{
	return s->x;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	vec_each (&s->epochs, i) {
		struct epoch *e = s->epochs.at[i];

		release_schedules(e);
		vec_each (&e->starts, k) {
			start_free(e->starts.at[k].start);
			initial_free(e->starts.at[k].state);
		}
		vec_release(&e->starts);
		vec_release(&e->places);
		free(e);
	}
	vec_release(&s->epochs);
	vec_release(&s->queue);
	initials_free(s->states);
	executor_free(s->x);
	free(s);
}
