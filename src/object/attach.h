/*
 * Adds payload sections to an ELF file in place. New contents, names and section table go to the
 * end of the file; the ELF header, which makes them visible, is written last. So whoever looks at
 * the file sees the old or the new one, every byte the compiler or linker wrote stays where it was,
 * and after a failure the old file is there as before.
 * An object of LLVM bitcode (-flto) has no sections; it gets a wrapper, and the sections behind it
 * in an ELF file of their own (exe.c).
 */
#ifndef HEDDLE_OBJECT_ATTACH_H
#define HEDDLE_OBJECT_ATTACH_H

#include "base/base.h"

struct attachment {
	const char *name;
	const void *data;
	size_t n;
};

/* A section that exists already under one of the names gets the new contents. `exclude` marks them
 * SHF_EXCLUDE: dropped by the next link. NULL, or what went wrong (free it). */
char *attach_sections(const char *path, const struct attachment *at, uint32_t n, bool exclude);

#endif
