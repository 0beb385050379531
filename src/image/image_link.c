#include "image/image_internal.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/child.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "bitcode/module.h"
#include "import/watch.h"
#include "object/ar.h"
#include "object/link_words.h"
#include "object/spawn.h"
#include "object/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* no member of the container has such a name */
#define RUNTIME_FILE   "=runtime.o"
#define PROGRAM_OBJECT "=program.o"

/* ---- the files of the link --------------------------------------------------------------- */

static int write_file(struct image *im, const char *name, const void *data, size_t n)
{
	char *path = xasprintf("%s/%s", im->dir, name);
	int rc = file_write(path, data, n, false);

	if (rc)
		error_("cannot write '%s': %s", path, strerror(errno));
	free(path);
	return rc;
}

/* Reads, transforms and writes the module. LLVM is not trusted with the bitcode, so this runs in a
 * child process. */
static int transform_program(void *ctx, int fd)
{
	struct image *im = ctx;
	LLVMContextRef c = module_context_new();
	struct diag_pos pos = {.file = im->exe_path};
	struct strbuf bitcode = {0};
	struct exe_section bc;
	LLVMModuleRef m;
	char *wrong = NULL;
	int rc = -1;

	(void)fd;
	BUG_ON(!exe_section(im->x, EXE_BITCODE, &bc));
	m = module_read(c, im->exe_path, bc.data, bc.n, &wrong);
	if (!m) {
		error_at(pos, "%s (build the program again)", wrong);
	} else {
		import_define_inline_bodies(m);
		if (im->transform)
			wrong = im->transform(im, m);
		if (wrong) {
			error_at(pos, "cannot build its image '%s': %s", im->kind, wrong);
		} else {
			module_write(m, &bitcode);
			rc = write_file(im, "program.bc", bitcode.s, bitcode.n);
		}
		module_free(m);
	}
	strbuf_release(&bitcode);
	free(wrong);
	module_context_free(c);
	return rc;
}

static int write_program(struct image *im)
{
	struct exe_section bc;
	struct child_call call = {.work = transform_program, .ctx = im};
	struct strbuf text = {0}, death = {0};
	int rc;

	BUG_ON(!exe_section(im->x, EXE_BITCODE, &bc));
	/* about 100 times the normal time and 10 times the normal memory */
	call.seconds = 60 + (unsigned)MIN(bc.n >> 14, (size_t)3600);
	call.memory = (2ull << 30) + 1000 * (uint64_t)bc.n;
	rc = child_run(&call, &text, &death);
	if (death.n)
		error_at((struct diag_pos){.file = im->exe_path},
			"damaged so that LLVM cannot transform its bitcode: %s (build the program "
			"again)",
			death.s);
	strbuf_release(&text);
	strbuf_release(&death);
	return rc;
}

static int write_container(struct image *im)
{
	struct diag_pos pos = {.file = im->exe_path};
	const char *wrong = NULL;
	struct exe_section s;
	struct ar_member m;
	struct ar ar;
	int rc = 0;

	if (!exe_section(im->x, EXE_NATIVE, &s))
		return 0;
	if (!ar_init(&ar, s.data, s.n))
		return error_at(
			pos, "section '" EXE_NATIVE "' is broken (build the program again)");
	while (!rc && ar_next(&ar, &m, &wrong)) {
		if (!member_is_own(m.name) || !m.data)
			wrong = "a member that heddle-cc does not write";
		else
			rc = write_file(im, m.name, m.data, m.n);
		free(m.name);
		if (wrong)
			break;
	}
	if (wrong)
		return error_at(pos,
			"section '" EXE_NATIVE "' is broken: %s (build the program again)", wrong);
	return rc;
}

static int write_runtime(struct image *im)
{
	return im->runtime ? write_file(im, RUNTIME_FILE, im->runtime, im->nruntime) : 0;
}

/* ---- the link ---------------------------------------------------------------------------- */

static void add_parts(struct image *im, struct words *w)
{
	struct arena *a = &im->r.arena;
	struct strbuf path = {0};

	strbuf_addf(&path, "%s/" PROGRAM_OBJECT, im->dir);
	vec_push(w, arena_strdup(a, path.s));
	vec_each (&im->r.units, i) {
		const struct recipe_unit *u = &im->r.units.at[i];

		if (!u->why || !*u->member)
			continue;
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", im->dir, u->member);
		vec_push(w, arena_strdup(a, path.s));
	}
	if (im->runtime) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/" RUNTIME_FILE, im->dir);
		vec_push(w, arena_strdup(a, path.s));
	}
	strbuf_release(&path);
}

static void add_words(struct image *im, struct words *w)
{
	vec_each (&im->r.words, i) {
		const struct recipe_word *x = &im->r.words.at[i];
		char *path;

		switch (x->kind) {
		case RECIPE_WORD: vec_push(w, x->text); break;
		case RECIPE_PARTS: add_parts(im, w); break;
		case RECIPE_FILE:
			path = xasprintf("%s%s/%s", x->text, im->dir, x->member);
			vec_push(w, arena_strdup(&im->r.arena, path));
			free(path);
			break;
		}
	}
}

