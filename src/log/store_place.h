/*
 * Where a trace is put: a directory that is made, or an empty one, or one beside an old trace that
 * it replaces when it is settled. A lock on the directory (flock) says that somebody is writing it.
 * Files that are not ours are never removed.
 */
#ifndef HEDDLE_LOG_STORE_PLACE_H
#define HEDDLE_LOG_STORE_PLACE_H

#include "base/base.h"

struct place {
	char *dir;   /* where the trace will be */
	char *fresh; /* where it is until it is settled; NULL: there already */
	int fd;      /* of the directory it is in, locked */
	bool made;   /* the directory is of our making */
};

/* -1 after error_(); nothing is left to release then. */
int place_take(struct place *p, const char *dir);
/* -1 after error_(): it stays where it is. */
int place_settle(struct place *p);
/* Removes what was put there. */
void place_abandon(struct place *p);
void place_release(struct place *p);

#endif
