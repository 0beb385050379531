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

static bool same_shared(const struct merge_uses *u, const struct extract_range *old, uint32_t n)
{
	return u->shared.n == n && (!n || !memcmp(u->shared.at, old, n * sizeof *old));
}

/* What the run shares with itself and with others. *grew: it is more than it was. */
static int add_uses(struct deep *d, struct deep_run *r, bool *grew)
{
	struct extract_options xo = {.every = true, .jobs = 1};
	struct extract_range *old = d->uses.shared.at;
	uint32_t n = d->uses.shared.n;
	struct ctp *c;

	if (open_run(r) || !(c = extract(r->t, &xo)))
		return -1;
	merge_uses_add(&d->uses, c);
	ctp_free(c);
	d->uses.shared.at = NULL;
	d->uses.shared.n = d->uses.shared.cap = 0;
	merge_uses_join(&d->uses);
	*grew = !same_shared(&d->uses, old, n);
	free(old);
	return 0;
}

int runs_take_in(struct deep *d, struct deep_run *r, bool *again)
{
	if (add_uses(d, r, again))
		return -1;
	for (struct deep_run *o = d->runs.at; *again && o < r; o++)
		if (extract_run(d, o))
			return -1;
	return extract_run(d, r);
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
