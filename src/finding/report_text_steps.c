/*
 * The steps of a finding, one column for each thread. Every row has text in one column only: that
 * of the thread that runs. If the page is too narrow for all threads, those with the most steps get
 * columns, and the steps of the others take the whole width; a page that is too narrow for two
 * columns has none.
 */
#include "finding/report_text_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/utf8.h"

#include <string.h>

enum { MARGIN = 4, MIN_COLUMN = 30, MAX_COLUMNS = 4, GAP = 3 /* " | " */, NOBODY = UINT32_MAX };

struct table {
	struct text *t;
	struct vec_u32 threads;          /* by column, in ascending order */
	uint32_t width;                  /* of a column, in terminal columns */
	const struct finding_step *last; /* last printed step; NULL: none */
	const char *file; /* the file of all steps, if its name is long; then rows omit it; NULL */
};

static bool is_shown(const struct text *t, const struct finding_step *s)
{
	return t->full || !(s->flags & STEP_MINOR);
}

/* ---- choice of columns ---------------------------------------------------------------------- */

struct weight {
	uint32_t thread, keys, steps;
};

static int compare_weights(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->keys + x->steps != y->keys + y->steps)
		return x->keys + x->steps > y->keys + y->steps ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static uint32_t columns_that_fit(const struct text *t)
{
	uint32_t room = t->width > MARGIN ? t->width - MARGIN : 0;
	uint32_t n = (room + GAP) / (MIN_COLUMN + GAP);

	return MIN(n, (uint32_t)MAX_COLUMNS);
}

static void choose_columns(struct table *tb)
{
	const struct finding *f = tb->t->f;
	struct weight *w = xcalloc(f->threads.n + 1, sizeof *w);
	uint32_t n = 0, most = columns_that_fit(tb->t);

	for (uint32_t i = 0; i < f->threads.n; i++)
		w[i].thread = i;
	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->thread >= f->threads.n || !is_shown(tb->t, s))
			continue;
		n += !w[s->thread].steps++;
		w[s->thread].keys += !!(s->flags & STEP_KEY);
	}
	qsort(w, f->threads.n, sizeof *w, compare_weights);
	for (uint32_t i = 0; i < MIN(n, most) && (most > 1 || n == 1); i++)
		vec_push(&tb->threads, w[i].thread);
	vec_u32_sort(&tb->threads, 0);
	if (tb->threads.n)
		tb->width = (tb->t->width - MARGIN - GAP * (tb->threads.n - 1)) / tb->threads.n;
	free(w);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void choose_file(struct table *tb)
{
	const struct finding *f = tb->t->f;
	const char *file = NULL;

	vec_each (&f->steps, i) {
		const struct finding_place *p = &f->steps.at[i].place;

		if (!is_shown(tb->t, &f->steps.at[i]) || !p->file)
			continue;
		if (file && strcmp(file, p->file))
			return;
		file = p->file;
	}
	if (file && tb->threads.n && strlen(base_name(file)) > tb->width / 5)
		tb->file = base_name(file);
}

