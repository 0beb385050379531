/* A set of schedules as text, as JSON, and as a graph for Graphviz. */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cover/set.h"
#include "finding/json.h"

#include <string.h>

/* ---- text -------------------------------------------------------------------------------------- */

static void print_nodes(const struct set_schedule *s, struct strbuf *out)
{
	uint32_t e = 0, thread = UINT32_MAX, k = 0;

	vec_each (&s->nodes, i) {
		const struct set_node *n = &s->nodes.at[i];

		if (n->thread != thread) {
			strbuf_addf(out, "  thread %u\n", n->thread);
			thread = n->thread;
			k = 0;
		}
		strbuf_addf(out, "    %u %s", ++k, n->op);
		if (*n->at)
			strbuf_addf(out, " %s", n->at);
		if (n->count > 1 && *n->at)
			strbuf_addf(out, " (%u)", n->count);
		for (; e < s->edges.n && s->edges.at[e].to == n->thread &&
			s->edges.at[e].to_node + 1 == k;
			e++)
			strbuf_addf(out, "  after thread %u, %u", s->edges.at[e].from,
				s->edges.at[e].from_node + 1);
		strbuf_adds(out, "\n");
	}
}

static void print_schedule(
	const struct set_epoch *e, uint32_t epoch, uint32_t k, struct strbuf *out)
{
	const struct set_schedule *s = &e->schedules.at[k];

	strbuf_addf(out, "schedule %u.%u%s:\n", epoch + 1, k + 1,
		!strcmp(s->end, "deadlock")  ? ", which deadlocks"
		: !strcmp(s->end, "failure") ? ", which fails"
					     : "");
	print_nodes(s, out);
	vec_each (&s->when, i)
		strbuf_addf(out, i ? "  or %s\n" : "  followed if %s\n", s->when.at[i]);
	if (s->next >= 0)
		strbuf_addf(out, "  then epoch %d\n", s->next + 1);
}

void set_print_epoch(const struct set *s, uint32_t epoch, uint32_t schedule, struct strbuf *out)
{
	const struct set_epoch *e = &s->epochs.at[epoch];

	if (schedule != UINT32_MAX) {
		print_schedule(e, epoch, schedule, out);
		return;
	}
	strbuf_addf(out, "epoch %u: %s\n", epoch + 1, e->places);
	vec_each (&e->schedules, k)
		print_schedule(e, epoch, k, out);
}

void set_print(const struct set *s, struct strbuf *out)
{
	vec_each (&s->markers, i)
		strbuf_addf(out, "marker: %s\n", s->markers.at[i]);
	vec_each (&s->epochs, i)
		set_print_epoch(s, i, UINT32_MAX, out);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void put_schedule(struct json *j, const struct set_schedule *s)
{
	json_object(j, NULL);
	json_str(j, "end", s->end);
	if (s->next >= 0)
		json_u64(j, "next", (uint64_t)s->next + 1);
	json_u64(j, "paths", s->paths);
	json_u64(j, "threads", s->threads);
	json_array(j, "nodes");
	vec_each (&s->nodes, i) {
		json_object(j, NULL);
		json_u64(j, "thread", s->nodes.at[i].thread);
		json_str(j, "operation", s->nodes.at[i].op);
		json_str(j, "at", s->nodes.at[i].at);
		json_u64(j, "count", s->nodes.at[i].count);
		json_end(j);
	}
	json_end(j);
	json_array(j, "edges");
	vec_each (&s->edges, i) {
		const struct set_edge *e = &s->edges.at[i];

		json_object(j, NULL);
		json_u64(j, "from_thread", e->from);
		json_u64(j, "from_node", e->from_node + 1);
		json_u64(j, "to_thread", e->to);
		json_u64(j, "to_node", e->to_node + 1);
		json_end(j);
	}
	json_end(j);
	json_array(j, "when");
	vec_each (&s->when, i)
		json_str(j, NULL, s->when.at[i]);
	json_end(j);
	json_end(j);
}

static void put_notes(struct json *j, const struct set *s, bool missing)
{
	json_array(j, missing ? "missing" : "failures");
	vec_each (&s->notes, i) {
		const struct set_note *n = &s->notes.at[i];

		if (missing != !strcmp(n->kind, "not covered"))
			continue;
		json_object(j, NULL);
		json_u64(j, "epoch", n->epoch + 1);
		if (missing)
			json_str(j, "why", n->text);
		else {
			json_str(j, "kind", n->kind);
			json_str(j, "report", n->text);
			json_bool(j, "shown", *n->inputs);
			json_str(j, "inputs", n->inputs);
		}
		json_end(j);
	}
	json_end(j);
}

void set_print_json(const struct set *s, struct strbuf *out)
{
	struct set_counts c;
	struct json j = {.out = out};

	set_count(s, &c);
	json_object(&j, NULL);
	json_str(&j, "program", s->program);
	json_bool(&j, "complete", s->complete);
	json_u64(&j, "epochs_total", c.epochs);
	json_u64(&j, "schedules_total", c.schedules);
	json_u64(&j, "schedules_least", c.least);
	json_u64(&j, "schedules_most", c.most);
	json_double(&j, "schedules_average", c.average);
	json_u64(&j, "deadlocking", c.deadlocks);
	json_u64(&j, "paths", s->paths);
	json_double(&j, "seconds", (double)s->milliseconds / 1000);
	json_array(&j, "markers");
	vec_each (&s->markers, i)
		json_str(&j, NULL, s->markers.at[i]);
	json_end(&j);
	json_array(&j, "epochs");
	vec_each (&s->epochs, i) {
		json_object(&j, NULL);
		json_u64(&j, "epoch", i + 1);
		json_str(&j, "places", s->epochs.at[i].places);
		json_u64(&j, "states", s->epochs.at[i].states);
		json_array(&j, "schedules");
		vec_each (&s->epochs.at[i].schedules, k)
			put_schedule(&j, &s->epochs.at[i].schedules.at[k]);
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	put_notes(&j, s, true);
	put_notes(&j, s, false);
	json_end(&j);
	strbuf_adds(out, "\n");
}

/* ---- Graphviz ---------------------------------------------------------------------------------- */

/* Appends the text as a string of the dot language, without quotes. */
static void add_escaped(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			strbuf_adds(out, "\\");
		strbuf_add(out, s, 1);
	}
}

void set_print_dot(const struct set *s, struct strbuf *out)
{
	strbuf_adds(out, "digraph epochs {\n\tnode [shape=box];\n\tend [shape=oval];\n");
	vec_each (&s->epochs, i) {
		strbuf_addf(out, "\te%u [label=\"epoch %u\\n", i + 1, i + 1);
		add_escaped(out, s->epochs.at[i].places);
		strbuf_adds(out, "\"];\n");
		vec_each (&s->epochs.at[i].schedules, k) {
			const struct set_schedule *c = &s->epochs.at[i].schedules.at[k];

			strbuf_addf(out, "\te%u -> ", i + 1);
			if (c->next >= 0)
				strbuf_addf(out, "e%d", c->next + 1);
			else
				strbuf_adds(out, "end");
			strbuf_addf(out, " [label=\"%u.%u%s%s\"];\n", i + 1, k + 1,
				c->next < 0 ? " " : "", c->next < 0 ? c->end : "");
		}
	}
	strbuf_adds(out, "}\n");
}
