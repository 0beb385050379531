/*
 * Chrome's JSON trace format, which ui.perfetto.dev shows: a track for each thread, slices,
 * instants, and arrows between them. One event on a line.
 */
#ifndef HEDDLE_REPORT_TRACE_EVENTS_H
#define HEDDLE_REPORT_TRACE_EVENTS_H

#include "finding/json.h"

struct trace_events {
	struct json
		j; /* j.out: the bytes so far; the caller may write them to a file and clear them */
	uint64_t flows;
};

void trace_events_begin(struct trace_events *te, const char *process);
void trace_events_end(struct trace_events *te);
void trace_events_name_thread(struct trace_events *te, uint64_t thread, const char *name);
/* Opens an event: phase "B" and "E" begin and end a slice, "i" is an instant. Fields may be added
 * to te->j until trace_event_close(). name, category: may be NULL. */
void trace_event_open(struct trace_events *te, const char *phase, uint64_t thread, const char *name,
	const char *category, double microseconds);
void trace_event_close(struct trace_events *te);
/* An arrow between two slices. */
void trace_events_flow(struct trace_events *te, const char *name, uint64_t from, double from_us,
	uint64_t to, double to_us);

#endif
