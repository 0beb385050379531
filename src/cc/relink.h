/*
 * Makes the command that links a program again, elsewhere and later, from the command that linked
 * it: without inputs and side outputs, with absolute paths. Small files that the linker reads
 * (scripts, version scripts) go into the container. Objects and archives of the program become the
 * parts of the recipe; libraries of the system keep their -l.
 */
#ifndef HEDDLE_CC_RELINK_H
#define HEDDLE_CC_RELINK_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "cc/args.h"
#include "object/recipe.h"

/* The container of files for a later link: an archive of `ar`, section .heddle.native. */
struct container {
	struct strbuf bytes;
	uint32_t n;
};

void container_init(struct container *p);
/* Adds a file and returns its name in the container, "N" and the suffix, in the arena. */
const char *container_add(
	struct container *p, struct arena *arena, const char *suffix, const void *data, size_t n);

/* Appends the words of the later link to the recipe. native: some parts are native objects, so the
 * options that they need (CC_SUPPORT) are kept. */
void relink_words(const struct cc_args *a, bool native, struct container *files, struct recipe *r);

/* The library of that name in a directory of a -L that is not a system directory; NULL if there is
 * none. Free it. */
char *find_own_library(const struct cc_args *a, const char *name);
/* Appends the symbols of the linker's --wrap; they live in the arena. */
void find_wrapped(const struct cc_args *a, struct arena *arena, struct words *out);
/* Calls fn for each word that goes to the linker: from -Wl, and from -Xlinker. */
void each_linker_word(const struct cc_args *a, void (*fn)(void *ctx, const char *word), void *ctx);

#endif
