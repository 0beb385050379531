/*
 * Any bytes as a file that heddle-cc may be given to read: an ELF file with its sections and
 * symbols, an archive, a recipe. Nothing is read outside the bytes, and every reader comes to an end.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "object/ar.h"
#include "object/elf.h"
#include "object/exe.h"
#include "object/recipe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static volatile uint8_t sink;

static void touch(const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i += 64)
		sink ^= b[i];
	if (n)
		sink ^= b[n - 1];
}

static void read_symbols(const struct elf *e, uint32_t type)
{
	struct elf_symbols syms;
	Elf64_Sym sym;

	elf_symbols(e, type, &syms);
	for (uint32_t i = 0; i < syms.n && i < 10000; i++)
		touch(elf_symbol(&syms, i, &sym), 1);
}

static void read_elf(const uint8_t *data, size_t n)
{
	struct elf_bytes bytes;
	const char *name;
	struct elf e;
	Elf64_Shdr h;

	if (elf_init(&e, data, n))
		return;
	elf_is_whole(&e);
	elf_is_program(&e);
	for (uint32_t i = 0; i < e.nsections && i < 10000; i++) {
		BUG_ON(!elf_section(&e, i, &h));
		name = elf_section_name(&e, &h);
		if (name)
			touch(name, strlen(name));
		if (elf_contents(&e, &h, &bytes))
			touch(bytes.data, bytes.n);
	}
	read_symbols(&e, SHT_SYMTAB);
	read_symbols(&e, SHT_DYNSYM);
}

static void read_payload(const uint8_t *data, size_t n)
{
	static const char *const names[] = {EXE_BITCODE, EXE_RECIPE, EXE_NATIVE, EXE_WHY};
	struct exe_section s;

	exe_check(data, n);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (exe_view(data, n, names[i], &s))
			touch(s.data, s.n);
}

static void read_archive(const uint8_t *data, size_t n)
{
	const char *wrong = NULL;
	struct ar_member m;
	struct ar a;

	if (!ar_init(&a, data, n))
		return;
	while (ar_next(&a, &m, &wrong)) {
		touch(m.name, strlen(m.name));
		if (m.data)
			touch(m.data, m.n);
		free(m.name);
	}
}

static void ignore(void *ctx, const char *message)
{
	(void)ctx, (void)message;
}

/* What is read is written again, and that is read as the same. */
static void read_recipe(const uint8_t *data, size_t n)
{
	struct strbuf once = {0}, twice = {0};
	struct recipe r;

	if (recipe_read(&r, "fuzz", data, n))
		return;
	recipe_write(&r, &once);
	recipe_release(&r);
	BUG_ON(recipe_read(&r, "fuzz", once.s, once.n));
	recipe_write(&r, &twice);
	recipe_release(&r);
	BUG_ON(once.n != twice.n || memcmp(once.s, twice.s, once.n));
	strbuf_release(&once);
	strbuf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	diag_set_sink(ignore, NULL);
	read_elf(data, n);
	read_payload(data, n);
	read_archive(data, n);
	read_recipe(data, n);
	diag_set_sink(NULL, NULL);
	return 0;
}
