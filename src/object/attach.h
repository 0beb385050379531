/*
 * Adds payload sections to an ELF file in place. The new contents, the names and the section table
 * go to the end of the file; the ELF header, which makes them visible, is written last. So a reader
 * sees the old file or the new one, every byte that the compiler or linker wrote stays where it
 * was, and after a failure the file is as before. An object of LLVM bitcode (-flto) has no
 * sections. It gets a wrapper, with the sections behind it in an ELF file of their own (exe.c).
 */
#ifndef HEDDLE_OBJECT_ATTACH_H
#define HEDDLE_OBJECT_ATTACH_H

#include "base/base.h"

struct attachment {
	const char *name;
	const void *data;
	size_t n;
};

/* A section of the same name gets the new contents. `exclude` sets SHF_EXCLUDE: the next link drops
 * the sections. NULL, or the reason of the failure (free it). */
char *attach_sections(const char *path, const struct attachment *at, uint32_t n, bool exclude);

#endif
