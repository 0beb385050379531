#include "object/exe.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "object/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct exe {
	struct file_map map;
};

bool exe_is_bitcode(const void *data, size_t n)
{
	uint32_t head = 0;

	if (n >= sizeof head)
		memcpy(&head, data, sizeof head);
	return head == EXE_PLAIN || head == EXE_WRAPPER;
}

/*
 * An object for link-time optimization is LLVM bitcode, not ELF. It may be in a wrapper, which has
 * its size. Behind it, aligned to 8 bytes, attach.c puts an ELF file that has only our sections.
 */
static void skip_wrapped(const void **data, size_t *n)
{
	uint32_t head[5];
	uint64_t end;

	if (*n < sizeof head)
		return;
	memcpy(head, *data, sizeof head);
	end = ALIGN_UP((uint64_t)head[2] + head[3], 8);
	if (head[0] != EXE_WRAPPER || end >= *n)
		return;
	*data = (const uint8_t *)*data + end;
	*n -= end;
}

bool exe_view(const void *data, size_t n, const char *name, struct exe_section *out)
{
	struct elf_bytes bytes;
	struct elf e;
	Elf64_Shdr h;

	skip_wrapped(&data, &n);
	if (elf_init(&e, data, n) || !elf_find(&e, name, &h, NULL) || !elf_contents(&e, &h, &bytes))
		return false;
	*out = (struct exe_section){bytes.data, bytes.n};
	return true;
}

const char *exe_check(const void *data, size_t n)
{
	const char *wrong;
	struct elf e;
	Elf64_Shdr h;

	wrong = elf_init(&e, data, n);
	if (wrong)
		return wrong;
	if (!elf_is_whole(&e))
		return "truncated: a section lies beyond the end of the file";
	if (!elf_find(&e, EXE_BITCODE, &h, NULL))
		return "not built by heddle-cc: it has no section '" EXE_BITCODE "'";
	return NULL;
}

struct exe *exe_open(const char *path)
{
	struct diag_pos pos = {.file = path};
	struct exe *x = xcalloc(1, sizeof *x);
	const char *wrong;

	if (file_map(&x->map, path)) {
		error_at(pos, errno == EINVAL ? "not a regular file" : "cannot open: %s",
			strerror(errno));
		free(x);
		return NULL;
	}
	wrong = exe_check(x->map.data, x->map.n);
	if (wrong) {
		error_at(pos, "%s (build the program with heddle-cc)", wrong);
		exe_close(x);
		return NULL;
	}
	return x;
}

void exe_close(struct exe *x)
{
	if (!x)
		return;
	file_unmap(&x->map);
	free(x);
}

bool exe_section(const struct exe *x, const char *name, struct exe_section *out)
{
	return exe_view(x->map.data, x->map.n, name, out);
}
