#include "image/image_enforce.h"

#include "base/strbuf.h"
#include "image/image.h"
#include "instrument/instrument.h"
#include "object/recipe.h"
#include "image/runtime_image.h"

#include <inttypes.h>

struct enforced {
	const char *exe_path;
	struct instrument opt;
};

static char *transform(LLVMModuleRef m, const struct recipe *r, void *ctx)
{
	struct enforced *e = ctx;

	e->opt.open = image_has_native(r);
	return instrument_module(m, e->exe_path, &e->opt);
}

char *image_enforce(const char *exe_path, const char *const *exclude, bool *open)
{
	struct enforced e = {
		.exe_path = exe_path, .opt = {.plan = {.exclude = exclude}, .points = true}};
	struct strbuf depends = {0};
	struct image_kind kind;
	char *path;

	if (open && image_find_open(exe_path, open))
		return NULL;
	for (const char *const *p = exclude; p && *p; p++)
		strbuf_addf(&depends, "without '%s' ", *p);
	strbuf_addf(&depends, "%016" PRIx64, image_own_hash());
	kind = (struct image_kind){.name = "enforce",
		.depends = depends.s,
		.transform = transform,
		.ctx = &e,
		.object = heddle_runtime_enforce,
		.nobject = heddle_runtime_enforce_size};
	path = image_cached(exe_path, &kind);
	strbuf_release(&depends);
	return path;
}
