#include "object/attach.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "object/elf.h"
#include "object/exe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tail {
	struct strbuf bytes; /* appended to the file */
	struct strbuf names;
	VEC(Elf64_Shdr) sections;
	uint64_t base; /* offset of bytes in the file */
};

static uint64_t append_aligned(struct tail *t, const void *data, size_t n)
{
	uint64_t at = t->base + t->bytes.n;

	strbuf_add(&t->bytes, data, n);
	while ((t->base + t->bytes.n) % 8)
		strbuf_addc(&t->bytes, 0);
	return at;
}

static const char *copy_table(struct tail *t, const struct elf *e)
{
	struct elf_bytes names;
	Elf64_Shdr h;

	if (!elf_section(e, e->names, &h) || !elf_contents(e, &h, &names))
		return "it has no section names";
	strbuf_add(&t->names, names.data, names.n);
	for (uint32_t i = 0; i < e->nsections; i++) {
		elf_section(e, i, &h);
		vec_push(&t->sections, h);
	}
	return NULL;
}

static void put_section(
	struct tail *t, const struct elf *e, const struct attachment *at, bool exclude)
{
	uint64_t offset = append_aligned(t, at->data, at->n);
	Elf64_Shdr old, *h;
	uint32_t i;

	if (elf_find(e, at->name, &old, &i)) {
		h = &t->sections.at[i];
	} else {
		h = vec_add(&t->sections);
		h->sh_name = (Elf64_Word)t->names.n;
		strbuf_add(&t->names, at->name, strlen(at->name) + 1);
	}
	h->sh_type = SHT_PROGBITS;
	h->sh_flags = exclude ? SHF_EXCLUDE : 0;
	h->sh_offset = offset;
	h->sh_size = at->n;
	h->sh_addralign = 8;
}

/* Appends the names and then the section table; returns the offset of the table. */
static uint64_t append_tables(struct tail *t, const struct elf *e)
{
	Elf64_Shdr *names = &t->sections.at[e->names];

	names->sh_offset = append_aligned(t, t->names.s, t->names.n);
	names->sh_size = t->names.n;
	if (t->sections.n >= SHN_LORESERVE)
		t->sections.at[0].sh_size = t->sections.n;
	return append_aligned(t, t->sections.at, t->sections.n * sizeof(Elf64_Shdr));
}

static char *write_tail(int fd, const struct tail *t, const struct elf *e, uint64_t shoff)
{
	Elf64_Ehdr h;
	int err = 0;

	memcpy(&h, e->data, sizeof h);
	h.e_shoff = shoff;
	h.e_shnum = t->sections.n >= SHN_LORESERVE ? 0 : (Elf64_Half)t->sections.n;
	/* t->base is the size of the file rounded up to 8 bytes; the gap is zero */
	if (ftruncate(fd, (off_t)t->base) || lseek(fd, (off_t)t->base, SEEK_SET) < 0 ||
		file_write_fd(fd, t->bytes.s, t->bytes.n))
		err = errno;
	else if (pwrite(fd, &h, sizeof h, 0) != sizeof h)
		err = errno ? errno : EIO;
	if (!err)
		return NULL;
	if (ftruncate(fd, (off_t)e->size))
		return xasprintf("%s, and unused bytes stay at the end of the file", strerror(err));
	return xstrdup(strerror(err));
}

static void tail_release(struct tail *t)
{
	strbuf_release(&t->bytes);
	strbuf_release(&t->names);
	vec_release(&t->sections);
}

static char *attach_elf(const char *path, const struct file_map *map, const struct attachment *at,
	uint32_t n, bool exclude)
{
	struct tail t = {.base = ALIGN_UP((uint64_t)map->n, 8)};
	struct elf e;
	const char *wrong = elf_init(&e, map->data, map->n);
	char *failure;
	int fd;

	if (!wrong)
		wrong = copy_table(&t, &e);
	fd = wrong ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		for (uint32_t i = 0; i < n; i++)
			put_section(&t, &e, &at[i], exclude);
		failure = write_tail(fd, &t, &e, append_tables(&t, &e));
		close(fd);
	} else {
		failure = xstrdup(wrong ? wrong : strerror(errno));
	}
	tail_release(&t);
	return failure;
}

/* ---- LLVM bitcode ------------------------------------------------------------------------ */

/* Appends an ELF object that has only these sections. */
static void make_elf(struct strbuf *out, const struct attachment *at, uint32_t n, bool exclude)
{
	static const char names[] = "\0.shstrtab";
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_ehsize = sizeof h,
		.e_shstrndx = 1};
	struct tail t = {.base = sizeof h};
	struct elf none = {.names = 1};

	strbuf_add(&t.names, names, sizeof names);
	vec_push(&t.sections, (Elf64_Shdr){0});
	vec_push(&t.sections, (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1});
	for (uint32_t i = 0; i < n; i++)
		put_section(&t, &none, &at[i], exclude);
	h.e_shoff = append_tables(&t, &none);
	h.e_shnum = (Elf64_Half)t.sections.n;
	strbuf_add(out, &h, sizeof h);
	strbuf_add(out, t.bytes.s, t.bytes.n);
	tail_release(&t);
}

static char *attach_bitcode(const char *path, const struct file_map *map,
	const struct attachment *at, uint32_t n, bool exclude)
{
	const uint32_t head[5] = {EXE_WRAPPER, 0, sizeof head, (uint32_t)map->n, 0};
	struct strbuf b = {0};
	char *fresh = xasprintf("%s.%d.tmp", path, (int)getpid()), *failure = NULL;

	strbuf_add(&b, head, sizeof head);
	strbuf_add(&b, map->data, map->n);
	while (b.n % 8)
		strbuf_addc(&b, 0);
	make_elf(&b, at, n, exclude);
	if (file_write(fresh, b.s, b.n, false)) {
		failure = xstrdup(strerror(errno));
	} else if (rename(fresh, path)) {
		failure = xstrdup(strerror(errno));
		unlink(fresh);
	}
	free(fresh);
	strbuf_release(&b);
	return failure;
}

char *attach_sections(const char *path, const struct attachment *at, uint32_t n, bool exclude)
{
	struct file_map map;
	char *failure;

	if (file_map(&map, path))
		return xstrdup(errno == EINVAL ? "not a regular file" : strerror(errno));
	if (exe_is_bitcode(map.data, map.n) && map.data[0] == 'B')
		failure = attach_bitcode(path, &map, at, n, exclude);
	else
		failure = attach_elf(path, &map, at, n, exclude);
	file_unmap(&map);
	return failure;
}
