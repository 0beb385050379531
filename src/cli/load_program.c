#include "cli/load_program.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "object/exe.h"
#include "cli/models.h"
#include "import/import.h"
#include "ir/text.h"
#include "ir/validate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum content { EXECUTABLE, BITCODE, TEXT, SCRIPT, OTHER };

static enum content content_of(const struct strbuf *b)
{
	static const struct {
		const char *magic;
		enum content content;
	} magics[] = {
		{"\177ELF", EXECUTABLE},
		{"BC\xc0\xde", BITCODE},
		{"\xde\xc0\x17\x0b", BITCODE},
		{"#!", SCRIPT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		size_t n = strlen(magics[i].magic);

		if (b->n >= n && !memcmp(b->s, magics[i].magic, n))
			return magics[i].content;
	}
	return b->n && !memchr(b->s, 0, b->n) ? TEXT : OTHER;
}

/* Reads the first bytes of a file that is not a directory; -1 after error_(). */
static int read_start(const char *path, struct strbuf *b)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char start[512];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return error_("cannot open '%s': %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return error_("'%s' is a directory, not a program", path);
	}
	n = read(fd, start, sizeof start);
	close(fd);
	if (n < 0)
		return error_("cannot read '%s': %s", path, strerror(errno));
	strbuf_add(b, start, (size_t)n);
	return 0;
}

static int import_executable(struct ir_program *p, const char *path)
{
	struct exe *x = exe_open(path);
	struct exe_section bc;
	int rc;

	if (!x)
		return -1;
	if (exe_section(x, EXE_BITCODE, &bc))
		rc = import_bitcode(p, path, bc.data, bc.n, 0);
	else
		rc = error_("'%s' carries no bitcode (build it with heddle-cc)", path);
	exe_close(x);
	return rc;
}

static struct ir_program *load_binary(const char *path, enum content content)
{
	struct ir_program *p = ir_program_new();
	struct strbuf b = {0};
	int rc;

	if (content == EXECUTABLE)
		rc = import_executable(p, path);
	else if (strbuf_read_file(&b, path))
		rc = error_("cannot read '%s': %s", path, strerror(errno));
	else
		rc = import_bitcode(p, path, b.s, b.n, 0);
	strbuf_release(&b);
	if (!rc)
		return p;
	ir_program_free(p);
	return NULL;
}

static struct ir_program *load_text(const char *path)
{
	struct ir_program *p = NULL;
	struct strbuf b = {0};

	if (strbuf_read_file(&b, path))
		error_("cannot read '%s': %s", path, strerror(errno));
	else
		p = ir_parse(path, b.s, b.n);
	strbuf_release(&b);
	return p;
}

static int import_models(struct ir_program *p)
{
	return import_bitcode(
		p, "models", heddle_models_bc, heddle_models_bc_size, IMPORT_MODEL | IMPORT_NEEDED);
}

struct ir_program *load_program(const char *path, unsigned flags)
{
	struct strbuf start = {0};
	struct ir_program *p = NULL;
	enum content content = OTHER;

	if (read_start(path, &start))
		return NULL;
	content = content_of(&start);
	strbuf_release(&start);
	switch (content) {
	case EXECUTABLE:
	case BITCODE: p = load_binary(path, content); break;
	case TEXT: p = load_text(path); break;
	case SCRIPT:
		error_("'%s' is a script, not a program (a libtool wrapper has it in '.libs')",
			path);
		break;
	case OTHER: error_("'%s' is not an executable, LLVM bitcode or textual IR", path); break;
	}
	if (!p)
		return NULL;
	if (((flags & LOAD_MODELS) && import_models(p)) || ir_validate(p)) {
		ir_program_free(p);
		return NULL;
	}
	return p;
}
