#include "base/path.h"

#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_dir(const char *path)
{
	const char *base = path_base(path);

	if (base == path)
		return xstrdup(".");
	return xstrndup(path, base - 1 == path ? 1 : (size_t)(base - 1 - path));
}

char *path_absolute(const char *path)
{
	struct strbuf in = {0}, out = {0};
	char *cwd = NULL;

	if (path[0] != '/') {
		cwd = getcwd(NULL, 0);
		strbuf_addf(&in, "%s/", cwd ? cwd : "");
		free(cwd);
	}
	strbuf_adds(&in, path);
	strbuf_adds(&out, "");
	for (char *p = in.s, *word; (word = strtok_r(p, "/", &p));) {
		if (!strcmp(word, "."))
			continue;
		if (!strcmp(word, "..")) {
			while (out.n && out.s[--out.n] != '/')
				;
			out.s[out.n] = 0;
			continue;
		}
		strbuf_addc(&out, '/');
		strbuf_adds(&out, word);
	}
	if (!out.n)
		strbuf_addc(&out, '/');
	strbuf_release(&in);
	return strbuf_detach(&out);
}

bool path_is_system(const char *path)
{
	static const char *const dirs[] = {"/lib/", "/lib32/", "/lib64/", "/libx32/", "/usr/lib/",
		"/usr/lib32/", "/usr/lib64/", "/usr/libx32/", "/usr/local/lib/",
		"/usr/local/lib64/"};
	char *abs = path_absolute(path);
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !yes; i++)
		yes = !strncmp(abs, dirs[i], strlen(dirs[i]));
	free(abs);
	return yes;
}

bool path_names_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd", 7) || !strncmp(path, "/dev/std", 8) ||
	       (!strncmp(path, "/proc/", 6) && strstr(path, "/fd"));
}

char *path_self(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		return NULL;
	self[n] = 0;
	return xstrdup(self);
}
