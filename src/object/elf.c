#include "object/elf.h"

#include <string.h>

/* Whether [off, off + n) lies inside the file. */
static bool lies_inside(const struct elf *e, uint64_t off, uint64_t n)
{
	return off <= e->size && n <= e->size - off;
}

static const char *read_counts(struct elf *e, const Elf64_Ehdr *h)
{
	Elf64_Shdr first;

	e->nsections = h->e_shnum;
	e->names = h->e_shstrndx;
	if (!h->e_shoff) {
		e->nsections = 0;
		return NULL;
	}
	if (h->e_shentsize != sizeof(Elf64_Shdr))
		return "section headers of an unknown size";
	if (!lies_inside(e, h->e_shoff, sizeof first))
		return "truncated: the section table lies beyond the end of the file";
	memcpy(&first, e->data + h->e_shoff, sizeof first);
	/* counts that are too large for the header are in section 0 */
	if (!h->e_shnum && first.sh_size <= UINT32_MAX)
		e->nsections = (uint32_t)first.sh_size;
	if (h->e_shstrndx == SHN_XINDEX)
		e->names = first.sh_link;
	if (!lies_inside(e, h->e_shoff, (uint64_t)e->nsections * sizeof(Elf64_Shdr)))
		return "truncated: the section table lies beyond the end of the file";
	return NULL;
}

const char *elf_init(struct elf *e, const void *data, size_t n)
{
	Elf64_Ehdr h;

	*e = (struct elf){.data = data, .size = n};
	if (n < SELFMAG || memcmp(data, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (n < sizeof h)
		return "truncated: shorter than an ELF header";
	memcpy(&h, data, sizeof h);
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
		h.e_machine != EM_X86_64)
		return "not for x86-64 Linux";
	e->type = h.e_type;
	e->shoff = h.e_shoff;
	e->phoff = h.e_phoff;
	e->nsegments = h.e_phnum;
	if (e->nsegments && h.e_phentsize != sizeof(Elf64_Phdr))
		return "program headers of an unknown size";
	if (!lies_inside(e, e->phoff, (uint64_t)e->nsegments * sizeof(Elf64_Phdr)))
		return "truncated: the program headers lie beyond the end of the file";
	return read_counts(e, &h);
}

static void read_segment(const struct elf *e, uint32_t i, Elf64_Phdr *p)
{
	memcpy(p, e->data + e->phoff + (uint64_t)i * sizeof *p, sizeof *p);
}

bool elf_is_whole(const struct elf *e)
{
	Elf64_Shdr h;
	Elf64_Phdr p;

	for (uint32_t i = 0; i < e->nsegments; i++) {
		read_segment(e, i, &p);
		if (!lies_inside(e, p.p_offset, p.p_filesz))
			return false;
	}
	for (uint32_t i = 1; i < e->nsections; i++)
		if (elf_section(e, i, &h) && h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL &&
			!lies_inside(e, h.sh_offset, h.sh_size))
			return false;
	return true;
}

static bool is_pie(const struct elf *e, const Elf64_Phdr *dynamic)
{
	Elf64_Dyn d;

	if (!lies_inside(e, dynamic->p_offset, dynamic->p_filesz))
		return false;
	for (uint64_t at = 0; at + sizeof d <= dynamic->p_filesz; at += sizeof d) {
		memcpy(&d, e->data + dynamic->p_offset + at, sizeof d);
		if (d.d_tag == DT_FLAGS_1)
			return d.d_un.d_val & DF_1_PIE;
	}
	return false;
}

bool elf_is_program(const struct elf *e)
{
	Elf64_Phdr p;

	if (e->type == ET_EXEC)
		return true;
	if (e->type != ET_DYN)
		return false;
	for (uint32_t i = 0; i < e->nsegments; i++) {
		read_segment(e, i, &p);
		if (p.p_type == PT_INTERP || (p.p_type == PT_DYNAMIC && is_pie(e, &p)))
			return true;
	}
	return false;
}

bool elf_section(const struct elf *e, uint32_t i, Elf64_Shdr *h)
{
	if (i >= e->nsections)
		return false;
	memcpy(h, e->data + e->shoff + (uint64_t)i * sizeof *h, sizeof *h);
	return true;
}

/* The NUL-terminated string at off, or NULL. */
static const char *string_at(const struct elf_bytes *table, uint64_t off)
{
	if (off >= table->n || !memchr(table->data + off, 0, table->n - off))
		return NULL;
	return (const char *)table->data + off;
}

const char *elf_section_name(const struct elf *e, const Elf64_Shdr *h)
{
	struct elf_bytes table;
	Elf64_Shdr names;

	if (!elf_section(e, e->names, &names) || !elf_contents(e, &names, &table))
		return NULL;
	return string_at(&table, h->sh_name);
}

bool elf_find(const struct elf *e, const char *name, Elf64_Shdr *h, uint32_t *index)
{
	const char *s;

	for (uint32_t i = 1; i < e->nsections; i++) {
		elf_section(e, i, h);
		s = elf_section_name(e, h);
		if (!s || strcmp(s, name))
			continue;
		if (index)
			*index = i;
		return true;
	}
	return false;
}

bool elf_contents(const struct elf *e, const Elf64_Shdr *h, struct elf_bytes *out)
{
	if (h->sh_type == SHT_NOBITS || h->sh_type == SHT_NULL ||
		!lies_inside(e, h->sh_offset, h->sh_size))
		return false;
	*out = (struct elf_bytes){e->data + h->sh_offset, h->sh_size};
	return true;
}

void elf_symbols(const struct elf *e, uint32_t type, struct elf_symbols *out)
{
	Elf64_Shdr h, names;

	*out = (struct elf_symbols){0};
	for (uint32_t i = 1; i < e->nsections; i++) {
		elf_section(e, i, &h);
		if (h.sh_type != type)
			continue;
		if (elf_section(e, h.sh_link, &names) && elf_contents(e, &names, &out->names) &&
			elf_contents(e, &h, &out->records) &&
			out->records.n / sizeof(Elf64_Sym) <= UINT32_MAX)
			out->n = (uint32_t)(out->records.n / sizeof(Elf64_Sym));
		return;
	}
}

const char *elf_symbol(const struct elf_symbols *s, uint32_t i, Elf64_Sym *sym)
{
	const char *name;

	memcpy(sym, s->records.data + (uint64_t)i * sizeof *sym, sizeof *sym);
	name = string_at(&s->names, sym->st_name);
	return name ? name : "";
}
