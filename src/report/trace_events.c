#include "report/trace_events.h"

#include "base/strbuf.h"

#include <string.h>

static void open_event(
	struct trace_events *te, const char *phase, uint64_t thread, const char *name)
{
	json_object(&te->j, NULL);
	json_str(&te->j, "ph", phase);
	json_u64(&te->j, "pid", 1);
	json_u64(&te->j, "tid", thread);
	if (name)
		json_str(&te->j, "name", name);
}

void trace_event_close(struct trace_events *te)
{
	json_end(&te->j);
	strbuf_addc(te->j.out, '\n');
}

/* Metadata: a name for a process or a thread. */
static void put_name(struct trace_events *te, const char *of, uint64_t thread, const char *name)
{
	open_event(te, "M", thread, of);
	json_object(&te->j, "args");
	json_str(&te->j, "name", name);
	json_end(&te->j);
	trace_event_close(te);
}

void trace_events_begin(struct trace_events *te, const char *process)
{
	json_object(&te->j, NULL);
	json_str(&te->j, "displayTimeUnit", "ns");
	json_array(&te->j, "traceEvents");
	put_name(te, "process_name", 0, process);
}

void trace_events_end(struct trace_events *te)
{
	json_end(&te->j);
	json_end(&te->j);
	strbuf_addc(te->j.out, '\n');
}

void trace_events_name_thread(struct trace_events *te, uint64_t thread, const char *name)
{
	put_name(te, "thread_name", thread, name);
}

void trace_event_open(struct trace_events *te, const char *phase, uint64_t thread, const char *name,
	const char *category, double microseconds)
{
	open_event(te, phase, thread, name);
	if (category)
		json_str(&te->j, "cat", category);
	if (!strcmp(phase, "i"))
		json_str(&te->j, "s", "t");
	json_double(&te->j, "ts", microseconds);
}

void trace_events_flow(struct trace_events *te, const char *name, uint64_t from, double from_us,
	uint64_t to, double to_us)
{
	te->flows++;
	for (int end = 0; end < 2; end++) {
		trace_event_open(
			te, end ? "f" : "s", end ? to : from, name, "flow", end ? to_us : from_us);
		json_u64(&te->j, "id", te->flows);
		if (end)
			json_str(&te->j, "bp", "e");
		trace_event_close(te);
	}
}
