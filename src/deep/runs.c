/* Runs the real program under schedules, and extracts the trace programs of these runs. */
#include "deep/deep_internal.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/workers.h"
#include "deep/frontier.h"
#include "extract/extract.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* ---- running ----------------------------------------------------------------------------- */

struct outcome { /* the segments and the names of the threads follow */
	int rc;
	uint32_t fate, diverged;
	uint32_t misused, misuse;
	uint32_t nswitches, nnames;
	uint64_t hash;
	char why[SCHED_TEXT];
};

struct making {
	struct deep *d;
	struct deep_run *runs;
	struct strbuf *out; /* for each run: a struct outcome and what follows it */
};

enum { MAX_SWITCHES = 1 << 16 };

/* 0: native calls ran beside other threads, so that another run may differ. */
static uint64_t get_hash(const struct sched_outcome *o)
{
	return o->flags & SCHED_F_NATIVE ? 0 : o->hash;
}

static void perform_run(void *ctx, uint32_t i, struct strbuf *answer)
{
	struct making *m = ctx;
	struct replay_options ro = m->d->opt->run;
	struct replay_result res = {0};
	struct outcome out = {0};
	const char *words;

	ro.image = m->d->image;
	ro.mode = SCHED_STEPS;
	ro.trace = m->runs[i].dir;
	ro.quiet = true;
	ro.guard = m->d->guard;
	out.rc = replay_run(&ro, m->runs[i].plan, &res);
	if (!out.rc) {
		out.fate = res.out.fate;
		out.diverged = res.out.diverged;
		out.hash = get_hash(&res.out);
		out.misused = replay_misuse(&res, &out.misuse, &words);
		memcpy(out.why, res.out.text, sizeof out.why);
		if (!res.out.flags && res.switches.n <= MAX_SWITCHES) {
			out.nswitches = res.switches.n;
			out.nnames = res.threads.n;
		}
	}
	strbuf_add(answer, (const char *)&out, sizeof out);
	if (out.nswitches)
		strbuf_add(answer, (const char *)res.switches.at,
			out.nswitches * sizeof *res.switches.at);
	if (out.nnames)
		strbuf_add(answer, (const char *)res.threads.at,
			out.nnames * sizeof *res.threads.at);
	if (!out.rc)
		replay_result_release(&res);
}

static void receive_outcome(void *ctx, uint32_t i, const char *answer, size_t n)
{
	struct making *m = ctx;

	strbuf_add(&m->out[i], answer, n);
}

static void lose_outcome(void *ctx, uint32_t i, const char *why)
{
	const struct making *m = ctx;

	error_("run %u in '%s' has no outcome: %s", m->runs[i].number, m->runs[i].dir, why);
}

static struct outcome read_outcome(const struct strbuf *b)
{
	struct outcome o = {.rc = -1};

	if (b->n >= sizeof o)
		memcpy(&o, b->s, sizeof o);
	return o;
}

static void add_run(struct deep *d, struct deep_run *r, const struct strbuf *b)
{
	struct outcome o = read_outcome(b);
	const char *at = b->s + sizeof o;

	BUG_ON(b->n != sizeof o + o.nswitches * sizeof *r->switches.at +
			       o.nnames * sizeof *r->names.at);
	r->fate = o.fate;
	r->hash = o.hash;
	r->diverged = o.diverged;
	r->misused = o.misused;
	r->misuse = o.misuse;
	r->why = o.diverged ? xstrdup(o.why) : NULL;
	vec_resize(&r->switches, o.nswitches);
	vec_resize(&r->names, o.nnames);
	if (o.nswitches)
		memcpy(r->switches.at, at, o.nswitches * sizeof *r->switches.at);
	at += o.nswitches * sizeof *r->switches.at;
	if (o.nnames)
		memcpy(r->names.at, at, o.nnames * sizeof *r->names.at);
	LOG(deep, "run %u: outcome %u, %s, %u segments", r->number, r->fate,
		r->diverged ? r->why : "as scheduled", r->switches.n);
	vec_push(&d->runs, *r);
	d->made++;
}

int runs_make(struct deep *d, struct flip *flips, uint32_t n)
{
	struct making m = {.d = d,
		.runs = xcalloc(n, sizeof *m.runs),
		.out = xcalloc(n, sizeof *m.out)};
	struct workers_do w = {.work = perform_run,
		.done = receive_outcome,
		.lost = lose_outcome,
		.ctx = &m};
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		m.runs[i] = (struct deep_run){.number = d->runs.n + 1 + i,
			.plan = flips[i].plan,
			.node = flips[i].node,
			.ways = flips[i].ways};
		m.runs[i].dir = xasprintf("%s/run-%u", d->opt->dir, m.runs[i].number);
		LOG(deep, "flip at node %016" PRIx64 " becomes run %u in '%s'", m.runs[i].node,
			m.runs[i].number, m.runs[i].dir);
		frontier_remove(m.runs[i].dir);
	}
	workers_run(&w, n, n);
	for (uint32_t i = 0; i < n; i++)
		rc |= read_outcome(&m.out[i]).rc;
	rc = d->opt->stop && *d->opt->stop ? 1 : rc ? -1 : 0;
	for (uint32_t i = 0; i < n; i++) {
		if (rc)
			free(m.runs[i].dir);
		else
			add_run(d, &m.runs[i], &m.out[i]);
		strbuf_release(&m.out[i]);
	}
	free(m.runs);
	free(m.out);
	return rc;
}