/* Runs the compiler. Its messages go to `text`, which is printed if it fails. */
static int run_compiler(struct image *im, struct words *w, struct strbuf *text)
{
	int messages = memory_file("messages"), status;
	struct spawn s = SPAWN_INIT;
	const char *found;

	vec_push(w, NULL);
	s.argv = w->at;
	s.out = s.err = messages;
	status = spawn_run(&s);
	memory_read(messages, text);
	close(messages);
	if (!status)
		return 0;
	found = text->n ? strstr(text->s, "error: ") : NULL;
	found = found ? found + 7 : "the compiler failed";
	return error_at((struct diag_pos){.file = im->exe_path},
		"cannot build its image '%s': %.*s", im->kind, (int)strcspn(found, "\n"), found);
}

/* Compiles the transformed module. Of the recipe's words only those for code are given: some of the
 * others make the compiler write more files. */
static int compile_program(struct image *im, const char *clang)
{
	char *from = xasprintf("%s/program.bc", im->dir),
	     *to = xasprintf("%s/" PROGRAM_OBJECT, im->dir);
	const char *const rest[] = {"-c", "-x", "ir", from, "-o", to};
	struct strbuf text = {0};
	struct words w = {0};
	int rc;

	vec_push(&w, clang);
	vec_push(&w, "-O2");
	vec_push(&w, "-w");
	vec_each (&im->r.words, i)
		if (im->r.words.at[i].kind == RECIPE_WORD &&
			link_word_is_code(im->r.words.at[i].text))
			vec_push(&w, im->r.words.at[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		vec_push(&w, rest[i]);
	rc = run_compiler(im, &w, &text);
	strbuf_release(&text);
	vec_release(&w);
	free(from);
	free(to);
	return rc;
}

/* Whether each command in the output of `clang -###` executes the linker. A command is a line that
 * begins with a space and words in double quotes. */
static bool runs_only(const struct strbuf *commands, const char *lld)
{
	size_t n = strlen(lld);
	bool any = false;

	for (const char *at = commands->s, *end; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (strncmp(at, " \"", 2))
			continue;
		if (strncmp(at + 2, lld, n) || at[2 + n] != '"')
			return false;
		any = true;
	}
	return any;
}

static void add_link(
	struct image *im, struct words *w, const char *clang, const char *ld_path, const char *out)
{
	vec_push(w, clang);
	vec_push(w, ld_path);
	vec_push(w, "-O2");
	vec_push(w, "-w");
	add_words(im, w);
	vec_push(w, "-o");
	vec_push(w, out);
}

/* The compiler chooses programs by target, by names of files, and in directories that the recipe
 * names. So it is asked first what it would execute. */
static int check_programs(struct image *im, struct words *link, const char *lld)
{
	struct strbuf commands = {0};
	struct words w = {0};
	int rc;

	vec_each (link, i)
		vec_push(&w, link->at[i]);
	vec_push(&w, "-###");
	rc = run_compiler(im, &w, &commands);
	if (!rc && !runs_only(&commands, lld))
		rc = error_at((struct diag_pos){.file = im->exe_path},
			"its recipe makes the compiler run other programs than the linker, which "
			"is not allowed in "
			"the link of an image (build the program again)");
	strbuf_release(&commands);
	vec_release(&w);
	return rc;
}

static int link_program(struct image *im, const char *clang, const char *lld, const char *out)
{
	/* by its path: the directories of a recipe must not choose the linker */
	char *ld_path = xasprintf("--ld-path=%s", lld);
	struct strbuf text = {0};
	struct words w = {0};
	int rc;

	add_link(im, &w, clang, ld_path, out);
	rc = check_programs(im, &w, lld);
	if (!rc)
		rc = run_compiler(im, &w, &text);
	strbuf_release(&text);
	vec_release(&w);
	free(ld_path);
	return rc;
}

/* Written under another name beside `out` and then renamed: other processes see a complete image.
 */
int image_link(struct image *im, const char *out)
{
	char *clang = tool_clang(), *lld = clang ? tool_lld() : NULL;
	char *fresh = xasprintf("%s.%d.tmp", out, (int)getpid());
	int rc = -1;

	im->dir = lld ? temporary_directory("image") : NULL;
	if (im->dir && !write_program(im) && !compile_program(im, clang) && !write_container(im) &&
		!write_runtime(im))
		rc = link_program(im, clang, lld, fresh);
	if (!rc && rename(fresh, out)) {
		rc = error_("cannot write '%s': %s", out, strerror(errno));
		unlink(fresh);
	}
	if (im->dir)
		remove_directory(im->dir);
	free(im->dir);
	free(fresh);
	free(lld);
	free(clang);
	return rc;
}
