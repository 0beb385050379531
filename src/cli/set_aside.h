/*
 * Findings that a command does not count: those that a suppression fits, and with --new those that
 * were there before. They are set aside when the analysis ends: the report names them, and the exit
 * status does not depend on them.
 *
 * Lifetime: zero-initialized; set_aside_release().
 */
#ifndef HEDDLE_CLI_SET_ASIDE_H
#define HEDDLE_CLI_SET_ASIDE_H

#include "base/map.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/findings.h"
#include "finding/json.h"
#include "finding/suppress.h"

struct set_aside_args {
	const char *file, *baseline; /* NULL: not given */
	bool only_new;
};

#define SET_ASIDE_OPTS(S, f)                                                                       \
	OPT_STRING(0, "suppressions", S, f.file, "FILE",                                           \
		"do not count findings that FILE lists, in ThreadSanitizer's\n"                    \
		"format; heddle.supp by default, if it exists"),                                   \
		OPT_FLAG(0, "new", S, f.only_new,                                                  \
			"count only findings that .heddle does not have yet"),                     \
		OPT_STRING(0, "baseline", S, f.baseline, "FILE",                                   \
			"count only findings that FILE does not have, which\n"                     \
			"'heddle report --format=json' wrote")

struct aside_finding {
	struct finding *f;  /* owned */
	const char *reason; /* of its suppression; NULL: none is known */
	bool known;         /* it was there before; else it is suppressed */
};

struct set_aside {
	struct suppressions s;
	struct map known; /* fingerprints of the findings that were there before */
	VEC(struct aside_finding) at;
};

/* Reads the files. dir: the directory with heddle.supp; NULL: the current one. -1 after error_(). */
int set_aside_open(struct set_aside *sa, const struct set_aside_args *a, const char *dir);
/* Reads the database, if --new asks for it: call it before findings are stored. -1 after error_(). */
int set_aside_read_known(struct set_aside *sa, const struct set_aside_args *a, struct findings *db);
/* The finding would be set aside. */
bool set_aside_has(struct set_aside *sa, const struct finding *f);
/* Takes the finding. Only if set_aside_has(). */
void set_aside_take(struct set_aside *sa, struct finding *f);
/* Appends lines: the findings that were set aside, and the suppressions that fit none. */
void set_aside_text(const struct set_aside *sa, struct strbuf *out);
/* Adds "suppressed", "known" and "unused_suppressions" to the open object. */
void set_aside_json(const struct set_aside *sa, struct json *j);
void set_aside_release(struct set_aside *sa);

#endif
