/*
 * The recipe of a program that was just linked, from its parts: units taken in, native objects (put
 * into the container) with their functions, archives and what was used of them, and who provides
 * the functions that the program calls and does not have.
 */
#ifndef HEDDLE_CC_COOK_H
#define HEDDLE_CC_COOK_H

#include "cc/again.h"
#include "cc/parts.h"
#include "cc/work.h"

void cook_recipe(const struct units *us, struct parts *ps, const struct work *w, struct pack *pack,
	struct strbuf *out);

#endif
