#include "finding/report_text_internal.h"

#include "base/base.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

static const char *const escapes[PAINT_N] = {
#define X(id, escape) [PAINT_##id] = escape,
	TEXT_PAINTS(X)
#undef X
};

/* ---- the page ------------------------------------------------------------------------------- */

void text_paint(struct text *t, enum text_paint paint)
{
	if (t->color)
		strbuf_adds(t->out, paint == PAINT_PLAIN ? "\033[0m" : escapes[paint]);
}

static void add_painted(struct text *t, enum text_paint paint, const char *s, size_t n)
{
	if (paint != PAINT_PLAIN && n)
		text_paint(t, paint);
	utf8_add_clean(t->out, s, n);
	if (paint != PAINT_PLAIN && n)
		text_paint(t, PAINT_PLAIN);
}

/* Prints the text (utf8_add_clean()) and a newline, without breaking it. */
static void text_line(struct text *t, enum text_paint paint, const char *s)
{
	add_painted(t, paint, s, strlen(s));
	strbuf_addc(t->out, '\n');
}

size_t text_break(const char *s, size_t n, uint32_t columns, bool cut, size_t *skip)
{
	size_t fit = utf8_fit(s, n, columns), at = fit;

	*skip = 0;
	if (fit == n)
		return n;
	while (at && s[at] != ' ')
		at--;
	if (!at && cut)
		return MAX(fit, (size_t)1);
	if (!at) {
		at = fit;
		while (at < n && s[at] != ' ')
			at++;
	}
	while (at + *skip < n && s[at + *skip] == ' ')
		++*skip;
	for (; at > 1 && s[at - 1] == ' '; at--)
		++*skip;
	return at;
}

void text_wrap(
	struct text *t, enum text_paint paint, const char *first, const char *next, const char *s)
{
	const char *prefix = first;
	size_t n = strlen(s), skip;

	do {
		uint32_t indent = (uint32_t)strlen(prefix);
		size_t len = text_break(
			s, n, t->width > indent + 20 ? t->width - indent : 20, false, &skip);

		strbuf_adds(t->out, prefix);
		add_painted(t, paint, s, len);
		strbuf_addc(t->out, '\n');
		s += len + skip;
		n -= len + skip;
		prefix = next;
	} while (n);
}

/* ---- words ---------------------------------------------------------------------------------- */

#define NO_BREAK "\xc2\xa0"

void text_glue(const char *s, struct strbuf *out)
{
	static const char *const before[] = {"thread ", "recorded: ", "= "};

	while (*s) {
		size_t n = 0;

		for (uint32_t i = 0; !n && i < ARRAY_SIZE(before); i++)
			if (!strncmp(s, before[i], strlen(before[i])) &&
				(i || (s[7] >= '0' && s[7] <= '9')))
				n = strlen(before[i]);
		if (n) {
			strbuf_add(out, s, n - 1);
			strbuf_adds(out, NO_BREAK);
		} else {
			strbuf_addc(out, *s);
			n = 1;
		}
		s += n;
	}
}

static void capitalize_first(struct strbuf *b)
{
	if (b->n && b->s[0] >= 'a' && b->s[0] <= 'z')
		b->s[0] -= 'a' - 'A';
}

/* ---- the failure ---------------------------------------------------------------------------- */

static void add_head(struct text *t)
{
	struct strbuf b = {0};
	bool sure = t->f->status == FINDING_CONFIRMED || t->f->status == FINDING_OBSERVED;

	strbuf_addf(&b, "WARNING: heddle: %s (%s%s%s)",
		t->f->title ? t->f->title : fault_words[t->f->kind].title, t->f->name,
		t->f->name[0] ? ", " : "", finding_status_text(t->f));
	text_wrap(t, sure ? PAINT_RED : PAINT_YELLOW, "", "    ", b.s);
	strbuf_release(&b);
}

enum { FRAMES = 4 }; /* of a stack in a short report */

static void add_frame(struct text *t, uint32_t n, const struct finding_place *p)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "    #%u %s", n, p->function ? p->function : "?");
	if (p->file)
		strbuf_addc(&b, ' ');
	finding_add_place(p, true, &b);
	text_line(t, PAINT_PLAIN, b.s);
	strbuf_release(&b);
}

static void add_stack(struct text *t, const struct finding_step *s)
{
	uint32_t most = t->full ? UINT32_MAX : FRAMES;

	if (!s->stack.n) {
		add_frame(t, 0, &s->place);
		return;
	}
	for (uint32_t i = 0; i < s->stack.n && i < most; i++)
		add_frame(t, i, &s->stack.at[i]);
	if (s->stack.n > most)
		strbuf_addf(t->out, "    ... and %u more\n", s->stack.n - most);
}

static void key_events(struct text *t)
{
	vec_each (&t->f->steps, i) {
		const struct finding_step *s = &t->f->steps.at[i];
		struct strbuf b = {0};

		if (!(s->flags & STEP_KEY))
			continue;
		finding_add_thread(t->f, s->thread, &b);
		capitalize_first(&b);
		strbuf_addf(&b, "%s%s:", s->what && !strncmp(s->what, "the ", 4) ? ": " : " ",
			s->what ? s->what : "is");
		text_wrap(t, PAINT_BOLD, "  ", "    ", b.s);
		add_stack(t, s);
		strbuf_addc(t->out, '\n');
		strbuf_release(&b);
	}
}

