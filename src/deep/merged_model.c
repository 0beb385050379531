/* Merges all runs into one model, and collects the assumptions that the model makes. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "explain/places.h"
#include "model/model_facts.h"
#include "trace/check.h"

#include <string.h>

static bool is_complete(const struct ctp *c)
{
	vec_each (&c->threads, t)
		if (c->threads.at[t].cut)
			return false;
	return true;
}

/* The run that the others are merged into: one in which no thread was cut off, if there is one. */
static struct deep_run *choose_base(struct deep *d)
{
	struct deep_run *first = NULL;

	vec_each (&d->runs, i) {
		struct deep_run *r = &d->runs.at[i];

		if (!r->c || !r->fresh || r->odd)
			continue;
		if (is_complete(r->c))
			return r;
		first = first ? first : r;
	}
	return first;
}

/* Adds a limit for each object whose operations the model keeps in their recorded order. */
static void check_objects(struct deep *d, const struct ctp *c)
{
	struct mhb *mhb = mhb_new(c);
	const struct facts *f = mhb_facts(mhb);

	if (f->wrong)
		deep_limit(d, true, "the merged model is inconsistent: %s", f->wrong);
	vec_each (&f->objects, i) {
		struct strbuf b = {0};

		if (!f->objects.at[i].ordered)
			continue;
		ctp_name_object(c, f->objects.at[i].addr, &b);
		deep_limit(d, true, "operations on %s are kept in the order of the first run",
			b.n ? b.s : "an object");
		strbuf_release(&b);
	}
	mhb_free(mhb);
}

static void limit_once(struct deep *d, const struct ctp *c, uint32_t event)
{
	struct strbuf at = {0};

	place_add_event(c, event, &at);
	deep_limit(d, true, "'pthread_once' (%s) was not reordered: the thread that runs the routine is "
			    "assumed as recorded",
		at.s);
	strbuf_release(&at);
}

/* Adds a limit for outcomes of synchronization that are not queried. */
static void check_outcomes(struct deep *d, const struct ctp *c)
{
	struct map once = {0};

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);
		const struct ctp_object *o = ctp_object(c, ev->object);
		uint64_t *runner, name = ctp_thread_name(c, ev->thread);

		if (ev->kind == CTP_TRYFAIL && o && o->kind == CHECK_RWLOCK)
			deep_limit(d, true, "failed tries of read-write locks are modelled for "
					    "writers only");
		if (ev->kind != CTP_ONCE)
			continue;
		runner = map_put(&once, ev->object);
		if (*runner && *runner != name)
			limit_once(d, c, e);
		*runner = name;
	}
	map_release(&once);
}

static bool has_thread(const struct ctp *c, uint32_t parent, uint32_t nth)
{
	vec_each (&c->threads, t)
		if (c->threads.at[t].parent != CTP_NONE && c->threads.at[t].nth == nth &&
			ctp_group(c, c->threads.at[t].parent) == ctp_group(c, parent))
			return true;
	return false;
}

void merged_model_check_threads(struct deep *d, const struct ctp *c)
{
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];
		uint32_t nth = 0;

		for (uint32_t e = th->first; e < th->first + th->n; e++) {
			if (ctp_at(c, e)->kind != CTP_CREATE)
				continue;
			if (ctp_peer(ctp_at(c, e)) == CTP_NONE && !has_thread(c, t, nth))
				deep_limit(d, true, "a created thread has no event in any run: the "
						    "program ended before it started");
			nth++;
		}
	}
}

/* Notes the functions whose results come from outside the program: they are not varied. */
static void note_inputs(struct deep *d, const struct ir_program *p)
{
	static const char *const names[] = {"time", "clock", "clock_gettime", "gettimeofday",
		"timespec_get", "arc4random", "getrandom", "getpid", "read", "fread", "fgets", "getc",
		"fgetc", "getchar", "scanf", "fscanf", "getline", "recv", "recvfrom"};

	vec_each (&p->funcs, i)
		for (uint32_t k = 0; p->funcs.at[i].flags & IR_FN_EXTERN && k < ARRAY_SIZE(names);
			k++)
			if (!strcmp(ir_func_name(p, i), names[k]))
				deep_limit(d, false,
					"the results of '%s' are assumed as recorded in "
					"each run",
					names[k]);
	if (ir_reads_cycles(p))
		deep_limit(d, false,
			"the values of the counter of cycles are assumed as recorded in each run");
}

const struct ctp *merged_model_new(struct deep *d, bool probes)
{
	struct deep_run *base = choose_base(d);
	VEC(const struct ctp *) others = {0};
	struct ctp *c;
	uint32_t merged;

	if (!base)
		return NULL;
	c = ctp_merge_base(base->c);
	vec_each (&d->runs, i)
		if (&d->runs.at[i] != base && d->runs.at[i].c && d->runs.at[i].fresh &&
			!d->runs.at[i].odd)
			vec_push(&others, d->runs.at[i].c);
	merged = ctp_merge(c, others.at, others.n, NULL);
	vec_each (&c->limits, i)
		deep_limit(d, true, "%s", c->limits.at[i]);
	BUG_ON(merged > others.n);
	d->st->merged = merged == others.n;
	vec_release(&others);
	if (c->events.n > d->opt->max_events) {
		deep_limit(d, true, "the merged model of all runs has %u events, more than the "
				    "limit of %llu",
			c->events.n, (unsigned long long)d->opt->max_events);
		d->st->merged = false;
		ctp_free(c);
		return NULL;
	}
	if (probes && !probes_add_all(d, c))
		deep_limit(d, true, "there are too many outcomes of tries and timed waits to query "
				    "all of them");
	ctp_finish(c);
	if (probes) {
		note_inputs(d, trace_program(c->trace));
		check_objects(d, c);
		check_outcomes(d, c);
	}
	return c;
}
