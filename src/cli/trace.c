/*
 * `heddle trace`: shows a recorded run, by re-execution of its threads. If a part could not be
 * reproduced, it is reported, and the exit code is 3.
 */
#include "cli/trace_internal.h"

#include "base/base.h"
#include "base/diag.h"
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct opt trace_opts[] = {
	OPT_FLAG('e', "events", struct trace_args, events,
		"print one line for each event, in the observed order;\n"
		"without it, a summary"),
	OPT_LIST('t', "thread", struct trace_args, threads, "N",
		"print only events of this thread; may be repeated"),
	OPT_LIST('k', "kind", struct trace_args, kinds, "KIND",
		"print only events of this kind: access, read, write, rmw,\n"
		"cas, fence, branch, sync, call, native, enter, leave,\n"
		"local, begin, end, all, or one of synchronization such\n"
		"as lock; may be repeated"),
	OPT_STRING('l', "location", struct trace_args, location, "NAME",
		"print only events at this variable or address: table,\n"
		"queue->count, 0x7f12..."),
	OPT_FLAG(0, "json", struct trace_args, json,
		"print the summary as one JSON object; with --events,\n"
		"one object on each line"),
	OPT_STRING(0, "perfetto", struct trace_args, perfetto, "FILE",
		"write the run to FILE for https://ui.perfetto.dev"),
	OPT_FLAG('a', "all", struct trace_args, all, "do not shorten the lists of the summary"),
	OPT_NUMBER('j', "jobs", struct trace_args, jobs, "N", 1, 1024,
		"re-execute N threads at a time; by default one for each\n"
		"CPU"),
	OPT_STRING(0, "check-memory", struct trace_args, memory, "FILE",
		"compare the re-executed memory with FILE, to which the\n"
		"runtime wrote the globals at the program's end (used by\n"
		"heddle's tests)"),
	OPT_END,
};

static int compare_global(const void *x, const void *y)
{
	const struct global_at *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void find_globals(struct view *v)
{
	const struct follow_snapshot *s = trace_snapshot(v->t);

	for (uint32_t g = 0; s && g < v->p->globals.n; g++) {
		uint64_t addr = follow_global_addr(s, g);

		if (addr && v->p->globals.at[g].size)
			vec_push(
				&v->globals, (struct global_at){addr, v->p->globals.at[g].size, g});
	}
	if (v->globals.n)
		qsort(v->globals.at, v->globals.n, sizeof *v->globals.at, compare_global);
}

static int find_threads(struct view *v)
{
	vec_each (&v->a->threads, i) {
		uint64_t id;
		uint32_t t = 0;

		if (opt_number("'--thread'", v->a->threads.at[i], 0, UINT32_MAX, &id))
			return STATUS_USAGE;
		while (t < trace_nthreads(v->t) && trace_thread(v->t, t)->id != id)
			t++;
		if (t == trace_nthreads(v->t)) {
			error_("the trace has no thread %s ('heddle trace DIR' lists them)",
				v->a->threads.at[i]);
			return STATUS_USAGE;
		}
		bitset_add(&v->only, t);
	}
	return STATUS_NOTHING;
}

uint32_t view_jobs(const struct view *v)
{
	return v->a->jobs ? (uint32_t)v->a->jobs : (uint32_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

/* The exit code: STATUS_INCONCLUSIVE unless the whole run was recorded and reproduced. */
static int conclude_view(struct view *v)
{
	struct strbuf b = {0};
	const struct store_meta *m = trace_meta(v->t);
	int status = v->check.count[CHECK_VIOLATION] || m->stop || m->lost ? STATUS_INCONCLUSIVE
									    : STATUS_NOTHING;

	for (uint32_t t = 0; t < trace_nthreads(v->t); t++)
		if (!view_thread_fate(&b, v, t))
			status = STATUS_INCONCLUSIVE;
	strbuf_release(&b);
	return status;
}

static int show_view(struct view *v)
{
	const struct trace_args *a = v->a;
	int status;

	if (a->perfetto)
		status = trace_perfetto(v, a->perfetto);
	else if (a->memory)
		status = trace_check_memory(v, a->memory);
	else if (a->events)
		status = trace_events(v);
	else
		status = trace_summary(v);
	return status == STATUS_NOTHING ? conclude_view(v) : status;
}

static int run_view(struct view *v)
{
	int status = find_threads(v);

	if (!status)
		status = event_kinds_parse(v, &v->a->kinds);
	if (status)
		return status;
	if (collect(&v->c, v->t, view_jobs(v))) {
		collect_release(&v->c);
		return STATUS_FAILED;
	}
	check_run(&v->check, &v->c.o);
	names_init(&v->names, v->p);
	find_globals(v);
	status = show_view(v);
	vec_release(&v->globals);
	names_release(&v->names);
	check_release(&v->check);
	collect_release(&v->c);
	return status;
}

static int trace_run(void *args, int argc, char **argv)
{
	struct trace_args *a = args;
	struct view v = {.a = a};
	int status = STATUS_FAILED;

	(void)argc;
	if (!a->events && (a->threads.n || a->kinds.n || a->location)) {
		error_("--thread, --kind and --location need --events");
		status = STATUS_USAGE;
	} else if ((v.t = trace_open(argv[0]))) {
		v.p = trace_program(v.t);
		status = run_view(&v);
		trace_close(v.t);
	}
	bitset_release(&v.only);
	bitset_release(&v.sync_kinds);
	vec_release(&a->threads);
	vec_release(&a->kinds);
	return status;
}

const struct command cmd_trace = {
	.synopsis = "[options] DIR",
	.about =
		"Shows a run that 'heddle record' wrote to DIR. Every thread is re-executed\n"
		"from its log, which gives all its accesses, branches and synchronization\n"
		"operations. The summary lists threads, shared locations, synchronization objects\n"
		"and calls that are not modelled; the synchronization is checked against the\n"
		"rules of each primitive. A thread that diverges is reported with its place,\n"
		"exit code 3.",
	.opts = trace_opts,
	.opt_flags = OPT_PERMUTE,
	.args_size = sizeof(struct trace_args),
	.min = 1,
	.max = 1,
	.run = trace_run,
};
