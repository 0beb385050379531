/* Names of files: the table of the program's names, then the host's files, which are read-only. */
#include "world/files.h"

#include "base/base.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MAX_HOST_FILE = 256 << 20 };

uint32_t files_path(const struct files *f, const char *path)
{
	struct strbuf b = {0};
	uint32_t id;

	if (path[0] != '/')
		strbuf_adds(&b, intern_get(&f->host->paths, f->cwd));
	while (b.n && b.s[b.n - 1] == '/')
		b.n--;
	while (*path) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 2 && !memcmp(path, "..", 2)) {
			while (b.n && b.s[--b.n] != '/')
				;
		} else if (n && !(n == 1 && *path == '.')) {
			strbuf_addc(&b, '/');
			strbuf_add(&b, path, n);
		}
		path += n;
	}
	if (!b.n)
		strbuf_addc(&b, '/');
	id = intern_strn(&f->host->paths, b.s, b.n);
	strbuf_release(&b);
	return id;
}

const char *files_path_text(const struct files *f, uint32_t path)
{
	return intern_get(&f->host->paths, path);
}

uint32_t files_parent(const struct files *f, uint32_t path)
{
	struct strbuf b = {0};
	uint32_t parent;

	strbuf_addf(&b, "%s/..", files_path_text(f, path));
	parent = files_path(f, b.s);
	strbuf_release(&b);
	return parent;
}

uint32_t files_follow(const struct files *f, uint32_t path)
{
	enum { MAX_LINKS = 40 };

	for (int i = 0; i < MAX_LINKS; i++) {
		struct strbuf b = {0};
		const struct node *n;
		bool known;
		uint32_t node = files_named(f, path, &known);

		n = node == FILES_NONE ? NULL : &f->nodes.at[node];
		if (!n || n->kind != NODE_LINK)
			break;
		if (n->bytes->known[0] != '/')
			strbuf_addf(&b, "%s/", files_path_text(f, files_parent(f, path)));
		strbuf_add(&b, n->bytes->known, n->bytes->n);
		path = files_path(f, b.s);
		strbuf_release(&b);
	}
	return path;
}

uint32_t files_named(const struct files *f, uint32_t path, bool *known)
{
	*known = true;
	vec_each (&f->names, i)
		if (f->names.at[i].path == path)
			return f->names.at[i].node;
	*known = false;
	return FILES_NONE;
}

void files_name(struct files *f, uint32_t path, uint32_t node)
{
	struct name *at = NULL;

	vec_each (&f->names, i)
		if (f->names.at[i].path == path)
			at = &f->names.at[i];
	if (!at) {
		at = vec_add(&f->names);
		*at = (struct name){path, FILES_NONE};
	}
	if (at->node != FILES_NONE)
		f->nodes.at[at->node].links--;
	at->node = node;
	if (node != FILES_NONE)
		f->nodes.at[node].links++;
}

/* ---- the host -------------------------------------------------------------------------------- */

static struct host_file *host_file(struct host *h, uint32_t path)
{
	uint64_t *known = map_get(&h->files, path);
	struct host_file *at;

	if (known)
		return &h->at.at[*known];
	*map_put(&h->files, path) = h->at.n;
	at = vec_add(&h->at);
	if (h->closed || stat(intern_get(&h->paths, path), &at->st))
		at->error = h->closed ? ENOENT : errno;
	return at;
}

/* The host's file of that path; never NULL. Valid until the next call. */
static const struct host_file *files_host(const struct files *f, uint32_t path)
{
	return host_file(f->host, path);
}

/* The contents of a regular file, read once. Returns 0 or errno. */
static int host_contents(struct host *h, uint32_t path)
{
	struct host_file *at = host_file(h, path);
	struct strbuf b = {0};
	int error = 0;

	if (at->bytes || at->error)
		return at->error;
	if (at->st.st_size > MAX_HOST_FILE)
		return EFBIG;
	if (strbuf_read_file(&b, intern_get(&h->paths, path)))
		error = errno;
	else
		at->bytes = bytes_new((uint8_t *)b.s, NULL, b.n);
	strbuf_release(&b);
	return error;
}

static enum node_kind device_kind(const char *path)
{
	if (!strcmp(path, "/dev/null"))
		return NODE_NULL;
	if (!strcmp(path, "/dev/zero"))
		return NODE_ZERO;
	if (!strcmp(path, "/dev/random") || !strcmp(path, "/dev/urandom"))
		return NODE_RANDOM;
	return NODE_FILE;
}

