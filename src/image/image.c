#include "image/image.h"

#include "base/diag.h"
#include "base/map.h"
#include "object/ar.h"
#include "cc/args.h"
#include "object/exe.h"
#include "object/file.h"
#include "cc/merge.h"
#include "object/recipe.h"
#include "object/spawn.h"
#include "object/tools.h"
#include "config.h"
#include "import/watch.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OBJECT_FILE "=kind.o" /* no member of the container has such a name */

static const struct image_kind kinds[] = {
	{.name = "plain"},
};

const struct image_kind *image_find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

struct image {
	const char *exe_path;
	const struct image_kind *kind;
	struct exe *x;
	struct recipe r;
	char *dir; /* temporary, all of it is removed */
};

/* ---- the temporary directory ------------------------------------------------------------- */

static int make_dir(struct image *im)
{
	const char *tmp = getenv("TMPDIR");

	im->dir = xasprintf("%s/heddle-image-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(im->dir))
		return 0;
	error_("cannot make a directory '%s': %s", im->dir, strerror(errno));
	free(im->dir);
	im->dir = NULL;
	return -1;
}

static void remove_dir(struct image *im)
{
	DIR *d = im->dir ? opendir(im->dir) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d) {
		closedir(d);
		rmdir(im->dir);
	}
	free(im->dir);
}

static int put_file(struct image *im, const char *name, const void *data, size_t n)
{
	char *path = xasprintf("%s/%s", im->dir, name);
	int rc = file_write(path, data, n, false);

	if (rc)
		error_("cannot write '%s': %s", path, strerror(errno));
	free(path);
	return rc;
}

/* ---- what goes into it ------------------------------------------------------------------- */

/* What the native compiler inlined everywhere need not be defined anywhere. */
static void define_inline_bodies(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (import_has_inline_body(f))
			LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static int put_program(struct image *im)
{
	LLVMContextRef c = merge_context_new();
	struct merge_unit u = {.name = im->exe_path};
	struct diag_pos pos = {.file = im->exe_path};
	struct exe_section bc;
	LLVMMemoryBufferRef mb;
	LLVMModuleRef m;
	char *wrong = NULL;
	int rc = -1;

	BUG_ON(!exe_section(im->x, EXE_BITCODE, &bc));
	u.data = bc.data;
	u.n = bc.n;
	m = merge_load(c, &u, CLEAN_NONE);
	if (m)
		define_inline_bodies(m);
	if (m && im->kind->transform)
		wrong = im->kind->transform(m, &im->r, im->kind->ctx);
	if (!m) {
		error_at(pos, "%s (build the program again)", u.left);
	} else if (wrong) {
		error_at(pos, "no image of kind '%s': %s", im->kind->name, wrong);
	} else {
		mb = LLVMWriteBitcodeToMemoryBuffer(m);
		rc = put_file(im, "program.bc", LLVMGetBufferStart(mb), LLVMGetBufferSize(mb));
		LLVMDisposeMemoryBuffer(mb);
	}
	free(wrong);
	free(u.left);
	free(u.source);
	if (m)
		LLVMDisposeModule(m);
	merge_context_free(c);
	return rc;
}

static int put_container(struct image *im)
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
		if (strchr(m.name, '/') || !m.data)
			wrong = "a strange member";
		else
			rc = put_file(im, m.name, m.data, m.n);
		free(m.name);
		if (wrong)
			break;
	}
	if (wrong)
		return error_at(pos,
			"section '" EXE_NATIVE "' is broken: %s (build the program again)", wrong);
	return rc;
}

static int put_object(struct image *im)
{
	const struct image_kind *k = im->kind;

	return k->object ? put_file(im, OBJECT_FILE, k->object, k->nobject) : 0;
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
	if (im->kind->object) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/" OBJECT_FILE, im->dir);
		vec_push(w, arena_strdup(a, path.s));
	}
	for (const char *const *p = im->kind->link; p && *p; p++)
		vec_push(w, *p);
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

static int compile(struct image *im, const char *clang, const char *out)
{
	int messages = memory_file("messages"), status;
	struct strbuf text = {0};
	struct spawn s = SPAWN_INIT;
	struct words w = {0};
	const char *found;

	vec_push(&w, clang);
	vec_push(&w, "-fuse-ld=lld");
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
			"cannot build its image '%s': %.*s", im->kind->name,
			(int)strcspn(found, "\n"), found);
		strbuf_release(&text);
	}
	close(messages);
	vec_release(&w);
	return status ? -1 : 0;
}

