/*
 * The directory of a new trace: one that is made, or an empty one, or one beside an old trace that
 * is replaced when the new one is settled. While a process writes the trace, it holds a lock on
 * the directory (flock). Only files with names of a trace are removed.
 */
#ifndef HEDDLE_LOG_STORE_PLACE_H
#define HEDDLE_LOG_STORE_PLACE_H

#include "base/base.h"

struct place {
	char *dir;   /* final path of the trace */
	char *fresh; /* its path until it is settled; NULL: dir */
	int fd;      /* its directory, locked */
	bool made;   /* place_take() made the directory */
};

/* Makes and locks the directory. -1 after error_(); *p is then released. */
int place_take(struct place *p, const char *dir);
/* Moves the new trace to dir, in place of the old one. -1 after error_(): it stays at `fresh`. */
int place_settle(struct place *p);
/* Removes the new trace. */
void place_abandon(struct place *p);
void place_release(struct place *p);

#endif
