/*
 * The start-up hook (runtime/plain/start_plain.c): an additional object in the link, with sections
 * of its own, that lets the program record itself when HEDDLE_OPTIONS asks for it. A program
 * without the start-up code of the C library, for another machine, or with a linker script gets no
 * hook.
 */
#ifndef HEDDLE_CC_START_HOOK_H
#define HEDDLE_CC_START_HOOK_H

#include "base/strbuf.h"
#include "cc/args.h"

/* Writes the object to a temporary file and returns its path (start_hook_remove() frees it); NULL
 * if this link gets none. */
char *start_hook_make(const struct cc_args *a);
void start_hook_remove(char *path);
/* Removes the object from the list of files that the linker printed. */
void start_hook_hide(const char *path, struct strbuf *list);

#endif
