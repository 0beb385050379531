#include "object/tools.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *find_in_path(const char *name)
{
	const char *path = getenv("PATH"), *end;
	struct strbuf b = {0};

	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		strbuf_clear(&b);
		strbuf_addf(&b, "%.*s/%s", (int)(end - path), path, name);
		if (!access(b.s, X_OK))
			return strbuf_detach(&b);
	}
	strbuf_release(&b);
	return NULL;
}

char *tool_clang(void)
{
	const char *want = getenv("HEDDLE_CC_CLANG");
	char *found = NULL;

	if (!want || !*want)
		want = HEDDLE_CLANG;
	if (!access(want, X_OK))
		return xstrdup(want);
	if (!strcmp(want, HEDDLE_CLANG))
		found = find_in_path(path_base(want));
	if (!found)
		error_("compiler '%s' not found (install the package clang-%d; 'heddle doctor' "
		       "checks the installation)",
			want, HEDDLE_LLVM_MAJOR);
	return found;
}

char *tool_lld(void)
{
	char *found = access(HEDDLE_LLD, X_OK) ? find_in_path(path_base(HEDDLE_LLD)) : xstrdup(HEDDLE_LLD);

	if (!found)
		error_("linker '" HEDDLE_LLD "' not found (install the package lld-%d; 'heddle doctor' "
		       "checks the installation)",
			HEDDLE_LLVM_MAJOR);
	return found;
}

char *tool_worker(void)
{
	const char *want = getenv("HEDDLE_CC_WORKER");
	char *self, *dir, *path;

	if (want && *want)
		return access(want, X_OK) ? NULL : xstrdup(want);
	self = path_self();
	if (!self)
		return NULL;
	dir = path_dir(self);
	path = xasprintf("%s/heddle", dir);
	free(dir);
	free(self);
	if (access(path, X_OK)) {
		free(path);
		return NULL;
	}
	return path;
}
