#include "cover/set.h"

#include "base/base.h"
#include "base/diag.h"
#include "finding/testcase.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ------------------------------------------------------------------------------------ */

static void print_place(
	const struct ir_program *p, uint32_t func, uint32_t insn, struct strbuf *out)
{
	struct diag_pos pos = ir_diag_pos(p, p->funcs.at[func].insns.at[insn].pos);

	strbuf_addf(out, "'%s'", ir_func_name(p, func));
	if (pos.file)
		strbuf_addf(out, " at %s:%u", pos.file, pos.line);
}

static char *take_text(struct strbuf *b)
{
	char *s = xstrdup(b->s ? b->s : "");

	strbuf_release(b);
	return s;
}

static char *places_of(const struct ir_program *p, const struct epoch *e)
{
	struct strbuf b = {0};

	if (!e->places.n)
		strbuf_adds(&b, "the program's entry");
	vec_each (&e->places, k) {
		strbuf_adds(&b, k ? ", a thread in " : "a thread in ");
		print_place(p, e->places.at[k].func, e->places.at[k].insn, &b);
		if (e->places.at[k].waiting)
			strbuf_adds(&b, " (blocked)");
	}
	return take_text(&b);
}

/* ---- schedules --------------------------------------------------------------------------------- */

static struct set_node node_of(
	const struct ir_program *p, uint32_t thread, const struct schedule_node *n)
{
	struct strbuf b = {0};
	struct diag_pos pos;

	if (n->func != IR_NONE) {
		pos = ir_diag_pos(p, p->funcs.at[n->func].insns.at[n->insn].pos);
		if (pos.file)
			strbuf_addf(&b, "%s:%u", pos.file, pos.line);
	}
	return (struct set_node){thread, xstrdup(schedule_op_name(n->op)), take_text(&b), n->count};
}

static const char *end_name(enum path_end end)
{
	switch (end) {
	case PATH_EPOCH: return "epoch";
	case PATH_DEADLOCK: return "deadlock";
	case PATH_FAULT: return "failure";
	default: return "exit";
	}
}

static char *condition_of(const struct terms *ts, const struct vec_u32 *all)
{
	struct strbuf b = {0};

	if (!all->n)
		strbuf_adds(&b, "true");
	if (all->n > 1)
		strbuf_adds(&b, "(and ");
	vec_each (all, i) {
		strbuf_adds(&b, i ? " " : "");
		term_print(&b, ts, (term_t){all->at[i]});
	}
	if (all->n > 1)
		strbuf_adds(&b, ")");
	return take_text(&b);
}

static void add_schedule(
	struct set_epoch *to, const struct executor *x, const struct epoch_schedule *from)
{
	struct set_schedule *s = vec_add(&to->schedules);
	const struct schedule *g = from->schedule;

