#include "deep/far_run.h"

#include "base/base.h"
#include "base/debug.h"
#include "base/file.h"
#include "base/vec.h"
#include "explain/violation.h"
#include "replay/replay.h"
#include "trace/trace.h"

#include <stdlib.h>

struct finding *far_run_plan(
	const struct far_pair *pair, const struct ctp *threads, const struct trace *t)
{
	struct finding *f = finding_new();

	copy_provenance(t, f);
	vec_each (&threads->threads, i) {
		const struct ctp_thread *th = &threads->threads.at[i];
		bool main = th->parent == CTP_NONE;

		vec_push(&f->threads,
			(struct finding_thread){.parent = main ? UINT32_MAX : th->parent,
				.nth = main ? UINT32_MAX : th->nth});
	}
	vec_each (&pair->moves, i)
		vec_push(&f->moves,
			(struct finding_move){pair->moves.at[i].thread, pair->moves.at[i].until});
	return f;
}

/* Runs the plan and records it. False: the run left the plan, or could not be made. */
static bool run_plan(
	struct far_run *r, const struct finding *plan, const char *input, double seconds)
{
	char *dir = xasprintf("%s/trace", r->dir);
	struct replay_result res = {0};
	struct replay_setup s;
	bool done = !replay_setup(&s, plan, NULL);

	s.opt.quiet = true;
	s.opt.mode = SCHED_STEPS;
	s.opt.trace = dir;
	s.opt.seconds = seconds;
	if (input)
		s.opt.input = input;
	done = done && !replay_run(&s.opt, plan, &res);
	LOG(deep, "a run that brings two accesses together: %s, outcome %u%s%s",
		!done              ? "not made"
		: res.out.diverged ? "diverged"
				   : "as planned",
		res.out.fate, done && res.out.diverged ? ": " : "",
		done && res.out.diverged ? res.out.text : "");
	done = done && !res.out.diverged && !res.killed;
	replay_result_release(&res);
	replay_setup_release(&s);
	if (done)
		r->t = trace_open(dir);
	free(dir);
	return r->t;
}

const struct ctp *far_run(struct far_run *r, const struct far_pair *pair,
	const struct finding *plan, const char *input, double seconds,
	const struct partition_options *opt)
{
	struct partition_options only = *opt;

	r->dir = temporary_directory("far");
	if (!r->dir || !run_plan(r, plan, input, seconds))
		return NULL;
	only.only = pair;
	only.max_chunks = 1;
	r->p = partition_new(r->t, &only);
	return r->p ? partition_next(r->p) : NULL;
}

void far_run_release(struct far_run *r)
{
	partition_free(r->p);
	if (r->t)
		trace_close(r->t);
	if (r->dir)
		remove_directory(r->dir);
	free(r->dir);
	*r = (struct far_run){0};
}