/* ---- notes ---------------------------------------------------------------------------------- */

/* Prints the lines of a text, each wrapped separately; indented lines (call stacks) stay whole. */
static void add_paragraph(struct text *t, const char *indent, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");
		char *line = xstrndup(s, n);
		struct strbuf b = {0};

		text_glue(line, &b);
		if (line[0] == ' ') {
			strbuf_adds(t->out, indent);
			text_line(t, PAINT_PLAIN, line);
		} else if (n) {
			text_wrap(t, PAINT_PLAIN, indent, indent, b.s);
		}
		free(line);
		strbuf_release(&b);
		s += n + (s[n] == '\n');
	}
}

static bool has_head(const struct finding_note *n)
{
	return strcmp(n->head, "location") && strcmp(n->head, "what happens");
}

static void add_note(struct text *t, const struct finding_note *n)
{
	struct strbuf b = {0};

	if (has_head(n)) {
		strbuf_addf(&b, "%s:", n->head);
		capitalize_first(&b);
		text_wrap(t, PAINT_BOLD, "  ", "  ", b.s);
	}
	add_paragraph(t, has_head(n) ? "    " : "  ", n->text);
	strbuf_addc(t->out, '\n');
	strbuf_release(&b);
}

static void add_notes(struct text *t, bool first)
{
	vec_each (&t->f->notes, i)
		if (t->f->notes.at[i].text[0] &&
			first == !strcmp(t->f->notes.at[i].head, "what happens"))
			add_note(t, &t->f->notes.at[i]);
}

/* ---- flips ---------------------------------------------------------------------------------- */

static const char *const class_words[FLIP_NCLASSES] = {
	[FLIP_UNCLEAR] = "intended or unclear",
	[FLIP_ADHOC] = "ad hoc synchronization",
	[FLIP_BUG] = "a bug",
};

/* The class of the flip, and the direction of the branch in both runs. */
static void add_flip(struct text *t)
{
	const struct finding_flip *fl = &t->f->flip;
	struct strbuf b = {0};

	if (t->f->kind != FAULT_BRANCH)
		return;
	strbuf_addf(&b, "This branch is %s%s%s.", class_words[fl->class_], fl->why ? ": " : "",
		fl->why ? fl->why : "");
	text_wrap(t, fl->class_ == FLIP_BUG ? PAINT_BOLD : PAINT_PLAIN, "  ", "    ", b.s);
	strbuf_clear(&b);
	strbuf_addf(&b, "Recorded: %s", fl->recorded ? fl->recorded : "?");
	if (fl->instances > 1)
		strbuf_addf(&b, "; one of %" PRIu64 " executions of this branch", fl->instances);
	text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
	strbuf_clear(&b);
	strbuf_addf(&b, "Flipped:  %s", fl->flipped ? fl->flipped : "?");
	text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
	strbuf_addc(t->out, '\n');
	strbuf_release(&b);
}

/* ---- the replay ----------------------------------------------------------------------------- */

static void add_replay(struct text *t)
{
	const struct finding *f = t->f;
	struct strbuf b = {0};

	if (f->outcome) {
		strbuf_addf(&b, "In the replay: %s.", f->outcome);
		text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
		strbuf_clear(&b);
	}
	if (f->divergence) {
		strbuf_addf(&b, "Replay: %s.", f->divergence);
		text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
		strbuf_clear(&b);
	}
	if (f->name[0]) {
		strbuf_addf(&b, "%s: heddle replay %s%s",
			f->status == FINDING_CONFIRMED ? "To see it again" : "To try it", f->name,
			f->test && f->test->from ? "" : " (with --gdb: step by step)");
		text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
		strbuf_clear(&b);
		strbuf_addf(&b, "After a fix: heddle verify %s", f->name);
		text_wrap(t, PAINT_PLAIN, "  ", "    ", b.s);
	}
	if (b.n || f->outcome || f->divergence)
		strbuf_addc(t->out, '\n');
	strbuf_release(&b);
}

static void add_summary(struct text *t)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "SUMMARY: heddle: %s%s%s", fault_words[t->f->kind].title,
		t->f->summary ? " " : "", t->f->summary ? t->f->summary : "");
	text_line(t, PAINT_BOLD, b.s);
	strbuf_release(&b);
}

void report_text(const struct finding *f, const struct report_style *st, struct strbuf *out)
{
	struct text t = {.f = f,
		.out = out,
		.width = st->width ? st->width : 100,
		.color = st->color,
		.full = st->full};

	t.width = MAX(t.width, 40u);
	strbuf_adds(out, "==================\n");
	add_head(&t);
	add_notes(&t, true);
	add_flip(&t);
	if (!f->test) { /* else notes describe the path */
		key_events(&t);
		text_steps(&t);
	}
	add_notes(&t, false);
	if (st->related) {
		add_paragraph(&t, "  ", st->related);
		strbuf_addc(out, '\n');
	}
	add_replay(&t);
	add_summary(&t);
	strbuf_adds(out, "==================\n");
}
