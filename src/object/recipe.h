/*
 * The recipe in an executable (section .heddle.recipe): how to link it again, which units are in
 * its bitcode, which are native and why. It consists of lines of fields (fields.h), which
 * docs/formats.md lists. cc/link_recipe.h writes it; images and `heddle info` read it. A reader
 * skips unknown lines, so that a later heddle can add some. Lifetime: the arena of struct recipe.
 */
#ifndef HEDDLE_OBJECT_RECIPE_H
#define HEDDLE_OBJECT_RECIPE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "object/exe.h"

#define RECIPE_VERSION 1

/* A word of the link command, in order. */
enum recipe_word_kind {
	RECIPE_WORD,  /* text */
	RECIPE_FILE,  /* text, followed without a space by the path of a file from the container */
	RECIPE_PARTS, /* the place of the program and the native objects */
};
struct recipe_word {
	enum recipe_word_kind kind;
	const char *text, *member;
};

struct recipe_unit {
	const char *name;        /* object, "archive(member)", or source */
	const char *why;         /* why it is native; NULL = it is in the bitcode */
	const char *source;      /* in the bitcode: the file it was compiled from */
	const char *member;      /* native: its name in the container; "" = not there, not needed */
	VEC(const char *) funcs; /* native: its functions */
};

struct recipe_archive {
	const char *path;
	VEC(const char *) used, unused;
};

struct recipe_extern {
	const char *name, *provider; /* provider "" = unknown */
};

struct recipe {
	struct arena arena;
	const char *llvm;     /* major version */
	const char *compiler; /* path */
	const char *cannot;   /* why it cannot be linked again; NULL = it can */
	VEC(struct recipe_word) words;
	VEC(struct recipe_unit) units;
	VEC(struct recipe_archive) archives;
	VEC(const char *) shared;
	VEC(struct recipe_extern) externs;
};

void recipe_init(struct recipe *r);
void recipe_release(struct recipe *r);
void recipe_write(const struct recipe *r, struct strbuf *out);
/* -1 after error_at(name): written by another version, or broken. */
int recipe_read(struct recipe *r, const char *name, const void *data, size_t n);
/* Reads the recipe of an executable; -1 after error_at(), also if it has none. */
int recipe_of(struct recipe *r, const char *name, const struct exe *x);

#endif
