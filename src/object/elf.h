/*
 * A checked view of an ELF64 little-endian x86-64 file in memory: objects, executables, shared
 * libraries. Nothing in the file is believed: every offset is checked against the size before it is
 * used, and records are copied out, because a member of an archive need not be aligned.
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
	uint32_t nsections; /* 0 = stripped of its section table */
	uint32_t names;     /* section that holds the names of sections */
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

/* NULL if the view is good, else what is wrong, for a message: "not an ELF file", … */
const char *elf_init(struct elf *e, const void *data, size_t n);
/* every section and segment lies inside the file */
bool elf_is_whole(const struct elf *e);
/* ET_EXEC, or ET_DYN that is started and not only loaded */
bool elf_is_program(const struct elf *e);

bool elf_section(const struct elf *e, uint32_t i, Elf64_Shdr *h);
/* NULL if the name lies outside its table */
const char *elf_section_name(const struct elf *e, const Elf64_Shdr *h);
/* false if there is none of that name */
bool elf_find(const struct elf *e, const char *name, Elf64_Shdr *h, uint32_t *index);
/* false if the contents lie outside the file or there are none */
bool elf_contents(const struct elf *e, const Elf64_Shdr *h, struct elf_bytes *out);

/* The symbols of the first section of that type (SHT_SYMTAB, SHT_DYNSYM); n is 0 without one. */
void elf_symbols(const struct elf *e, uint32_t type, struct elf_symbols *out);
/* The i-th symbol and its name, "" if it has none or a bad one. */
const char *elf_symbol(const struct elf_symbols *s, uint32_t i, Elf64_Sym *sym);

#endif
