#include "report/uri.h"

#include "base/base.h"
#include "base/file.h"
#include "base/path.h"

#include <string.h>

static void add_encoded(struct strbuf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			strchr("/-._~", c))
			strbuf_addc(out, (char)c);
		else
			strbuf_addf(out, "%%%02X", c);
	}
}

static char *join_path(const char *dir, const char *file)
{
	char *path = xasprintf("%s/%s", dir, file), *clean = path_absolute(path);

	free(path);
	return clean;
}

/* The absolute path of the file, or NULL if it is not found. */
static char *find_source(const char *base, const struct finding *f, const char *file)
{
	char *exe = f->exe ? path_dir(f->exe) : NULL, *path = NULL;
	const char *dirs[] = {base, f->cwd, exe};

	for (uint32_t i = 0; !path && i < ARRAY_SIZE(dirs); i++) {
		path = dirs[i] ? join_path(dirs[i], file) : NULL;
		if (path && !file_is_regular(path)) {
			free(path);
			path = NULL;
		}
	}
	free(exe);
	return path;
}

bool uri_add_source(struct strbuf *out, const char *base, const struct finding *f, const char *file)
{
	char *path = *file == '/' ? path_absolute(file) : find_source(base, f, file);
	size_t n = strlen(base);
	bool below = !path;

	if (!path)
		path = xstrdup(file);
	else if (!strncmp(path, base, n) && (path[n] == '/' || (n && base[n - 1] == '/'))) {
		below = true;
		memmove(path, path + n + (path[n] == '/'), strlen(path + n + (path[n] == '/')) + 1);
	}
	if (!below)
		strbuf_adds(out, "file://");
	add_encoded(out, path);
	free(path);
	return below;
}

void uri_add_directory(struct strbuf *out, const char *dir)
{
	size_t n = strlen(dir);

	strbuf_adds(out, "file://");
	add_encoded(out, dir);
	if (!n || dir[n - 1] != '/')
		strbuf_addc(out, '/');
}
