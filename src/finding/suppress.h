/*
 * Suppressions: findings that a user has decided not to see. The format is that of ThreadSanitizer,
 * so that its files can be used as they are: a line "TYPE:PATTERN", with comments behind '#' at the
 * beginning of a line. The comment line directly above a suppression is its reason.
 *
 * TYPE is one of ThreadSanitizer's (race, race_top, deadlock, mutex; thread, signal and
 * called_from_lib fit no finding), or the word of a fault (log/faults.def), or "fingerprint", whose
 * pattern is the fingerprint of one finding.
 *
 * PATTERN is part of a name, unless '^' or '$' mark its beginning or end; '*' is any text. It fits a
 * finding if it fits the function or the file of a frame of a key event, of race_top: of its innermost
 * frame; the place where a thread of a key event is created; the data; or the executable.
 *
 * Lifetime: zero-initialized; suppressions_release().
 */
#ifndef HEDDLE_FINDING_SUPPRESS_H
#define HEDDLE_FINDING_SUPPRESS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding.h"

struct suppression {
	char *type, *pattern;
	char *why;     /* NULL: no comment */
	uint32_t line; /* in the file */
	uint32_t used; /* findings that it fitted */
};

struct suppressions {
	char *file; /* NULL: none was read */
	VEC(struct suppression) at;
};

/* Adds the suppressions of a file. -1 after error_() that names the line. */
int suppressions_read(struct suppressions *s, const char *path);
/* The first suppression that fits; NULL. Does not count a use. */
struct suppression *suppressions_find(struct suppressions *s, const struct finding *f);
void suppressions_release(struct suppressions *s);
/* Appends the lines that suppress the finding, with the reason. */
void suppression_write(const struct finding *f, const char *why, struct strbuf *out);
/* The pattern fits the text, by the rules above. */
bool suppression_fits(const char *pattern, const char *text);

#endif
