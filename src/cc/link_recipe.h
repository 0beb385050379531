/*
 * The recipe of a program that was just linked, from its parts: units taken in, native objects (put
 * into the container) with their functions, archives and what was used of them, and who provides
 * the functions that the program calls and does not have.
 */
#ifndef HEDDLE_CC_LINK_RECIPE_H
#define HEDDLE_CC_LINK_RECIPE_H

#include "base/strbuf.h"
#include "cc/relink.h"
#include "cc/link_parts.h"
#include "cc/worker_client.h"

void link_recipe_write(const struct units *us, struct parts *ps, const struct worker *w, struct container *pack,
	struct strbuf *out);

#endif
