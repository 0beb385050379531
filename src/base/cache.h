/*
 * The directory in which heddle keeps what it computed: ${XDG_CACHE_HOME:-~/.cache}/heddle. What
 * can write there chooses what heddle executes, so it is the user's own and closed to all others;
 * there is no place for it in a directory that users share.
 */
#ifndef HEDDLE_BASE_CACHE_H
#define HEDDLE_BASE_CACHE_H

#include "base/base.h"

/* Makes the directory if it is not there, and opens it. *path: its name (free it). -1 after *why,
 * which says what is wrong (free it). */
int cache_open(char **path, char **why);

#endif
