/*
 * Images: executables built from the contents of an executable that heddle-cc linked (merged
 * bitcode, recipe, native objects). The build tree is not needed.
 *
 *  - plain          the program as it is
 *  - record         instrumented (instrument/instrument.h) and linked with the recording runtime
 *  - record-window  the same; its log can be read from the middle
 *  - enforce        the same plan and log as "record", with a call before each scheduling point;
 *                   linked with the enforcing runtime: it runs under a schedule (log/schedule.h)
 */
#ifndef HEDDLE_IMAGE_IMAGE_H
#define HEDDLE_IMAGE_IMAGE_H

#include "base/base.h"

#define IMAGE_KINDS(X)                                                                             \
	X(PLAIN, "plain")                                                                          \
	X(RECORD, "record")                                                                        \
	X(RECORD_WINDOW, "record-window")                                                          \
	X(ENFORCE, "enforce")

enum image_kind {
#define X(id, name) IMAGE_##id,
	IMAGE_KINDS(X)
#undef X
};

/* In the functions below, `exclude` lists patterns of functions that are not instrumented: NULL, or
 * an array that ends with NULL. */

/* An image that can be executed: an open file, whose contents were verified. */
struct image_file {
	char *path; /* for debuggers and messages; NULL: none */
	int fd;
};

/* The image from the cache, ${XDG_CACHE_HOME:-~/.cache}/heddle, which is the user's own and closed
 * to others. It has the name of the SHA-256 of what it is built from. It is built if it is not
 * there, or if its own SHA-256 shows that it was changed. -1 after error_(). */
int image_cached(struct image_file *f, const char *exe_path, enum image_kind kind,
	const char *const *exclude);
void image_file_release(struct image_file *f); /* also of an empty one ({0}) */
/* Replaces the process by the image, with the environment `environ`. Executes the file that was
 * verified, whatever its path names now. Returns only on failure, with errno. */
void image_exec(const struct image_file *f, char *const *argv);
/* Builds the image into `out`, which is replaced when the image is complete. -1 after error_(). */
int image_build(
	const char *exe_path, enum image_kind kind, const char *const *exclude, const char *out);

/* Whether native objects are linked with the program, as plan_new() needs to know: they may call
 * and change everything. -1 after error_(). */
int image_find_open(const char *exe_path, bool *open);
/* A hash of this binary: images and results of another build of heddle may differ. */
uint64_t image_own_hash(void);

#endif
