/*
 * The payload sections that heddle-cc adds to an executable, object or archive member:
 *   .heddle.bc      bitcode at clean-up level (object: one unit; executable: the merged program)
 *   .heddle.recipe  executable: how to link it again; its native parts and why they are native
 *   .heddle.native  executable: the native objects that a new link needs
 *   .heddle.why     object without bitcode: the reason
 * In objects the sections have SHF_EXCLUDE, so that a plain linker drops them.
 * docs/formats.md describes the contents.
 */
#ifndef HEDDLE_OBJECT_EXE_H
#define HEDDLE_OBJECT_EXE_H

#include "base/strbuf.h"

#define EXE_BITCODE ".heddle.bc"
#define EXE_RECIPE  ".heddle.recipe"
#define EXE_NATIVE  ".heddle.native"
#define EXE_WHY     ".heddle.why"

/* The first 32 bits of LLVM bitcode, and of LLVM bitcode in a wrapper. */
#define EXE_PLAIN   0xdec04342u
#define EXE_WRAPPER 0x0b17c0deu

struct exe_section {
	const void *data;
	size_t n;
};

struct exe; /* heap; a read-only mapping of the file */

/* Opens an ELF64 x86-64 file built by heddle-cc. NULL after error_(), which names the file and the
 * reason: no such file, not ELF, truncated, not built by heddle-cc. */
struct exe *exe_open(const char *path);
/* x may be NULL */
void exe_close(struct exe *x);
/* False if there is no such section. */
bool exe_section(const struct exe *x, const char *name, struct exe_section *out);

/* NULL if the memory is a complete file built by heddle-cc, else the reason why it is not. */
const char *exe_check(const void *data, size_t n);
/* A section of an ELF file in memory, also of one that exe_check() refuses; false if there is none.
 */
bool exe_view(const void *data, size_t n, const char *name, struct exe_section *out);
/* Whether the memory is LLVM bitcode (an object for link-time optimization), with or without a
 * wrapper. */
bool exe_is_bitcode(const void *data, size_t n);

#endif
