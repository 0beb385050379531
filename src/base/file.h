/*
 * Whole files: mapped for reading, written at once; and directories that are made and removed with
 * everything in them.
 */
#ifndef HEDDLE_BASE_FILE_H
#define HEDDLE_BASE_FILE_H

#include "base/base.h"

struct file_map {
	const uint8_t *data; /* read-only; not NULL after one of the functions below returned 0 */
	size_t n;
};

/* -1 and errno if the file cannot be opened or is not a regular file (EINVAL). */
int file_map(struct file_map *f, const char *path);
/* The same for a path relative to a directory, and for an open file. */
int file_map_at(struct file_map *f, int dir, const char *path);
int file_map_fd(struct file_map *f, int fd);
void file_unmap(struct file_map *f);

struct strbuf;
/* Appends the whole of a file that others may have made: a regular one, because a pipe would block,
 * of at most 256 MiB. -1 after error_(). */
int file_read(struct strbuf *b, const char *path);
bool file_is_regular(const char *path);
/* -1 and errno on failure; file_write() then removes the incomplete file. */
int file_write(const char *path, const void *data, size_t n, bool executable);
int file_write_fd(int fd, const void *data, size_t n);

/* Zeroed memory of n bytes that can be shared with a program under test, as a descriptor with
 * close-on-exec. Its size is sealed: a program that truncates it cannot make heddle's mapping raise
 * SIGBUS. -1 and errno. */
int sealed_memory(const char *name, uint64_t n);

/* $TMPDIR, or "/tmp". */
const char *temporary_root(void);
/* "TMPDIR/heddle-NAME-XXXXXX" and the suffix, for mkstemps() or mkdtemp(). Free it. */
char *temporary_path(const char *name, const char *suffix);
/* A new directory of such a name (free it), or NULL after error_(). */
char *temporary_directory(const char *name);
/* Removes the directory and everything in it; does nothing if it does not exist. */
void remove_directory(const char *dir);
/* Makes the directory and those above it (mkdir -p). -1 and errno. */
int make_directories(const char *path);

#endif
