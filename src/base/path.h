/* Paths as text, and the directories that they name. */
#ifndef HEDDLE_BASE_PATH_H
#define HEDDLE_BASE_PATH_H

#include "base/base.h"

/* The part after the last slash, inside path. */
const char *path_base(const char *path);
/* The directory without the slash at its end; "." if the path has no slash. Free it. */
char *path_dir(const char *path);
/* Absolute, without ".", ".." and doubled slashes; symbolic links are not resolved. Free it. */
char *path_absolute(const char *path);
/* Under one of the directories in which the system keeps libraries: not part of a build tree. */
bool path_is_system(const char *path);
/* A name of what a process has open, as /dev/stdout and /proc/self/fd/3; the path is absolute. */
bool path_names_descriptor(const char *path);
/* The executable of this process, from /proc/self/exe; NULL and errno on failure. Free it. */
char *path_self(void);

#endif
