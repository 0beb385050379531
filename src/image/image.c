#include "image/image_internal.h"

#include "base/diag.h"
#include "base/vec.h"
#include "bitcode/hidden_order.h"
#include "image/runtime_objects.h"
#include "instrument/instrument.h"
#include "object/link_words.h"

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

void image_close(struct image *im)
{
	recipe_release(&im->r);
	exe_close(im->x);
}

int image_open(
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
		image_close(im);
		return -1;
	}
	wrong = link_words_wrong(&im->r);
	if (wrong) {
		error_at((struct diag_pos){.file = exe_path},
			"its recipe has the word '%s', which is not allowed in the link of an "
			"image "
			"(build the program again)",
			wrong);
		image_close(im);
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

	if (image_open(&im, exe_path, kind, exclude))
		return -1;
	rc = image_link(&im, out);
	image_close(&im);
	return rc;
}
