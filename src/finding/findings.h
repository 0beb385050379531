/*
 * The findings of a directory, in `.heddle/findings.db` (SQLite), under the names H1, H2, …. A
 * finding with a known fingerprint keeps its name. Several processes may use the database at once.
 * A database that cannot be read, or has another version, is an error that names the file.
 *
 * Lifetime: heap, findings_close().
 */
#ifndef HEDDLE_FINDING_FINDINGS_H
#define HEDDLE_FINDING_FINDINGS_H

#include "finding/finding.h"

struct findings;
/* Opens the database of `dir`/.heddle, which `create` creates if missing. NULL after error_(). */
struct findings *findings_open(const char *dir, bool create);
void findings_close(struct findings *db);
/* Stores f and sets its name: the old one if the fingerprint is known, else the next number. An old
 * finding of the same program is kept if its status is more certain (confirmed, then observed, then
 * all others); only its time is updated. `is_new` may be NULL. -1 after error_(). */
int findings_put(struct findings *db, struct finding *f, bool *is_new);
/* The finding of that name; NULL after error_() that lists the names. */
struct finding *findings_get(struct findings *db, const char *name);
/* Calls fn for each finding, by number. -1 after error_(); a finding that cannot be read does not
 * hide the others. */
int findings_each(struct findings *db, void (*fn)(void *ctx, const struct finding *f), void *ctx);
/* The path `.heddle/NAME`, for inputs and witnesses; free it. Creates the directories that the name
 * contains ("inputs/x": `inputs`; "H1/": `H1`). NULL after error_(). */
char *findings_path(struct findings *db, const char *name);

#endif
