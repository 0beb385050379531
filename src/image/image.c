#include "image/image_internal.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "bitcode/hidden_order.h"
#include "config.h"
#include "image/runtime_objects.h"
#include "instrument/instrument.h"
#include "object/link_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kinds ------------------------------------------------------------------------------- */

static bool has_native(const struct recipe *r)
{
	vec_each (&r->units, i)
		if (r->units.at[i].why && *r->units.at[i].member)
			return true;
	return false;
}

static char *instrument_program(struct image *im, LLVMModuleRef m)
{
	struct instrument opt = {.plan = {.whole = im->window, .exclude = im->exclude},
		.open = has_native(&im->r),
		.points = im->points};

	return instrument_module(m, im->exe_path, &opt);
}

static char *simplify_program(struct image *im, LLVMModuleRef m)
{
	(void)im;
	hidden_order_remove(m);
	return NULL;
}

static void set_kind(struct image *im, enum image_kind kind)
{
	static const char *const names[] = {
#define X(id, name) name,
		IMAGE_KINDS(X)
#undef X
	};

	im->kind = names[kind];
	im->transform = kind == IMAGE_PLAIN ? simplify_program : instrument_program;
	if (kind == IMAGE_PLAIN)
		return;
	im->window = kind == IMAGE_RECORD_WINDOW;
	im->points = kind == IMAGE_ENFORCE;
	im->runtime = im->points ? heddle_runtime_enforce : heddle_runtime_record;
	im->nruntime = im->points ? heddle_runtime_enforce_size : heddle_runtime_record_size;
}

/* ---- the executable ---------------------------------------------------------------------- */

static void close_image(struct image *im)
{
	recipe_release(&im->r);
	exe_close(im->x);
}

static int open_image(
	struct image *im, const char *exe_path, enum image_kind kind, const char *const *exclude)
{
	const char *wrong;

	*im = (struct image){.exe_path = exe_path, .exclude = exclude, .x = exe_open(exe_path)};
	if (!im->x)
		return -1;
	if (recipe_of(&im->r, exe_path, im->x)) {
		exe_close(im->x);
		return -1;
	}
	if (im->r.cannot) {
		error_at((struct diag_pos){.file = exe_path}, "cannot be linked again: %s",
			im->r.cannot);
		close_image(im);
		return -1;
	}
	wrong = link_words_wrong(&im->r);
	if (wrong) {
		error_at((struct diag_pos){.file = exe_path},
			"its recipe has the word '%s', which is not allowed in the link of an image "
			"(build the program again)",
			wrong);
		close_image(im);
		return -1;
	}
	set_kind(im, kind);
	return 0;
}

int image_find_open(const char *exe_path, bool *open)
{
	struct exe *x = exe_open(exe_path);
	struct recipe r;
	int rc = x ? recipe_of(&r, exe_path, x) : -1;

	if (!rc) {
		*open = has_native(&r);
		recipe_release(&r);
	}
	exe_close(x);
	return rc;
}

int image_build(
	const char *exe_path, enum image_kind kind, const char *const *exclude, const char *out)
{
	struct image im;
	int rc;

	if (open_image(&im, exe_path, kind, exclude))
		return -1;
	rc = image_link(&im, out);
	close_image(&im);
	return rc;
}

/* ---- the cache --------------------------------------------------------------------------- */

uint64_t image_own_hash(void)
{
	struct strbuf self = {0};
	uint64_t h = strbuf_read_file(&self, "/proc/self/exe") ? 0 : hash_bytes(self.s, self.n);

	strbuf_release(&self);
	return h;
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
	if (!make_directories(dir))
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

/* Instrumented images depend on this build of heddle and on the functions that are excluded. */
static void add_dependencies(const struct image *im, struct strbuf *b)
{
	strbuf_addf(b, "%s " HEDDLE_VERSION "/" HEDDLE_LLVM_VERSION, im->kind);
	if (!im->transform)
		return;
	for (const char *const *p = im->exclude; p && *p; p++)
		strbuf_addf(b, " without '%s'", *p);
	strbuf_addf(b, " %016" PRIx64, image_own_hash());
}

static char *cache_path(const struct image *im, const char *dir)
{
	struct strbuf depends = {0};
	char *path;

	add_dependencies(im, &depends);
	path = xasprintf("%s/%016" PRIx64 "%016" PRIx64 "%016" PRIx64, dir,
		hash_section(im, EXE_BITCODE),
		hash_u64(hash_section(im, EXE_RECIPE)) ^ hash_section(im, EXE_NATIVE),
		hash_bytes(depends.s, depends.n));
	strbuf_release(&depends);
	return path;
}

char *image_cached(const char *exe_path, enum image_kind kind, const char *const *exclude)
{
	char *dir = cache_dir(), *path = NULL;
	struct image im;

	if (!dir || open_image(&im, exe_path, kind, exclude)) {
		free(dir);
		return NULL;
	}
	path = cache_path(&im, dir);
	if (access(path, X_OK)) {
		if (isatty(STDERR_FILENO)) /* the build can take a minute */
			note_("building the '%s' image of '%s' (kept in the cache)", im.kind,
				exe_path);
		if (image_link(&im, path)) {
			free(path);
			path = NULL;
		}
	}
	close_image(&im);
	free(dir);
	return path;
}