/* Why the run with protected memory does not show that the run r uses no memory that it may not use;
 * NULL: it does. */
static const char *find_doubt(const struct deep_run *r, const struct replay_result *guarded)
{
	const struct sched_outcome *o = &guarded->out;
	uint64_t hash = get_hash(o);

	if (o->flags & SCHED_F_SURVIVED)
		return "an access to memory failed, and the program went on";
	if (o->flags & SCHED_F_OPEN_BLOCK)
		return "not every block could be protected";
	if (o->fate != r->fate || guarded->status != trace_meta(r->t)->status)
		return "with protected memory the run ends in another way";
	return hash && r->hash && hash != r->hash ? "with protected memory the run takes another path"
						  : NULL;
}

bool runs_uses_freed(struct deep *d, const struct deep_run *r)
{
	struct replay_options ro = d->opt->run;
	struct replay_result res = {0};
	const char *doubt = NULL;
	bool crashed = false;

	ro.image = d->image;
	ro.mode = SCHED_STEPS;
	ro.quiet = ro.guard = true;
	if (replay_run(&ro, r->plan, &res)) {
		doubt = "the run with protected memory failed: see the error";
	} else {
		crashed = res.out.fate == SCHED_SIGNAL && res.out.code == SIGSEGV;
		doubt = crashed ? NULL : find_doubt(r, &res);
		replay_result_release(&res);
	}
	if (doubt)
		deep_limit(d, true, "whether run %u misuses memory is not known: %s", r->number, doubt);
	return crashed;
}

/* ---- extraction -------------------------------------------------------------------------- */

static int open_run(struct deep_run *r)
{
	if (!r->t)
		r->t = trace_open(r->dir);
	return r->t ? 0 : -1;
}

/* The run ended by a failure, so the log lacks the last events of some threads, whose writes other
 * threads may have read. */
static bool has_cut_thread(const struct ctp *c)
{
	vec_each (&c->threads, t)
		if (c->threads.at[t].cut)
			return true;
	return false;
}

static void check_order(struct deep *d, const struct deep_run *r)
{
	if (!r->c->order_exact && !has_cut_thread(r->c))
		deep_limit(d, true, "in run %u some reads returned values that no modelled write "
				    "explains",
			r->number);
}

static int extract_run(struct deep *d, struct deep_run *r)
{
	struct extract_options xo = {.ts = d->ts,
		.also = d->uses.shared.at,
		.nalso = d->uses.shared.n,
		.merge = true,
		.reduce = true,
		.spins = d->spins,
		.jobs = 1};

	if (open_run(r))
		return -1;
	if (r->c)
		ctp_free(r->c);
	r->c = extract(r->t, &xo);
	if (!r->c)
		return -1;
	check_order(d, r);
	vec_each (&r->c->limits, i)
		deep_limit(d, true, "%s", r->c->limits.at[i]);
	return 0;
}

/* Computes the shared bytes of all runs again. True if they changed. */
static bool join_uses(struct deep *d)
{
	struct ctp_range *old = d->uses.shared.at;
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
	const struct ctp *c;

	if (open_run(r) || !(c = extract(r->t, &xo)))
		return -1;
	merge_uses_add(&d->uses, c);
	ctp_free(c);
	return 0;
}

/* Makes cells that are shared in this run only (for example because another thread frees them)
 * shared in all runs: a use by two different threads is added for each. */
static void share_cells(struct deep *d, const struct ctp *c)
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

int runs_extract(struct deep *d, uint32_t first, bool *again)
{
	BUG_ON(first > d->runs.n || !d->runs.n);
	*again = false;
	for (uint32_t i = first; i < d->runs.n; i++)
		if (add_uses(d, &d->runs.at[i]))
			return -1;
	if (!d->spins) {
		d->spins = spins_new(trace_program(d->runs.at[0].t));
		fails_build(&d->fails, trace_program(d->runs.at[0].t));
	}
	for (uint32_t round = 0; round < 4; round++) {
		bool grew = join_uses(d);

		if (round && !grew)
			break;
		*again |= grew;
		vec_each (&d->runs, i)
			if ((i >= first || grew) && extract_run(d, &d->runs.at[i]))
				return -1;
		vec_each (&d->runs, i)
			if (i >= first || grew)
				share_cells(d, d->runs.at[i].c);
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
		vec_release(&r->switches);
		vec_release(&r->names);
	}
	vec_release(&d->runs);
}
