/*
 * The start-up hook (runtime/plain/start_plain.c), which lets a program that heddle-cc linked
 * record itself when HEDDLE_OPTIONS says so: one object more in the link, with sections of its own.
 * Not for programs without a start-up of the C library, nor for another machine, nor where a linker
 * script decides what goes where.
 */
#ifndef HEDDLE_CC_START_HOOK_H
#define HEDDLE_CC_START_HOOK_H

#include "base/strbuf.h"
#include "cc/args.h"

/* The object in a temporary file; free the name. NULL: this link gets none. */
char *start_hook_make(const struct cc_args *a);
void start_hook_remove(char *path);
/* Takes it out of the linker's list of files. */
void start_hook_hide(const char *path, struct strbuf *list);

#endif