	s->end = xstrdup(end_name(g->end));
	s->next = from->next;
	s->paths = from->paths;
	s->threads = g->threads.n;
	vec_each (&g->threads, i)
		vec_each (&g->threads.at[i].nodes, k)
			vec_push(&s->nodes, node_of(x->facts->p, i, &g->threads.at[i].nodes.at[k]));
	vec_each (&g->edges, i) {
		const struct schedule_edge *e = &g->edges.at[i];

		vec_push(&s->edges, ((struct set_edge){e->from, e->from_node, e->to, e->to_node}));
	}
	vec_each (&from->parts, q)
		vec_each (&from->parts.at[q].how->when, k)
			vec_push(&s->when, condition_of(x->ts, &from->parts.at[q].how->when.at[k]));
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void add_note(
	struct set *s, uint32_t epoch, const char *kind, const char *text, char *inputs)
{
	vec_push(&s->notes, ((struct set_note){epoch, xstrdup(kind), xstrdup(text), inputs}));
}

static void add_missing(void *ctx, uint32_t epoch, const char *why)
{
	add_note(ctx, epoch, "not covered", why, xstrdup(""));
}

static void add_failures(struct set *s, uint32_t epoch, const struct start *at)
{
	uint32_t n;
	const struct start_failure *f = start_failures(at, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct strbuf b = {0};

		if (f[i].tc)
			testcase_print_inputs(f[i].tc, &b);
		if (f[i].tc && !b.n)
			strbuf_adds(&b, "every input\n");
		add_note(s, epoch, f[i].end == PATH_DEADLOCK ? "deadlock" : "failure", f[i].report,
			take_text(&b));
	}
}

static void add_markers(struct set *s, const struct cover *c, const struct ir_program *p)
{
	uint32_t n;
	const struct marker *m = markers_list(cover_markers(c), &n);

	for (uint32_t i = 0; i < n; i++) {
		struct strbuf b = {0};

		strbuf_addf(&b, "%s in ", marker_kind_name(m[i].kind));
		print_place(p, m[i].func, m[i].insn, &b);
		vec_push(&s->markers, take_text(&b));
	}
}

struct set *set_of(struct cover *c, const char *program, bool complete, double seconds)
{
	struct set *s = xcalloc(1, sizeof *s);
	struct search *from = cover_search(c);
	const struct executor *x = search_executor(from);

	s->program = xstrdup(program);
	s->complete = complete;
	s->paths = search_paths(from);
	s->milliseconds = (uint64_t)(seconds * 1000);
	add_markers(s, c, x->facts->p);
	for (uint32_t i = 0; i < search_count(from); i++) {
		const struct epoch *e = search_epoch(from, i);
		struct set_epoch *to = vec_add(&s->epochs);

		to->places = places_of(x->facts->p, e);
		to->states = e->starts.n;
		vec_each (&e->schedules, k)
			add_schedule(to, x, &e->schedules.at[k]);
		vec_each (&e->starts, k)
			add_failures(s, i, e->starts.at[k].start);
	}
	search_each_reason(from, add_missing, s);
	return s;
}

static void release_schedule(struct set_schedule *s)
{
	free(s->end);
	vec_each (&s->nodes, i) {
		free(s->nodes.at[i].op);
		free(s->nodes.at[i].at);
	}
	vec_each (&s->when, i)
		free(s->when.at[i]);
	vec_release(&s->nodes);
	vec_release(&s->edges);
	vec_release(&s->when);
}

void set_free(struct set *s)
{
	if (!s)
		return;
	vec_each (&s->epochs, i) {
		free(s->epochs.at[i].places);
		vec_each (&s->epochs.at[i].schedules, k)
			release_schedule(&s->epochs.at[i].schedules.at[k]);
		vec_release(&s->epochs.at[i].schedules);
	}
	vec_each (&s->notes, i) {
		free(s->notes.at[i].kind);
		free(s->notes.at[i].text);
		free(s->notes.at[i].inputs);
	}
	vec_each (&s->markers, i)
		free(s->markers.at[i]);
	vec_release(&s->markers);
	vec_release(&s->epochs);
	vec_release(&s->notes);
	free(s->program);
	free(s);
}

void set_count(const struct set *s, struct set_counts *out)
{
	*out = (struct set_counts){.epochs = s->epochs.n, .least = s->epochs.n ? UINT32_MAX : 0};
	vec_each (&s->epochs, i) {
		uint32_t n = s->epochs.at[i].schedules.n;

		out->schedules += n;
		out->least = MIN(out->least, n);
		out->most = MAX(out->most, n);
		vec_each (&s->epochs.at[i].schedules, k)
			out->deadlocks += !strcmp(s->epochs.at[i].schedules.at[k].end, "deadlock");
	}
	vec_each (&s->notes, i) {
		bool missing = !strcmp(s->notes.at[i].kind, "not covered");

		out->missing += missing;
		out->failures += !missing;
	}
	out->average = out->epochs ? (double)out->schedules / out->epochs : 0;
}
