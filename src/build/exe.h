/*
 * What heddle-cc leaves in an executable, object or archive member: named payload sections.
 *   .heddle.bc      bitcode at clean-up level (object: one unit; executable: the merged program)
 *   .heddle.recipe  executable only: how to link it again, what was left native and why
 *   .heddle.native  executable only: the native objects that a relink needs
 * Sections are marked SHF_EXCLUDE in objects, so that a plain linker drops them.
 */
#ifndef HEDDLE_BUILD_EXE_H
#define HEDDLE_BUILD_EXE_H

#include "base/strbuf.h"

struct exe_section {
	const void *data;
	size_t n;
};

struct exe; /* heap; a read-only mapping of the file */

/* Opens an ELF64 x86-64 file built by heddle-cc; error_() names the file and what is wrong: no
 * such file, not ELF, truncated, not built by heddle-cc. NULL on failure. */
struct exe *exe_open(const char *path);
void exe_close(struct exe *x);
/* false if there is none */
bool exe_section(const struct exe *x, const char *name, struct exe_section *out);

#endif
