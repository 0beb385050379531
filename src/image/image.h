/*
 * Images: executables built again from what travels in one that heddle-cc linked (merged bitcode,
 * recipe, native objects); the build tree is not needed. A kind of image is a transform of the
 * module before it is optimized and compiled, and what is linked with it: "plain" has neither.
 */
#ifndef HEDDLE_IMAGE_IMAGE_H
#define HEDDLE_IMAGE_IMAGE_H

#include "base/base.h"

#include <llvm-c/Types.h>

struct recipe;

struct image_kind {
	const char *name;
	const char *depends; /* what else the transform depends on, in words: with the name, how an
				image is found in the cache; NULL: nothing */
	/* Changes the module; NULL if it went well, else why not (allocated). May be NULL. */
	char *(*transform)(LLVMModuleRef m, const struct recipe *r, void *ctx);
	void *ctx;
	const void *object; /* a relocatable object that is linked with it; NULL */
	size_t nobject;
	const char *const *link; /* more words for the link, after the program; NULL at the end */
};

/* The kind of that name, NULL if there is none. */
const struct image_kind *image_find_kind(const char *name);

/* Builds the image; out is replaced when it is complete. -1 after error_(). */
int image_build(const char *exe_path, const char *kind, const char *out);
int image_build_kind(const char *exe_path, const struct image_kind *kind, const char *out);

/* The image from the cache, ${XDG_CACHE_HOME:-~/.cache}/heddle, where it is found by the contents
 * it was built from; it is built if it is not there. Its path (free it), or NULL after error_(). */
char *image_cached(const char *exe_path, const struct image_kind *kind);

/*
 * Images that record themselves (image_record.c): instrumented (instrument.h) and linked with the
 * runtime. whole: "record-window", whose log can be read from the middle, else "record". Without the
 * functions that the patterns match: exclude is NULL, or has NULL at its end.
 */
/* From the cache: its path (free it), or NULL after error_(). *open, if open is not NULL: as
 * plan_new() got it. */
char *image_record(const char *exe_path, const char *const *exclude, bool whole, bool *open);
/* Built anew into `out`; -1 after error_(). */
int image_record_build(
	const char *exe_path, const char *const *exclude, bool whole, const char *out);

#endif
