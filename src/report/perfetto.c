/*
 * A finding for ui.perfetto.dev: a track for each thread, a slice for each step and for the time
 * that a lock is held, an arrow from a write to the reads of it. A witness has an order, but no
 * times: each step takes one millisecond.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "report/report.h"
#include "report/trace_events.h"

#include <string.h>

static const double step_us = 1000;

static uint32_t next_of_thread(const struct finding *f, uint32_t i)
{
	for (uint32_t k = i + 1; k < f->steps.n; k++)
		if (f->steps.at[k].thread == f->steps.at[i].thread)
			return k;
	return f->steps.n;
}

static uint32_t last_of_thread(const struct finding *f, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (f->steps.at[k].thread == f->steps.at[i].thread)
			return k;
	return f->steps.n;
}

static void put_step_fields(struct json *j, const struct finding_step *s)
{
	struct strbuf b = {0};

	finding_add_place(&s->place, true, &b);
	json_object(j, "args");
	if (b.n)
		json_str(j, "place", b.s);
	if (s->source)
		json_str(j, "source", s->source);
	if (s->recorded)
		json_str(j, "recorded", s->recorded);
	json_end(j);
	strbuf_release(&b);
}

/* The locks that are held at the step and not at the thread's step before it begin here; those that
 * are not held at the next one end here. Slices nest, because a lock that is taken later is later in
 * `held`; if one is released before an inner one, both end, and the inner one begins again. */
static void put_step(struct trace_events *te, const struct finding *f, uint32_t i)
{
	const struct finding_step *s = &f->steps.at[i];
	uint32_t before = last_of_thread(f, i), after = next_of_thread(f, i), keep = 0, have = 0;
	double begin = i * step_us;

	for (; before < f->steps.n && have < s->held.n && have < f->steps.at[before].held.n; have++)
		if (strcmp(s->held.at[have], f->steps.at[before].held.at[have]) != 0)
			break;
	for (uint32_t k = have; k < s->held.n; k++) {
		struct strbuf b = {0};

		strbuf_addf(&b, "holds %s", s->held.at[k]);
		trace_event_open(te, "B", s->thread, b.s, "lock", begin);
		trace_event_close(te);
		strbuf_release(&b);
	}
	trace_event_open(te, "B", s->thread, s->what ? s->what : "step",
		s->flags & STEP_KEY ? "key" : "step", begin);
	put_step_fields(&te->j, s);
	trace_event_close(te);
	trace_event_open(te, "E", s->thread, NULL, NULL, begin + step_us * 0.9);
	trace_event_close(te);
	for (; after < f->steps.n && keep < s->held.n && keep < f->steps.at[after].held.n; keep++)
		if (strcmp(s->held.at[keep], f->steps.at[after].held.at[keep]) != 0)
			break;
	for (uint32_t k = s->held.n; k-- > keep;) {
		trace_event_open(te, "E", s->thread, NULL, NULL, begin + step_us * 0.95);
		trace_event_close(te);
	}
}

void report_perfetto(const struct finding *f, struct strbuf *out)
{
	struct trace_events te = {.j = {.out = out}};
	struct strbuf b = {0};

	strbuf_addf(&b, "%s %s", f->name, f->title);
	trace_events_begin(&te, b.s);
	for (uint32_t t = 0; t < f->threads.n; t++) {
		strbuf_clear(&b);
		finding_add_thread(f, t, &b);
		trace_events_name_thread(&te, t, b.s);
	}
	vec_each (&f->steps, i)
		put_step(&te, f, i);
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];
		uint32_t w = s->reads_from;

		if (w)
			trace_events_flow(&te, "is read by", f->steps.at[w - 1].thread,
				(w - 1) * step_us + step_us * 0.5, s->thread,
				i * step_us + step_us * 0.1);
	}
	trace_events_end(&te);
	strbuf_release(&b);
}
