/*
 * What heddle-cc leaves in an executable, object or archive member: named payload sections.
 *   .heddle.bc      bitcode at clean-up level (object: one unit; executable: the merged program)
 *   .heddle.recipe  executable only: how to link it again, what was left native and why
 *   .heddle.native  executable only: the native objects that a relink needs
 *   .heddle.why     object without bitcode: why there is none
 * Sections are marked SHF_EXCLUDE in objects, so that a plain linker drops them.
 * docs/formats.md describes what is inside.
 */
#ifndef HEDDLE_OBJECT_EXE_H
#define HEDDLE_OBJECT_EXE_H

#include "base/strbuf.h"

#define EXE_BITCODE ".heddle.bc"
#define EXE_RECIPE  ".heddle.recipe"
#define EXE_NATIVE  ".heddle.native"
#define EXE_WHY     ".heddle.why"

/* The first word of LLVM bitcode, and of LLVM bitcode in a wrapper. */
#define EXE_PLAIN   0xdec04342u
#define EXE_WRAPPER 0x0b17c0deu

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

/* The same on memory: NULL if it is a whole file built by heddle-cc, else what is wrong with it. */
const char *exe_check(const void *data, size_t n);
/* A section of an ELF file in memory, also one that exe_check() refuses; false if there is none. */
bool exe_view(const void *data, size_t n, const char *name, struct exe_section *out);
/* LLVM bitcode, as objects for link-time optimization are, in a wrapper or not. */
bool exe_is_bitcode(const void *data, size_t n);

#endif
