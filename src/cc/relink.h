/*
 * From the command that linked a program, the command that links it again, elsewhere and later: no
 * inputs and no side outputs, paths absolute, small files that it reads (scripts, version scripts)
 * taken along in the container. Objects and archives of the program stand in the recipe as parts;
 * libraries of the system keep their -l.
 */
#ifndef HEDDLE_CC_RELINK_H
#define HEDDLE_CC_RELINK_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "cc/args.h"
#include "object/recipe.h"

/* The container: an archive of `ar`, section .heddle.native. */
struct container {
	struct strbuf bytes;
	uint32_t n;
};

void container_init(struct container *p);
/* Its name in the container, "N" and the suffix; lives in the arena. */
const char *container_add(
	struct container *p, struct arena *arena, const char *suffix, const void *data, size_t n);

/* native: objects without bitcode are among the parts, so that options for their sake stay. */
void relink_words(const struct cc_args *a, bool native, struct container *pack, struct recipe *r);

/* The library of that name in a directory of the user's own -L, not of the system; NULL if there is
 * none. Free it. */
char *find_own_library(const struct cc_args *a, const char *name);
/* The symbols of the linker's --wrap, into an arena. */
void find_wrapped(const struct cc_args *a, struct arena *arena, struct words *out);
/* Calls fn for every option that is meant for the linker: words of -Wl, and -Xlinker. */
void each_linker_word(const struct cc_args *a, void (*fn)(void *ctx, const char *word), void *ctx);

#endif
