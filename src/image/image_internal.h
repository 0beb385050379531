/* An image under construction: shared by the files of this room. */
#ifndef HEDDLE_IMAGE_IMAGE_INTERNAL_H
#define HEDDLE_IMAGE_IMAGE_INTERNAL_H

#include "bitcode/module.h"
#include "image/image.h"
#include "object/exe.h"
#include "object/recipe.h"

struct image {
	const char *exe_path;
	const char *kind; /* its name */
	/* The transform of the module: NULL if it succeeded, else the reason (free it). */
	char *(*transform)(struct image *im, LLVMModuleRef m);
	const char *const *exclude;
	bool window, points; /* instrument/instrument.h */
	const void *runtime; /* a relocatable object that is linked with the program; NULL = none */
	size_t nruntime;
	struct exe *x;
	struct recipe r;
	char *dir; /* temporary directory with the inputs of the link */
};

/* image.c: reads the executable and its recipe, which is checked. -1 after error_(). */
int image_open(
	struct image *im, const char *exe_path, enum image_kind kind, const char *const *exclude);
void image_close(struct image *im);
/* image_link.c: builds the image in a temporary directory and moves it to `out`. -1 after
 * error_(). */
int image_link(struct image *im, const char *out);

#endif
