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

/* The image from the cache, ${XDG_CACHE_HOME:-~/.cache}/heddle, which is indexed by the contents
 * that the image is built from. It is built if it is not there. Its path (free it), or NULL after
 * error_(). */
char *image_cached(const char *exe_path, enum image_kind kind, const char *const *exclude);
/* Builds the image into `out`, which is replaced when the image is complete. -1 after error_(). */
int image_build(
	const char *exe_path, enum image_kind kind, const char *const *exclude, const char *out);

/* Whether native objects are linked with the program, as plan_new() needs to know: they may call
 * and change everything. -1 after error_(). */
int image_find_open(const char *exe_path, bool *open);
/* A hash of this binary: images and results of another build of heddle may differ. */
uint64_t image_own_hash(void);

#endif
