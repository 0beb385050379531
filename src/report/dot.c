/*
 * A finding for Graphviz: a column for each thread, time downwards. A solid line is the program
 * order of a thread, a bold one a context switch, a dashed one goes from a write to a read of it.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

/* A string of the language of Graphviz. A backslash would be an escape of its labels. */
static void add_quoted(struct strbuf *out, const char *s)
{
	struct strbuf clean = {0};

	utf8_add_clean(&clean, s, strlen(s));
	strbuf_addc(out, '"');
	for (const char *p = clean.s ? clean.s : ""; *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_addc(out, '\\');
		strbuf_addc(out, *p);
	}
	strbuf_addc(out, '"');
	strbuf_release(&clean);
}

static void add_node(const struct finding *f, uint32_t i, struct strbuf *out)
{
	const struct finding_step *s = &f->steps.at[i];
	struct strbuf b = {0};

	strbuf_addf(&b, "%u. %s%s", i + 1, finding_step_is_next(s) ? "next: " : "",
		s->what ? s->what : "");
	if (s->recorded)
		strbuf_addf(&b, " (recorded: %s)", s->recorded);
	if (s->place.file)
		strbuf_adds(&b, " at ");
	finding_add_place(&s->place, false, &b);
	strbuf_addf(out, "  s%u [group=t%u, label=", i + 1, s->thread);
	add_quoted(out, b.s);
	if (s->source) {
		strbuf_adds(out, ", tooltip=");
		add_quoted(out, s->source);
	}
	strbuf_adds(out, s->flags & STEP_KEY ? ", penwidth=2, color=\"#c62828\"];\n" : "];\n");
	strbuf_release(&b);
}

static bool has_steps(const struct finding *f, uint32_t thread)
{
	vec_each (&f->steps, i)
		if (f->steps.at[i].thread == thread && !(f->steps.at[i].flags & STEP_MINOR))
			return true;
	return false;
}

static void add_threads(const struct finding *f, struct strbuf *out)
{
	struct strbuf b = {0};

	strbuf_adds(out, "  { rank=same;");
	for (uint32_t t = 0; t < f->threads.n; t++)
		if (has_steps(f, t))
			strbuf_addf(out, " t%u;", t);
	strbuf_adds(out, " }\n");
	for (uint32_t t = 0; t < f->threads.n; t++) {
		if (!has_steps(f, t))
			continue;
		strbuf_clear(&b);
		finding_add_thread(f, t, &b);
		strbuf_addf(out, "  t%u [group=t%u, shape=plain, label=", t, t);
		add_quoted(out, b.s);
		strbuf_adds(out, "];\n");
	}
	strbuf_release(&b);
}

void report_dot(const struct finding *f, struct strbuf *out)
{
	struct vec_u32 last = {0}; /* by thread: number of its last step */
	struct strbuf title = {0};
	uint32_t before = 0;

	strbuf_addf(&title, "%s: %s (%s)", f->name, f->title, finding_status_text(f));
	strbuf_adds(out, "digraph finding {\n  label=");
	add_quoted(out, title.s);
	strbuf_adds(out,
		";\n  labelloc=t;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
		"  edge [fontname=\"monospace\", fontsize=9];\n");
	add_threads(f, out);
	vec_resize(&last, f->threads.n + 1);
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->flags & STEP_MINOR || s->thread >= f->threads.n)
			continue;
		add_node(f, i, out);
		if (last.at[s->thread])
			strbuf_addf(out, "  s%u -> s%u [weight=9];\n", last.at[s->thread], i + 1);
		else
			strbuf_addf(out, "  t%u -> s%u [weight=9, arrowhead=none];\n", s->thread,
				i + 1);
		if (before && f->steps.at[before - 1].thread != s->thread)
			strbuf_addf(out, "  s%u -> s%u [style=bold, color=\"#9e9e9e\"];\n", before,
				i + 1);
		if (s->reads_from && !(f->steps.at[s->reads_from - 1].flags & STEP_MINOR))
			strbuf_addf(out,
				"  s%u -> s%u [style=dashed, color=\"#1565c0\", constraint=false, "
				"label=\"is read\"];\n",
				s->reads_from, i + 1);
		last.at[s->thread] = before = i + 1;
	}
	strbuf_adds(out, "}\n");
	vec_release(&last);
	strbuf_release(&title);
}
