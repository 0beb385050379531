#include "trace/file_names.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/ir.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const moving[] = {"chdir", "fchdir", "chroot"};
static const char *const linking[] = {"link", "linkat", "symlink", "symlinkat", "rename",
	"renameat", "renameat2", "mount", "freopen", "freopen64"};

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void file_names_init(struct file_names *n, const struct ir_program *p, const char *cwd)
{
	*n = (struct file_names){.cwd = cwd, .moves = !cwd};
	vec_each (&p->funcs, i) {
		const char *name = ir_func_name(p, i);

		if (!(p->funcs.at[i].flags & IR_FN_EXTERN))
			continue;
		n->moves |= is_one_of(name, moving, sizeof moving / sizeof *moving);
		n->links |= is_one_of(name, linking, sizeof linking / sizeof *linking);
	}
}

static uint64_t number_of(const char *s)
{
	return hash_mix(hash_bytes(s, strlen(s)), 2) | 1;
}

/* A file with several names is known by its inode; any other one by its only name. */
static uint64_t number_of_file(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_nlink > 1)
		return hash_mix(hash_mix(st.st_dev, 4), st.st_ino) | 1;
	return number_of(path);
}

static void cut_string(struct strbuf *b, const char *at)
{
	b->n = (size_t)(at - b->s);
	b->s[b->n] = 0;
}

/* Appends the components of a path, without "." and empty ones, and goes back at "..". */
static void append_path(struct strbuf *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && !strncmp(path, "..", 2)) {
			if (out->n)
				cut_string(out, strrchr(out->s, '/'));
		} else if (n && !(n == 1 && *path == '.')) {
			strbuf_addf(out, "/%.*s", (int)n, path);
		}
		path += n + (path[n] == '/');
	}
}

/* Replaces the path, or only its folder, by what its links lead to. */
static void resolve_links(struct strbuf *path)
{
	char real[PATH_MAX], *slash = strrchr(path->s, '/');
	char *last = xstrdup(slash);

	if (realpath(path->s, real)) {
		strbuf_clear(path);
		strbuf_adds(path, real);
	} else {
		*slash = 0;
		if (!realpath(path->s[0] ? path->s : "/", real))
			memcpy(real, path->s, strlen(path->s) + 1);
		strbuf_clear(path);
		strbuf_addf(path, "%s%s", strcmp(real, "/") ? real : "", last);
	}
	free(last);
}

uint64_t file_names_key(const struct file_names *n, const char *path)
{
	struct strbuf full = {0};
	uint64_t key;

	if (n->links || !path[0])
		return 0;
	if (path[0] != '/' && n->cwd)
		append_path(&full, n->cwd);
	append_path(&full, path);
	if (!full.n)
		strbuf_adds(&full, "/");
	if (path_names_descriptor(full.s)) {
		strbuf_release(&full);
		return 0;
	}
	if (full.n < PATH_MAX && (!n->moves || path[0] == '/'))
		resolve_links(&full);
	key = n->moves ? number_of(strrchr(full.s, '/') + 1) : number_of_file(full.s);
	strbuf_release(&full);
	return key;
}
