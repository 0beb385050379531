/* All runs in one model. */
#include "deep/deep_in.h"

#include "model/model_core.h"
#include "trace/check.h"

#include <string.h>

static bool is_whole(const struct ctp *c)
{
	vec_each (&c->threads, t)
		if (c->threads.at[t].cut)
			return false;
	return true;
}

/* The run that the others are merged into: one that came to its end, if there is one. */
static struct deep_run *base_run(struct deep *d)
{
	struct deep_run *first = NULL;

	vec_each (&d->runs, i) {
		struct deep_run *r = &d->runs.at[i];

		if (!r->c || !r->fresh || r->odd)
			continue;
		if (is_whole(r->c))
			return r;
		first = first ? first : r;
	}
	return first;
}

/* Where the meaning of an object is not known well enough, only the first run uses it. */
static void find_ordered(struct deep *d, const struct ctp *c)
{
	struct mhb *mhb = mhb_new(c);
	const struct facts *f = mhb_facts(mhb);

	if (f->wrong)
		deep_limit(d, true, "the runs do not fit together: %s", f->wrong);
	vec_each (&f->objects, i) {
		struct strbuf b = {0};

		if (!f->objects.at[i].ordered)
			continue;
		ctp_name_object(c, f->objects.at[i].addr, &b);
		deep_limit(d, true, "operations on %s keep the order of the first run",
			b.n ? b.s : "an object");
		strbuf_release(&b);
	}
	mhb_free(mhb);
}

/* Outcomes that no question is asked about. */
static void find_outcomes(struct deep *d, const struct ctp *c)
{
	struct map once = {0};

	vec_each (&c->events, e) {
		const struct ctp_event *ev = ctp_at(c, e);
		const struct ctp_object *o = ctp_object(c, ev->object);
		uint64_t *who, name = ctp_thread_name(c, ev->thread);

		if (ev->kind == CTP_TRYFAIL && o && o->kind == CHECK_RWLOCK)
			deep_limit(d, true, "tries of read-write locks fail for writers only");
		if (ev->kind != CTP_ONCE)
			continue;
		who = map_put(&once, ev->object);
		if (*who && *who != name)
			deep_limit(d, true, "which thread runs the routine of a pthread_once is "
					    "taken as it was");
		*who = name;
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

void model_unseen(struct deep *d, const struct ctp *c)
{
	vec_each (&c->threads, t) {
		const struct ctp_thread *th = &c->threads.at[t];
		uint32_t nth = 0;

		for (uint32_t e = th->first; e < th->first + th->n; e++) {
			if (ctp_at(c, e)->kind != CTP_CREATE)
				continue;
			if (ctp_at(c, e)->other == CTP_NONE && !has_thread(c, t, nth))
				deep_limit(d, true, "a thread that was started has begun in no run: the "
						    "program had ended before");
			nth++;
		}
	}
}

/* What the world tells is no matter of schedules. */
static void find_world(struct deep *d, const struct ir_program *p)
{
	static const char *const names[] = {"time", "clock", "clock_gettime", "gettimeofday",
		"timespec_get", "rand", "random", "lrand48", "drand48", "arc4random", "getrandom",
		"getpid", "read", "fread", "fgets", "getc", "fgetc", "getchar", "scanf", "fscanf",
		"getline", "recv", "recvfrom", "getenv"};

	vec_each (&p->funcs, i)
		for (uint32_t k = 0; p->funcs.at[i].flags & IR_FN_EXTERN && k < ARRAY_SIZE(names); k++)
			if (!strcmp(ir_func_name(p, i), names[k]))
				deep_limit(d, false, "what '%s' tells is taken as it was in each run",
					names[k]);
}

struct ctp *model_merge(struct deep *d, bool probes)
{
	struct deep_run *base = base_run(d);
	VEC(struct ctp *) others = {0};
	struct ctp *c;
	uint32_t taken;

	if (!base)
		return NULL;
	c = ctp_merge_base(base->c);
	vec_each (&d->runs, i)
		if (&d->runs.at[i] != base && d->runs.at[i].c && d->runs.at[i].fresh &&
			!d->runs.at[i].odd)
			vec_push(&others, d->runs.at[i].c);
	taken = ctp_merge(c, others.at, others.n, NULL);
	vec_each (&c->limits, i)
		deep_limit(d, true, "%s", c->limits.at[i]);
	d->st->merged = taken == others.n;
	vec_release(&others);
	if (c->events.n > d->opt->max_events) {
		deep_limit(d, true, "all runs in one model have %u events: more than can be taken "
				    "at once",
			c->events.n);
		d->st->merged = false;
		ctp_free(c);
		return NULL;
	}
	if (probes && !probe_all(d, c))
		deep_limit(d, true, "there are too many outcomes of tries and waits to ask for");
	if (probes) {
		find_world(d, trace_program(c->trace));
		find_ordered(d, c);
		find_outcomes(d, c);
	}
	return c;
}
