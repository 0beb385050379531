/*
 * A checked view of an ELF64 little-endian x86-64 file in memory: objects, executables, shared
 * libraries. Every offset is checked against the size of the file before it is used. Records are
 * copied out, because a member of an archive need not be aligned.
 * The view owns nothing and is valid as long as the memory is.
 */
#ifndef HEDDLE_OBJECT_ELF_H
#define HEDDLE_OBJECT_ELF_H

#include "base/base.h"

#include <elf.h>

struct elf {
	const uint8_t *data;
	size_t size;
	uint16_t type;      /* ET_REL, ET_EXEC, ET_DYN */
	uint32_t nsections; /* 0 = the file has no section table */
	uint32_t names;     /* index of the section with the names of sections */
	uint64_t shoff, phoff;
	uint16_t nsegments;
};

struct elf_bytes {
	const uint8_t *data;
	uint64_t n;
};

struct elf_symbols {
	struct elf_bytes records, names;
	uint32_t n;
};

/* NULL, or the reason why the memory is refused, for a message: "not an ELF file", … */
const char *elf_init(struct elf *e, const void *data, size_t n);
/* Whether every section and segment lies inside the file. */
bool elf_is_whole(const struct elf *e);
/* Whether the file can be started: ET_EXEC, or ET_DYN that is not a shared library. */
bool elf_is_program(const struct elf *e);

bool elf_section(const struct elf *e, uint32_t i, Elf64_Shdr *h);
/* NULL if the name lies outside its table. */
const char *elf_section_name(const struct elf *e, const Elf64_Shdr *h);
/* False if there is no section of that name; index may be NULL. */
bool elf_find(const struct elf *e, const char *name, Elf64_Shdr *h, uint32_t *index);
/* False if the section has no contents or they lie outside the file. */
bool elf_contents(const struct elf *e, const Elf64_Shdr *h, struct elf_bytes *out);

/* The symbols of the first section of that type (SHT_SYMTAB, SHT_DYNSYM); n is 0 if there is none.
 */
void elf_symbols(const struct elf *e, uint32_t type, struct elf_symbols *out);
/* The i-th symbol and its name; "" if the name is missing or outside its table. */
const char *elf_symbol(const struct elf_symbols *s, uint32_t i, Elf64_Sym *sym);

#endif
