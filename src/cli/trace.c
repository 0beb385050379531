/*
 * `heddle trace`: shows a recorded run, by re-execution of its threads. If a part could not be
 * reproduced, it is reported, and the exit code is 3.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/vec.h"
#include "cli/command.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace_args {
	bool events, json, all;
	struct opt_list threads, kinds;
	const char *location, *perfetto, *memory;
	uint64_t jobs;
};

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

/* The threads of --thread. 0, or -1 after error_(). */
static int find_threads(struct view *v, const struct trace_args *a)
{
	vec_each (&a->threads, i) {
		uint64_t id;
		uint32_t t = 0;

		if (opt_number("'--thread'", a->threads.at[i], 0, UINT32_MAX, &id))
			return -1;
		while (t < trace_nthreads(v->t) && trace_thread(v->t, t)->id != id)
			t++;
		if (t == trace_nthreads(v->t)) {
			error_("the trace has no thread %s ('heddle trace DIR' lists them)",
				a->threads.at[i]);
			return -1;
		}
		bitset_add(&v->only, t);
	}
	return 0;
}

/* Sets what the options say. 0, or -1 after error_(): an option is not usable. */
static int choose_events(struct view *v, const struct trace_args *a)
{
	if (a->location && !strncmp(a->location, "0x", 2) &&
		opt_number("'--location'", a->location, 1, UINT64_MAX, &v->address))
		return -1;
	return find_threads(v, a) || event_kinds_parse(v, &a->kinds) ? -1 : 0;
}

static int show_view(struct view *v, const struct trace_args *a)
{
	int status;

	if (view_open(v))
		return STATUS_FAILED;
	if (a->perfetto)
		status = view_perfetto(v, a->perfetto);
	else if (a->memory)
		status = view_check_memory(v, a->memory);
	else if (a->events)
		status = view_events(v);
	else
		status = view_summary(v);
	if (trace_gap(v->t) && (a->events || a->perfetto || a->json))
		warn_("'%s' does not have the whole run, because %s", trace_dir(v->t),
			trace_gap(v->t));
	if (status < 0)
		return STATUS_FAILED;
	return status || !view_is_whole(v) ? STATUS_INCONCLUSIVE : STATUS_NOTHING;
}

static int trace_run(void *args, int argc, char **argv)
{
	struct trace_args *a = args;
	struct view v = {.json = a->json, .all = a->all, .location = a->location};
	int status = STATUS_FAILED;

	(void)argc;
	v.jobs = a->jobs ? (uint32_t)a->jobs : (uint32_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	if (!a->events && (a->threads.n || a->kinds.n || a->location)) {
		error_("--thread, --kind and --location need --events");
		status = STATUS_USAGE;
	} else if ((v.t = trace_open(argv[0]))) {
		status = choose_events(&v, a) ? STATUS_USAGE : show_view(&v, a);
		view_release(&v);
		trace_close(v.t);
	}
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
