/*
 * The findings of a directory, in `.heddle/findings.db` (SQLite): H1, H2, … stable across runs by
 * fingerprint. Several heddles may use it at once. A database that cannot be read, or is of a newer
 * heddle, is an error that names it; findings are never lost silently.
 *
 * Lifetime: heap, findings_close().
 */
#ifndef HEDDLE_FINDING_FINDINGS_H
#define HEDDLE_FINDING_FINDINGS_H

#include "finding/finding.h"

struct findings;
/* NULL after error_(). dir: where `.heddle` is, or is made if `create`. */
struct findings *findings_open(const char *dir, bool create);
void findings_close(struct findings *db);
/* Gives the finding its name: the old one if its fingerprint is known, else the next. Replaces what was
 * kept, unless that was seen (confirmed, observed) with the same program and this one only
 * predicted: then the old one stays as it is. `is_new` may be NULL. -1 after error_(). */
int findings_put(struct findings *db, struct finding *f, bool *is_new);
/* By name; NULL after error_() that says which there are. */
struct finding *findings_get(struct findings *db, const char *name);
/* All of them, by number. -1 after error_(). */
int findings_each(struct findings *db, void (*fn)(void *ctx, const struct finding *f), void *ctx);
/* `.heddle/NAME`, the folders that it names made ("inputs/x": `inputs`; "H1/": `H1`); for inputs and
 * witnesses; free it. NULL after error_(). */
char *findings_path(struct findings *db, const char *name);

#endif