static uint32_t column_of(const struct table *tb, uint32_t thread)
{
	vec_each (&tb->threads, i)
		if (tb->threads.at[i] == thread)
			return i;
	return NOBODY;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void add_spaces(struct strbuf *b, uint32_t n)
{
	while (n--)
		strbuf_addc(b, ' ');
}

/* Prints one row; a cell of NULL is empty, a text that is longer than its column is cut. */
static void add_row(struct table *tb, char *const *cells, enum text_paint paint)
{
	struct strbuf *out = tb->t->out;

	add_spaces(out, MARGIN);
	vec_each (&tb->threads, i) {
		const char *s = cells[i] ? cells[i] : "";
		size_t n = strlen(s), fit = utf8_fit(s, n, tb->width);
		bool cut = fit < n;

		if (cut)
			fit = utf8_fit(s, n, tb->width - 3);
		if (paint != PAINT_PLAIN && n)
			text_paint(tb->t, paint);
		strbuf_add(out, s, fit);
		strbuf_adds(out, cut ? "..." : "");
		if (paint != PAINT_PLAIN && n)
			text_paint(tb->t, PAINT_PLAIN);
		if (i + 1 < tb->threads.n) {
			add_spaces(out, tb->width - utf8_columns(s, fit) - (cut ? 3 : 0));
			strbuf_adds(out, " | ");
		}
	}
	while (out->s[out->n - 1] == ' ')
		out->s[--out->n] = 0;
	strbuf_addc(out, '\n');
}

static void add_cell(
	struct table *tb, uint32_t column, enum text_paint paint, const struct strbuf *s)
{
	struct strbuf clean = {0};
	char *cells[MAX_COLUMNS] = {0};

	utf8_add_clean(&clean, s->s, s->n);
	cells[column] = clean.s;
	add_row(tb, cells, paint);
	strbuf_release(&clean);
}

/* "--------+-------"; dotted: a context switch */
static void add_rule(struct table *tb, bool dotted)
{
	struct strbuf *out = tb->t->out;

	add_spaces(out, MARGIN);
	vec_each (&tb->threads, i) {
		bool first = !i, last = i + 1 == tb->threads.n;
		uint32_t n = tb->width + !first + !last;

		if (!first)
			strbuf_addc(out, '+');
		for (uint32_t k = 0; k < n; k++) {
			/* a space beside each '+', then in every second column */
			bool space = first ? (n - k) % 2 : !(k % 2) || (!last && k + 1 == n);

			strbuf_addc(out, !dotted ? '-' : space ? ' ' : '.');
		}
	}
	while (out->s[out->n - 1] == ' ')
		out->s[--out->n] = 0;
	strbuf_addc(out, '\n');
}

/* Breaks code at a space, or after a comma or an opening parenthesis, as late as possible. */
static size_t break_code(const char *s, size_t n, uint32_t room, size_t *skip)
{
	size_t fit = utf8_fit(s, n, room), at = fit, len = text_break(s, n, room, true, skip);

	if (fit == n)
		return n;
	while (at > 1 && s[at - 1] != ',' && s[at - 1] != '(')
		at--;
	if (at <= 1 || (at <= len && len < fit))
		return len;
	for (*skip = 0; at + *skip < n && s[at + *skip] == ' '; ++*skip)
		;
	return at;
}

enum { CODE_ROWS = 3, WORDS = UINT32_MAX };

/* Prints text in rows of a column. most: the limit of rows for code, the last of which is cut;
 * WORDS for prose, without a limit. */
static void add_rows(struct table *tb, uint32_t column, enum text_paint paint, const char *first,
	const char *next, const char *s, uint32_t most)
{
	bool code = most != WORDS;
	const char *prefix = first;
	size_t n = strlen(s), skip;

	for (uint32_t i = 0; n || !i; i++) {
		uint32_t indent = (uint32_t)strlen(prefix);
		uint32_t room = tb->width > indent + 8 ? tb->width - indent : 8;
		bool last = i + 1 == most && utf8_fit(s, n, room) < n;
		size_t len = last   ? utf8_fit(s, n, room - 3)
			     : code ? break_code(s, n, room, &skip)
				    : text_break(s, n, room, true, &skip);
		struct strbuf b = {0};

		strbuf_adds(&b, prefix);
		strbuf_add(&b, s, len);
		if (last)
			strbuf_adds(&b, "...");
		add_cell(tb, column, paint, &b);
		strbuf_release(&b);
		if (last)
			return;
		s += len + skip;
		n -= len + skip;
		prefix = next;
	}
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool same_place(const struct finding_step *a, const struct finding_step *b)
{
	return a && a->thread == b->thread && a->place.line == b->place.line && a->place.file &&
	       b->place.file && !strcmp(a->place.file, b->place.file);
}

/* Length of the code without a comment at its end. */
static size_t without_comment(const char *s)
{
	char quote = 0;
	size_t i;

	for (i = 0; s[i]; i++) {
		if (quote) {
			quote = s[i] == quote ? 0 : quote;
			i += s[i] == '\\' && s[i + 1];
		} else if (s[i] == '"' || s[i] == '\'') {
			quote = s[i];
		} else if (i && s[i] == '/' && (s[i + 1] == '/' || s[i + 1] == '*')) {
			break;
		}
	}
	while (i && s[i - 1] == ' ')
		i--;
	return i;
}

/* The place and the source line, whose final comment is omitted if it does not fit. */
static void place_words(
	const struct table *tb, const struct finding_step *s, uint32_t room, struct strbuf *b)
{
	if (tb->file && s->place.line)
		strbuf_addf(b, "%u:", s->place.line);
	else
		finding_add_place(&s->place, false, b);
	if (s->source) {
		size_t n = strlen(s->source);

		strbuf_adds(b, b->n ? "  " : "");
		if (utf8_columns(b->s, b->n) + utf8_columns(s->source, n) > room)
			n = without_comment(s->source);
		strbuf_add(b, s->source, n);
	}
	if (!s->source && s->place.function)
		strbuf_addf(b, "%sin '%s'", b->n ? " " : "", s->place.function);
	if (!b->n)
		strbuf_adds(b, "?");
}

static void what_words(const struct finding_step *s, struct strbuf *b)
{
	struct strbuf plain = {0};

	strbuf_addf(
		&plain, "%s%s", finding_step_is_next(s) ? "next: " : "", s->what ? s->what : "");
	if (s->recorded)
		strbuf_addf(&plain, " (recorded: %s)", s->recorded);
	text_glue(plain.s, b);
	strbuf_release(&plain);
}

static void column_step(struct table *tb, uint32_t column, const struct finding_step *s)
{
	bool key = s->flags & STEP_KEY;
	struct strbuf place = {0}, what = {0};

	place_words(tb, s, tb->width, &place);
	what_words(s, &what);
	if (!same_place(tb->last, s))
		add_rows(tb, column, PAINT_PLAIN, "", "    ", place.s,
			tb->t->full ? 100 : CODE_ROWS);
	if (what.n)
		add_rows(tb, column, key ? PAINT_RED : PAINT_DIM, key ? "> " : "  ", "    ", what.s,
			WORDS);
	strbuf_release(&place);
	strbuf_release(&what);
}

/* Prints a step over the whole width, for threads without a column. */
static void stacked_step(struct table *tb, const struct finding_step *s)
{
	bool key = s->flags & STEP_KEY;
	struct strbuf place = {0}, what = {0}, who = {0};

	place_words(tb, s, tb->t->width > 6 ? tb->t->width - 6 : 0, &place);
	what_words(s, &what);
	if (!tb->last || tb->last->thread != s->thread) {
		finding_add_thread(tb->t->f, s->thread, &who);
		strbuf_addc(&who, ':');
		text_wrap(tb->t, PAINT_BOLD, "    ", "      ", who.s);
	}
	if (!same_place(tb->last, s))
		text_wrap(tb->t, PAINT_PLAIN, "      ", "          ", place.s);
	if (what.n)
		text_wrap(tb->t, key ? PAINT_RED : PAINT_DIM, key ? "      > " : "        ",
			"          ", what.s);
	strbuf_release(&place);
	strbuf_release(&what);
	strbuf_release(&who);
}

static void add_header(struct table *tb)
{
	struct strbuf names[MAX_COLUMNS] = {0}, places[MAX_COLUMNS] = {0};
	char *cells[2][MAX_COLUMNS] = {0};
	bool created = false;

	vec_each (&tb->threads, i) {
		const struct finding_thread *th = &tb->t->f->threads.at[tb->threads.at[i]];
		struct strbuf b = {0};

		finding_add_thread(tb->t->f, tb->threads.at[i], &b);
		utf8_add_clean(&names[i], b.s, b.n);
		strbuf_clear(&b);
		if (th->created.file) {
			strbuf_adds(&b, "created at ");
			finding_add_place(&th->created, false, &b);
			utf8_add_clean(&places[i], b.s, b.n);
			created = true;
		}
		cells[0][i] = names[i].s;
		cells[1][i] = places[i].s;
		strbuf_release(&b);
	}
	add_row(tb, cells[0], PAINT_BOLD);
	if (created)
		add_row(tb, cells[1], PAINT_DIM);
	add_rule(tb, false);
	for (uint32_t i = 0; i < MAX_COLUMNS; i++) {
		strbuf_release(&names[i]);
		strbuf_release(&places[i]);
	}
}

void text_steps(struct text *t)
{
	struct table tb = {.t = t};
	struct strbuf b = {0};
	uint32_t n = 0;

	vec_each (&t->f->steps, i)
		n += is_shown(t, &t->f->steps.at[i]);
	if (!n)
		return;
	choose_columns(&tb);
	choose_file(&tb);
	strbuf_addf(&b, "In this order%s%s (%s>: what %s):", tb.file ? ", in " : "",
		tb.file ? tb.file : "",
		tb.threads.n > 1 ? "dotted line: another thread runs; " : "",
		t->f->kind == FAULT_BRANCH ? "is decided" : "makes it fail");
	text_wrap(t, PAINT_BOLD, "  ", "  ", b.s);
	strbuf_release(&b);
	if (tb.threads.n)
		add_header(&tb);
	vec_each (&t->f->steps, i) {
		const struct finding_step *s = &t->f->steps.at[i];
		uint32_t column;

		if (!is_shown(t, s) || s->thread >= t->f->threads.n)
			continue;
		column = column_of(&tb, s->thread);
		if (tb.threads.n && tb.last && tb.last->thread != s->thread)
			add_rule(&tb, true);
		if (column == NOBODY)
			stacked_step(&tb, s);
		else
			column_step(&tb, column, s);
		tb.last = s;
	}
	strbuf_addc(t->out, '\n');
	vec_release(&tb.threads);
}
