/*
 * The recipe of a program that was just linked, made from its parts: units with bitcode, native
 * objects (which go into the container) with their functions, archives with their used members, and
 * for each external function the library or object that provides it.
 */
#ifndef HEDDLE_CC_LINK_RECIPE_H
#define HEDDLE_CC_LINK_RECIPE_H

#include "base/strbuf.h"
#include "cc/relink.h"
#include "cc/link_parts.h"
#include "cc/worker_client.h"

void link_recipe_write(const struct units *us, struct parts *ps, const struct worker *w,
	struct container *files, struct strbuf *out);

#endif
