/*
 * Files as the driver uses them: whole, read-only, mapped; and paths made absolute and plain.
 */
#ifndef HEDDLE_OBJECT_FILE_H
#define HEDDLE_OBJECT_FILE_H

#include "base/strbuf.h"

struct file_map {
	const uint8_t *data; /* never NULL after file_map() gave 0 */
	size_t n;
};

/* -1 and errno if it cannot be opened or is not a regular file (EINVAL). */
int file_map(struct file_map *f, const char *path);
void file_unmap(struct file_map *f);

bool file_is_regular(const char *path);
/* -1 and errno; what was written so far is removed again */
int file_write(const char *path, const void *data, size_t n, bool executable);
int file_write_fd(int fd, const void *data, size_t n);

/* The part after the last slash, inside path. */
const char *path_base(const char *path);
/* The directory without the slash: "." if there is none. Free it. */
char *path_dir(const char *path);
/* Absolute, without "." and ".." (lexically) and doubled slashes. Free it. */
char *path_absolute(const char *path);
/* Under one of the directories where the system keeps libraries: never part of a build tree. */
bool path_is_system(const char *path);

#endif
