/* Runs of the real program, and their concurrent trace programs. */
#include "deep/deep_in.h"

#include "base/diag.h"

#include <string.h>

/* ---- making one -------------------------------------------------------------------------- */

int runs_make(struct deep *d, struct finding *plan)
{
	struct replay_options ro = d->opt->run;
	struct replay_result res;
	struct deep_run r = {.number = d->runs.n + 1, .plan = plan};
	int rc;

	r.dir = xasprintf("%s/run-%u", d->opt->dir, r.number);
	ro.image = d->image;
	ro.mode = SCHED_STEPS;
	ro.trace = r.dir;
	ro.quiet = true;
	rc = replay_run(&ro, plan, &res);
	if (!rc) {
		r.fate = res.out.fate;
		r.diverged = res.out.diverged;
		if (r.diverged)
			r.why = xstrdup(res.out.text);
		r.misused = replay_misuse(&res, &r.misuse, &(const char *){NULL});
		replay_result_release(&res);
		d->st->runs++;
		d->st->failed += r.fate != SCHED_EXITED;
	}
	vec_push(&d->runs, r);
	return rc;
}

/* ---- taking it in ------------------------------------------------------------------------ */

static int open_run(struct deep_run *r)
{
	if (!r->t)
		r->t = trace_open(r->dir);
	return r->t ? 0 : -1;
}

static int extract_run(struct deep *d, struct deep_run *r)
{
	struct extract_options xo = {.ts = d->ts,
		.also = d->uses.shared.at,
		.nalso = d->uses.shared.n,
		.merge = true,
		.jobs = 1};

	if (open_run(r))
		return -1;
	if (r->c)
		ctp_free(r->c);
	r->c = extract(r->t, &xo);
	if (!r->c)
		return -1;
	stutter_remove(r->c, d->spins);
	vec_each (&r->c->limits, i)
		deep_limit(d, true, "%s", r->c->limits.at[i]);
	return 0;
}

/* Finds anew what is shared. True if that is more than it was. */
static bool join_uses(struct deep *d)
{
	struct extract_range *old = d->uses.shared.at;
	uint32_t n = d->uses.shared.n;
	bool same;

	d->uses.shared.at = NULL;
	d->uses.shared.n = d->uses.shared.cap = 0;
	merge_uses_join(&d->uses);
	same = d->uses.shared.n == n && (!n || !memcmp(d->uses.shared.at, old, n * sizeof *old));
	free(old);
	return !same;
}

static int add_uses(struct deep *d, struct deep_run *r)
{
	struct extract_options xo = {.every = true, .jobs = 1};
	struct ctp *c;

	if (open_run(r) || !(c = extract(r->t, &xo)))
		return -1;
	merge_uses_add(&d->uses, c);
	ctp_free(c);
	return 0;
}

/* What one run has as shared for reasons of its own (another thread frees it) all are to have. */
static void add_cells(struct deep *d, const struct ctp *c)
{
	struct map known = {0};

	vec_each (&d->uses.shared, i)
		*map_put(&known, d->uses.shared.at[i].addr) = d->uses.shared.at[i].size;
	vec_each (&c->cells, i) {
		const struct ctp_cell *cell = &c->cells.at[i];
		struct merge_use use = {cell->addr, cell->size, 0, true};

		if (cell->addr >> 47 || map_get_or(&known, cell->addr, 0) == cell->size)
			continue;
		vec_push(&d->uses.at, use);
		use.thread = UINT64_MAX;
		vec_push(&d->uses.at, use);
	}
	map_release(&known);
}

int runs_take_in(struct deep *d, struct deep_run *r, bool *again)
{
	*again = false;
	if (add_uses(d, r))
		return -1;
	if (!d->spins)
		d->spins = spins_new(trace_program(r->t));
	for (uint32_t round = 0; round < 4; round++) {
		bool grew = join_uses(d);

		if (round && !grew)
			break;
		*again |= grew;
		for (struct deep_run *o = d->runs.at; o <= r; o++)
			if ((o == r || grew) && extract_run(d, o))
				return -1;
		for (struct deep_run *o = d->runs.at; o <= r; o++)
			if (o == r || grew)
				add_cells(d, o->c);
	}
	return 0;
}

void runs_release(struct deep *d)
{
	vec_each (&d->runs, i) {
		struct deep_run *r = &d->runs.at[i];

		if (r->c)
			ctp_free(r->c);
		if (r->t)
			trace_close(r->t);
		if (r->plan)
			finding_free(r->plan);
		free(r->dir);
		free(r->why);
	}
	vec_release(&d->runs);
}