/* Into a name of its own beside `out`, then renamed: nobody sees a half-written image. */
static int build(struct image *im, const char *out)
{
	char *clang = tool_clang(), *fresh = xasprintf("%s.%d.tmp", out, (int)getpid());
	int rc = -1;

	if (clang && !make_dir(im) && !put_program(im) && !put_container(im) && !put_object(im))
		rc = compile(im, clang, fresh);
	if (!rc && rename(fresh, out)) {
		rc = error_("cannot write '%s': %s", out, strerror(errno));
		unlink(fresh);
	}
	remove_dir(im);
	free(fresh);
	free(clang);
	return rc;
}

/* ---- entry points ------------------------------------------------------------------------ */

static int open_image(struct image *im, const char *exe_path, const struct image_kind *kind)
{
	*im = (struct image){.exe_path = exe_path, .kind = kind, .x = exe_open(exe_path)};
	if (!im->x)
		return -1;
	if (recipe_of(&im->r, exe_path, im->x)) {
		exe_close(im->x);
		return -1;
	}
	if (im->r.cannot) {
		error_at((struct diag_pos){.file = exe_path}, "cannot be linked again: %s",
			im->r.cannot);
		recipe_release(&im->r);
		exe_close(im->x);
		return -1;
	}
	return 0;
}

static void close_image(struct image *im)
{
	recipe_release(&im->r);
	exe_close(im->x);
}

int image_build_kind(const char *exe_path, const struct image_kind *kind, const char *out)
{
	struct image im;
	int rc;

	if (open_image(&im, exe_path, kind))
		return -1;
	rc = build(&im, out);
	close_image(&im);
	return rc;
}

int image_build(const char *exe_path, const char *kind, const char *out)
{
	const struct image_kind *k = image_find_kind(kind);

	if (!k)
		return error_("there is no image of kind '%s'", kind);
	return image_build_kind(exe_path, k, out);
}

/* ---- the cache --------------------------------------------------------------------------- */

/* mkdir -p; false and errno */
static bool make_path(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(path, 0777) && errno != EEXIST) {
			*p = '/';
			return false;
		}
	}
	return !mkdir(path, 0777) || errno == EEXIST;
}

static char *cache_dir(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *dir;

	if (xdg && xdg[0] == '/')
		dir = xasprintf("%s/heddle", xdg);
	else if (home && *home)
		dir = xasprintf("%s/.cache/heddle", home);
	else
		dir = xasprintf("/tmp/heddle-cache-%u", (unsigned)getuid());
	if (make_path(dir))
		return dir;
	error_("cannot make the cache '%s': %s (set XDG_CACHE_HOME)", dir, strerror(errno));
	free(dir);
	return NULL;
}

static uint64_t hash_section(const struct image *im, const char *name)
{
	struct exe_section s;

	return exe_section(im->x, name, &s) ? hash_bytes(s.data, s.n) : 0;
}

static char *cache_path(const struct image *im, const char *dir)
{
	char *who = xasprintf("%s %s %s", im->kind->name, HEDDLE_VERSION "/" HEDDLE_LLVM_VERSION,
		im->kind->depends ? im->kind->depends : "");
	char *path = xasprintf("%s/%016" PRIx64 "%016" PRIx64 "%016" PRIx64, dir,
		hash_section(im, EXE_BITCODE),
		hash_u64(hash_section(im, EXE_RECIPE)) ^ hash_section(im, EXE_NATIVE),
		hash_bytes(who, strlen(who)));

	free(who);
	return path;
}

char *image_cached(const char *exe_path, const struct image_kind *kind)
{
	char *dir = cache_dir(), *path = NULL;
	struct image im;

	if (!dir || open_image(&im, exe_path, kind)) {
		free(dir);
		return NULL;
	}
	path = cache_path(&im, dir);
	if (access(path, X_OK)) {
		if (isatty(STDERR_FILENO)) /* it may take a minute, and whoever waits should know */
			note_("building the image '%s' of '%s'; it is kept", kind->name, exe_path);
		if (build(&im, path)) {
			free(path);
			path = NULL;
		}
	}
	close_image(&im);
	free(dir);
	return path;
}
