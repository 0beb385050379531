/*
 * Private to the text reports: the page that report_text() writes. docs/report.md describes the
 * result.
 */
#ifndef HEDDLE_FINDING_REPORT_TEXT_INTERNAL_H
#define HEDDLE_FINDING_REPORT_TEXT_INTERNAL_H

#include "base/strbuf.h"
#include "finding/finding.h"

#define TEXT_PAINTS(X)                                                                             \
	X(PLAIN, "")                                                                               \
	X(BOLD, "\033[1m")                                                                         \
	X(DIM, "\033[2m")                                                                          \
	X(RED, "\033[1;31m")                                                                       \
	X(YELLOW, "\033[1;33m")

enum text_paint {
#define X(id, escape) PAINT_##id,
	TEXT_PAINTS(X)
#undef X
		PAINT_N
};

struct text {
	const struct finding *f;
	struct strbuf *out;
	uint32_t width;
	bool color, full;
};

/* Breaks a line at spaces to the width of the page; `first` and `next` are the ASCII prefixes of
 * the first and the other lines. A word that is longer than a line stays whole. */
void text_wrap(
	struct text *t, enum text_paint paint, const char *first, const char *next, const char *s);
void text_paint(struct text *t, enum text_paint paint);

/* The number of bytes of s that fit into the columns, up to a space if there is one; *skip: number
 * of spaces after them. A word that is longer than the columns is cut only if `cut`. */
size_t text_break(const char *s, size_t n, uint32_t columns, bool cut, size_t *skip);

/* Appends the text, with no-break spaces inside of units such as "thread 2" and "recorded: 7". */
void text_glue(const char *s, struct strbuf *out);

/* The steps, one column for each thread (report_text_steps.c). */
void text_steps(struct text *t);

#endif
