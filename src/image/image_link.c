#include "image/image_internal.h"

#include "base/arena.h"
#include "base/base.h"
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

#define RUNTIME_FILE "=runtime.o" /* no member of the container has such a name */

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

static int write_program(struct image *im)
{
	LLVMContextRef c = module_context_new();
	struct diag_pos pos = {.file = im->exe_path};
	struct strbuf bitcode = {0};
	struct exe_section bc;
	LLVMModuleRef m;
	char *wrong = NULL;
	int rc = -1;

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

	vec_push(w, "-x");
	vec_push(w, "ir");
	strbuf_addf(&path, "%s/program.bc", im->dir);
	vec_push(w, arena_strdup(a, path.s));
	vec_push(w, "-x");
	vec_push(w, "none");
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

static int link_program(struct image *im, const char *clang, const char *lld, const char *out)
{
	int messages = memory_file("messages"), status;
	struct strbuf text = {0};
	struct spawn s = SPAWN_INIT;
	struct words w = {0};
	const char *found;
	/* by its path: the directories of a recipe must not choose the linker */
	char *ld_path = xasprintf("--ld-path=%s", lld);

	vec_push(&w, clang);
	vec_push(&w, arena_strdup(&im->r.arena, ld_path));
	vec_push(&w, "-O2");
	vec_push(&w, "-w");
	add_words(im, &w);
	vec_push(&w, "-o");
	vec_push(&w, out);
	vec_push(&w, NULL);
	s.argv = w.at;
	s.out = s.err = messages;
	status = spawn_run(&s);
	if (status) {
		memory_read(messages, &text);
		found = strstr(text.s, "error: ");
		found = found ? found + 7 : "the compiler failed";
		error_at((struct diag_pos){.file = im->exe_path},
			"cannot build its image '%s': %.*s", im->kind, (int)strcspn(found, "\n"),
			found);
		strbuf_release(&text);
	}
	close(messages);
	vec_release(&w);
	free(ld_path);
	return status ? -1 : 0;
}

/* Written under another name beside `out` and then renamed: other processes see a complete image.
 */
int image_link(struct image *im, const char *out)
{
	char *clang = tool_clang(), *lld = clang ? tool_lld() : NULL;
	char *fresh = xasprintf("%s.%d.tmp", out, (int)getpid());
	int rc = -1;

	im->dir = lld ? temporary_directory("image") : NULL;
	if (im->dir && !write_program(im) && !write_container(im) && !write_runtime(im))
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