uint32_t files_find(struct files *f, uint32_t path, int *error)
{
	const char *text = files_path_text(f, path);
	const struct host_file *at;
	enum node_kind kind;
	uint32_t node;
	bool known;

	node = files_named(f, path, &known);
	*error = node == FILES_NONE ? ENOENT : 0;
	if (known)
		return node;
	at = files_host(f, path);
	kind = at->error ? NODE_FILE : S_ISDIR(at->st.st_mode) ? NODE_DIR : device_kind(text);
	*error = at->error;
	if (!at->error && kind == NODE_FILE)
		*error = S_ISREG(at->st.st_mode) ? host_contents(f->host, path) : ENXIO;
	if (*error)
		return FILES_NONE;
	at = files_host(f, path);
	node = files_node(f, kind, at->st.st_mode & 07777);
	f->nodes.at[node].bytes = bytes_share(at->bytes);
	files_name(f, path, node);
	return node;
}

/* ---- attributes and directories -------------------------------------------------------------- */

void files_stat_node(const struct files *f, uint32_t node, struct stat *st)
{
	static const uint32_t types[] = {
		[NODE_FILE] = S_IFREG, [NODE_DIR] = S_IFDIR, [NODE_PIPE] = S_IFIFO,
		[NODE_STREAM] = S_IFIFO, [NODE_LINK] = S_IFLNK, [NODE_NULL] = S_IFCHR,
		[NODE_ZERO] = S_IFCHR, [NODE_RANDOM] = S_IFCHR};
	const struct node *n = &f->nodes.at[node];

	*st = (struct stat){
		.st_dev = 1, .st_ino = node + 1, .st_mode = types[n->kind] | n->mode,
		.st_nlink = MAX(n->links, 1u), .st_uid = getuid(), .st_gid = getgid(),
		.st_blksize = 4096};
	if ((n->kind == NODE_FILE || n->kind == NODE_LINK) && n->bytes)
		st->st_size = (off_t)n->bytes->n;
	st->st_blocks = (st->st_size + 511) / 512;
}

int files_stat(const struct files *f, uint32_t path, struct stat *st)
{
	const struct host_file *at;
	bool known;
	uint32_t node = files_named(f, path, &known);

	if (node != FILES_NONE) {
		files_stat_node(f, node, st);
		return 0;
	}
	at = known ? NULL : files_host(f, path);
	if (!at || at->error)
		return at ? at->error : ENOENT;
	*st = at->st;
	return 0;
}

static void add_entry(struct bytes **to, const char *name, uint64_t ino, uint8_t type)
{
	struct {
		uint64_t ino;
		int64_t off;
		uint16_t len;
		uint8_t type;
		char name[256];
	} __attribute__((packed)) e = {.ino = ino, .type = type};
	size_t n = MIN(strlen(name), sizeof e.name - 1);

	memcpy(e.name, name, n);
	e.len = (uint16_t)((19 + n + 1 + 7) / 8 * 8);
	e.off = (int64_t)((*to)->n + e.len);
	bytes_write(to, (*to)->n, (uint8_t *)&e, NULL, e.len);
}

/* the last component of a path that is directly in the directory, or NULL */
static const char *entry_of(const char *path, const char *dir)
{
	size_t n = !strcmp(dir, "/") ? 0 : strlen(dir);

	if (strncmp(path, dir, n) || path[n] != '/' || !path[n + 1] || strchr(path + n + 1, '/'))
		return NULL;
	return path + n + 1;
}

struct bytes *files_list(const struct files *f, uint32_t path)
{
	const char *dir = files_path_text(f, path);
	DIR *d = f->host->closed ? NULL : opendir(dir);
	struct bytes *b = bytes_new(NULL, NULL, 0);
	struct dirent *e;

	add_entry(&b, ".", 1, DT_DIR);
	add_entry(&b, "..", 1, DT_DIR);
	vec_each (&f->names, i) {
		const struct name *at = &f->names.at[i];
		const char *name = entry_of(files_path_text(f, at->path), dir);

		if (name && at->node != FILES_NONE)
			add_entry(&b, name, at->node + 1,
				f->nodes.at[at->node].kind == NODE_DIR ? DT_DIR : DT_REG);
	}
	while (d && (e = readdir(d))) {
		struct strbuf full = {0};
		bool known;

		strbuf_addf(&full, "%s/%s", dir, e->d_name);
		files_named(f, files_path(f, full.s), &known);
		if (!known && strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			add_entry(&b, e->d_name, e->d_ino, e->d_type);
		strbuf_release(&full);
	}
	if (d)
		closedir(d);
	return b;
}
