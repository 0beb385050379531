#include "base/map.h"
#include "base/strbuf.h"
#include "image/image.h"
#include "image/image_enforce.h"
#include "instrument/instrument.h"
#include "object/recipe.h"
#include "image/runtime_image.h"

#include <inttypes.h>
#include <stdlib.h>

struct recording_kind {
	struct image_kind kind;
	struct strbuf depends;
	const char *exe_path;
	struct instrument opt;
};

bool image_has_native(const struct recipe *r)
{
	vec_each (&r->units, i)
		if (r->units.at[i].why && *r->units.at[i].member)
			return true;
	return false;
}

static char *transform(LLVMModuleRef m, const struct recipe *r, void *ctx)
{
	struct recording_kind *k = ctx;

	k->opt.open = image_has_native(r);
	return instrument_module(m, k->exe_path, &k->opt);
}

uint64_t image_own_hash(void)
{
	struct strbuf self = {0};
	uint64_t h = strbuf_read_file(&self, "/proc/self/exe") ? 0 : hash_bytes(self.s, self.n);

	strbuf_release(&self);
	return h;
}

static void kind_init(
	struct recording_kind *k, const char *exe_path, const char *const *exclude, bool whole)
{
	*k = (struct recording_kind){.exe_path = exe_path};
	for (const char *const *e = exclude; e && *e; e++)
		strbuf_addf(&k->depends, "without '%s' ", *e);
	strbuf_addf(&k->depends, "%016" PRIx64, image_own_hash());
	k->opt.plan = (struct plan_options){.whole = whole, .exclude = exclude};
	k->kind = (struct image_kind){.name = whole ? "record-window" : "record",
		.depends = k->depends.s,
		.transform = transform,
		.ctx = k,
		.object = heddle_runtime_record,
		.nobject = heddle_runtime_record_size};
}

int image_find_open(const char *exe_path, bool *open)
{
	struct exe *x = exe_open(exe_path);
	struct recipe r;
	int rc = x ? recipe_of(&r, exe_path, x) : -1;

	if (!rc) {
		*open = image_has_native(&r);
		recipe_release(&r);
	}
	if (x)
		exe_close(x);
	return rc;
}

char *image_record(const char *exe_path, const char *const *exclude, bool whole, bool *open)
{
	struct recording_kind k;
	char *path;

	if (open && image_find_open(exe_path, open))
		return NULL;
	kind_init(&k, exe_path, exclude, whole);
	path = image_cached(exe_path, &k.kind);
	strbuf_release(&k.depends);
	return path;
}

int image_record_build(
	const char *exe_path, const char *const *exclude, bool whole, const char *out)
{
	struct recording_kind k;
	int rc;

	kind_init(&k, exe_path, exclude, whole);
	rc = image_build_kind(exe_path, &k.kind, out);
	strbuf_release(&k.depends);
	return rc;
}
