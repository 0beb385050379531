/* System calls on names of files. */
#include "world/world_internal.h"

#include "base/base.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* Reads the name at addr; a relative name starts at the directory of descriptor `dir`. *path is 0
 * if the call has failed: c->result has the error. */
static enum step path_at(struct wcall *c, uint64_t dir, uint64_t addr, uint32_t *path)
{
	struct files *f = c->w->files;
	const struct open *o;
	struct strbuf full = {0};
	char *s;

	*path = 0;
	if (!addr)
		return wcall_fail(c, EFAULT);
	if (guest_string(c, addr, &s) == STEP_STOP)
		return STEP_STOP;
	o = (int)dir == AT_FDCWD || s[0] == '/' ? NULL : files_get(f, (int)dir);
	if (!*s)
		c->result = -ENOENT;
	else if ((int)dir == AT_FDCWD || s[0] == '/')
		*path = files_path(f, s);
	else if (!o || !o->path)
		c->result = o ? -ENOTDIR : -EBADF;
	else {
		strbuf_addf(&full, "%s/%s", files_path_text(f, o->path), s);
		*path = files_path(f, full.s);
		strbuf_release(&full);
	}
	free(s);
	if (*path && path_names_descriptor(files_path_text(f, *path)))
		return stop_unknown(c->m, c->t, STOP_UNMODELLED,
			"'%s' names an open descriptor, which is not modelled",
			files_path_text(f, *path));
	return STEP_NEXT;
}

static enum step path_of(struct wcall *c, uint64_t addr, uint32_t *path)
{
	return path_at(c, (uint64_t)AT_FDCWD, addr, path);
}

/* Executes a call without a directory by the *at call, with AT_FDCWD as its first argument. */
static enum step call_at_cwd(struct wcall *c, wcall_fn call)
{
	memmove(c->a + 1, c->a, sizeof c->a - sizeof c->a[0]);
	c->a[0] = (uint64_t)AT_FDCWD;
	return call(c);
}

/* Whether the program can make or remove a file of that name: 0 or errno. */
static int may_make(const struct files *f, uint32_t path)
{
	uint32_t dir = files_parent(f, path);
	struct stat st;
	int e = files_stat(f, dir, &st);
	bool ours;

	if (e)
		return e;
	if (!S_ISDIR(st.st_mode))
		return ENOTDIR;
	files_named(f, dir, &ours);
	return ours || !access(files_path_text(f, dir), W_OK | X_OK) ? 0 : EACCES;
}

static bool path_exists(const struct files *f, uint32_t path)
{
	struct stat st;

	return !files_stat(f, path, &st);
}

/* ---- open ------------------------------------------------------------------------------------ */

static uint32_t open_node(struct files *f, uint32_t path, int flags, uint32_t mode, int *error)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY, ours;
	uint32_t node;

	files_named(f, path, &ours);
	node = files_find(f, path, error);
	if (node != FILES_NONE) {
		if (flags & O_CREAT && flags & O_EXCL)
			*error = EEXIST;
		else if (writes && f->nodes.at[node].kind == NODE_DIR)
			*error = EISDIR;
		else if (flags & O_DIRECTORY && f->nodes.at[node].kind != NODE_DIR)
			*error = ENOTDIR;
		else if (writes && !ours && access(files_path_text(f, path), W_OK))
			*error = EACCES;
		return node;
	}
	if (*error != ENOENT || !(flags & O_CREAT))
		return node;
	*error = may_make(f, path);
	if (*error)
		return node;
	node = files_node(f, NODE_FILE, mode & 07777 & ~f->umask);
	files_name(f, path, node);
	return node;
}

static enum step open_path(struct wcall *c, uint32_t path, int flags, uint32_t mode)
{
	struct files *f;
	struct node *n;
	uint32_t node;
	int error, fd;

	if (!path)
		return STEP_NEXT;
	f = world_files(c);
	path = files_follow(f, path);
	node = open_node(f, path, flags, mode, &error);
	if (error == ENXIO)
		return stop_unknown(c->m, c->t, STOP_UNMODELLED,
			"'%s' is a device that is not modelled", files_path_text(f, path));
	if (error)
		return wcall_fail(c, error);
	n = &f->nodes.at[node];
	if (n->kind == NODE_DIR && !n->bytes)
		n->bytes = files_list(f, path);
	if (flags & O_TRUNC && n->kind == NODE_FILE) {
		bytes_truncate(&n->bytes, 0);
		n->size = 0;
	}
	fd = files_open(f, node, flags, 0);
	f->opens.at[f->fds.at[fd].open].path = path;
	return wcall_give(c, fd);
}

static enum step w_openat(struct wcall *c)
{
	uint32_t path;

	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	return open_path(c, path, (int)c->a[2], (uint32_t)c->a[3]);
}

static enum step w_open(struct wcall *c)
{
	return call_at_cwd(c, w_openat);
}

static enum step w_creat(struct wcall *c)
{
	c->a[2] = c->a[1];
	c->a[1] = O_CREAT | O_WRONLY | O_TRUNC;
	return call_at_cwd(c, w_openat);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Concretizes a symbolic length of a file, before a call reports the length. */
static enum step settle_path(struct wcall *c, uint32_t path)
{
	bool known;
	uint32_t node = files_named(c->w->files, path, &known);

	return node == FILES_NONE ? STEP_NEXT : world_settle(c, node);
}

static enum step give_stat(struct wcall *c, uint32_t path, uint64_t to)
{
	struct stat st;
	int e;

	if (!path)
		return STEP_NEXT;
	if (settle_path(c, path) == STEP_STOP || guest_may_put(c, to, sizeof st) == STEP_STOP)
		return STEP_STOP;
	e = files_stat(c->w->files, path, &st);
	if (e)
		return wcall_fail(c, e);
	c->result = 0;
	return guest_put(c, to, (uint8_t *)&st, NULL, sizeof st);
}

static enum step stat_fd(struct wcall *c, uint64_t fd, uint64_t to)
{
	struct open *o = files_get(c->w->files, (int)fd);
	struct stat st;

	if (!o)
		return wcall_fail(c, EBADF);
	if (world_settle(c, o->node) || guest_may_put(c, to, sizeof st) == STEP_STOP)
		return STEP_STOP;
	o = files_get(c->w->files, (int)fd);
	files_stat_node(c->w->files, o->node, &st);
	c->result = 0;
	return guest_put(c, to, (uint8_t *)&st, NULL, sizeof st);
}

static enum step w_fstat(struct wcall *c)
{
	return stat_fd(c, c->a[0], c->a[1]);
}

static enum step w_newfstatat(struct wcall *c)
{
	uint32_t path;

	if (c->a[3] & AT_EMPTY_PATH)
		return stat_fd(c, c->a[0], c->a[2]);
	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	if (path && !(c->a[3] & AT_SYMLINK_NOFOLLOW))
		path = files_follow(c->w->files, path);
	return give_stat(c, path, c->a[2]);
}

static enum step w_stat(struct wcall *c)
{
	c->a[2] = 0;
	return call_at_cwd(c, w_newfstatat);
}

static enum step w_lstat(struct wcall *c)
{
	c->a[2] = AT_SYMLINK_NOFOLLOW;
	return call_at_cwd(c, w_newfstatat);
}

static enum step check_access(struct wcall *c, uint32_t path, int mode)
{
	const struct files *f = c->w->files;
	uint32_t node, bits;
	bool ours;

	if (!path)
		return STEP_NEXT;
	path = files_follow(f, path);
	node = files_named(f, path, &ours);
	if (!ours && !f->host->closed)
		return access(files_path_text(f, path), mode) ? wcall_fail(c, errno)
							      : wcall_give(c, 0);
	if (node == FILES_NONE)
		return wcall_fail(c, ENOENT);
	bits = f->nodes.at[node].mode >> 6 & 7;
	if (!geteuid())
		bits |= 6;
	return (bits & (uint32_t)mode) == (uint32_t)mode ? wcall_give(c, 0) : wcall_fail(c, EACCES);
}

static enum step w_faccessat(struct wcall *c)
{
	uint32_t path;

	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	return check_access(c, path, (int)c->a[2]);
}

static enum step w_access(struct wcall *c)
{
	return call_at_cwd(c, w_faccessat);
}

static enum step read_link(struct wcall *c, uint32_t path, uint64_t to, uint64_t n)
{
	char target[4096];
	uint32_t node;
	bool ours;
	ssize_t k;

	if (!path)
		return STEP_NEXT;
	node = files_named(c->w->files, path, &ours);
	if (node != FILES_NONE && c->w->files->nodes.at[node].kind == NODE_LINK) {
		const struct bytes *b = c->w->files->nodes.at[node].bytes;

		c->result = (int64_t)MIN(n, b->n);
		return guest_put(c, to, b->known, NULL, MIN(n, b->n));
	}
	if (ours || c->w->files->host->closed)
		return wcall_fail(c, path_exists(c->w->files, path) ? EINVAL : ENOENT);
	k = readlink(files_path_text(c->w->files, path), target, MIN(n, sizeof target));
	if (k < 0)
		return wcall_fail(c, errno);
	c->result = k;
	return guest_put(c, to, (uint8_t *)target, NULL, (uint64_t)k);
}

static enum step w_readlinkat(struct wcall *c)
{
	uint32_t path;

	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	return read_link(c, path, c->a[2], c->a[3]);
}

static enum step w_readlink(struct wcall *c)
{
	return call_at_cwd(c, w_readlinkat);
}

/* ---- changes of names ------------------------------------------------------------------------ */

static enum step remove_path(struct wcall *c, uint32_t path, bool dir)
{
	struct stat st;
	int e;

	if (!path)
		return STEP_NEXT;
	e = files_stat(c->w->files, path, &st);
	if (!e && S_ISDIR(st.st_mode) != dir)
		e = dir ? ENOTDIR : EISDIR;
	if (!e)
		e = may_make(c->w->files, path);
	if (e)
		return wcall_fail(c, e);
	files_name(world_files(c), path, FILES_NONE);
	return wcall_give(c, 0);
}

static enum step w_unlinkat(struct wcall *c)
{
	uint32_t path;

	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	return remove_path(c, path, c->a[2] & AT_REMOVEDIR);
}

static enum step w_unlink(struct wcall *c)
{
	c->a[1] = 0;
	return call_at_cwd(c, w_unlinkat);
}

static enum step w_rmdir(struct wcall *c)
{
	c->a[1] = AT_REMOVEDIR;
	return call_at_cwd(c, w_unlinkat);
}

static enum step make_dir(struct wcall *c, uint32_t path, uint32_t mode)
{
	struct files *f = world_files(c);
	uint32_t node;
	int e;

	if (!path)
		return STEP_NEXT;
	e = path_exists(f, path) ? EEXIST : may_make(f, path);
	if (e)
		return wcall_fail(c, e);
	node = files_node(f, NODE_DIR, mode & 07777 & ~f->umask);
	files_name(f, path, node);
	return wcall_give(c, 0);
}

static enum step w_mkdirat(struct wcall *c)
{
	uint32_t path;

	if (path_at(c, c->a[0], c->a[1], &path) == STEP_STOP)
		return STEP_STOP;
	return make_dir(c, path, (uint32_t)c->a[2]);
}

static enum step w_mkdir(struct wcall *c)
{
	return call_at_cwd(c, w_mkdirat);
}

/* Gives a file a second name; moves: removes the first one. Directories are not modelled. */
static enum step new_name(struct wcall *c, uint32_t from, uint32_t to, bool moves)
{
	struct files *f = world_files(c);
	uint32_t node;
	int e;

	if (!from || !to)
		return STEP_NEXT;
	node = files_find(f, from, &e);
	if (!e && f->nodes.at[node].kind == NODE_DIR)
		return stop_unknown(c->m, c->t, STOP_UNMODELLED,
			"a new name for the directory '%s' is not modelled", files_path_text(f, from));
	if (!e && !moves && path_exists(f, to))
		e = EEXIST;
	if (!e)
		e = may_make(f, to);
	if (e)
		return wcall_fail(c, e);
	if (from != to) {
		files_name(f, to, node);
		if (moves)
			files_name(f, from, FILES_NONE);
	}
	return wcall_give(c, 0);
}

static enum step w_renameat(struct wcall *c)
{
	uint32_t from, to;

	if (path_at(c, c->a[0], c->a[1], &from) == STEP_STOP ||
		path_at(c, c->a[2], c->a[3], &to) == STEP_STOP)
		return STEP_STOP;
	return new_name(c, from, to, true);
}

static enum step w_rename(struct wcall *c)
{
	c->a[2] = c->a[1];
	c->a[1] = (uint64_t)AT_FDCWD;
	return call_at_cwd(c, w_renameat);
}

static enum step w_link(struct wcall *c)
{
	uint32_t from, to;

	if (path_of(c, c->a[0], &from) == STEP_STOP || path_of(c, c->a[1], &to) == STEP_STOP)
		return STEP_STOP;
	return new_name(c, from, to, false);
}

static enum step w_symlink(struct wcall *c)
{
	struct files *f;
	uint32_t to, node;
	char *target;
	int e;

	if (path_of(c, c->a[1], &to) == STEP_STOP)
		return STEP_STOP;
	if (!to)
		return STEP_NEXT;
	if (guest_string(c, c->a[0], &target) == STEP_STOP)
		return STEP_STOP;
	f = world_files(c);
	e = !*target ? ENOENT : path_exists(f, to) ? EEXIST : may_make(f, to);
	if (!e) {
		node = files_node(f, NODE_LINK, 0777);
		f->nodes.at[node].bytes = bytes_new((uint8_t *)target, NULL, strlen(target));
		files_name(f, to, node);
	}
	free(target);
	return e ? wcall_fail(c, e) : wcall_give(c, 0);
}

static enum step w_truncate(struct wcall *c)
{
	struct files *f;
	uint32_t path, node;
	int e;

	if (path_of(c, c->a[0], &path) == STEP_STOP)
		return STEP_STOP;
	if (!path)
		return STEP_NEXT;
	path = files_follow(c->w->files, path);
	if (settle_path(c, path) == STEP_STOP)
		return STEP_STOP;
	f = world_files(c);
	node = files_find(f, path, &e);
	if (!e && f->nodes.at[node].kind != NODE_FILE)
		e = EINVAL;
	if (e)
		return wcall_fail(c, e);
	if (world_allows_size(c, c->a[1]))
		return STEP_STOP;
	bytes_truncate(&f->nodes.at[node].bytes, c->a[1]);
	return wcall_give(c, 0);
}

/* ---- modes and directories ------------------------------------------------------------------- */

static enum step w_chmod(struct wcall *c)
{
	struct files *f;
	uint32_t path, node;
	int e;

	if (path_of(c, c->a[0], &path) == STEP_STOP)
		return STEP_STOP;
	if (!path)
		return STEP_NEXT;
	f = world_files(c);
	node = files_find(f, files_follow(f, path), &e);
	if (e)
		return wcall_fail(c, e);
	f->nodes.at[node].mode = c->a[1] & 07777;
	return wcall_give(c, 0);
}

static enum step w_fchmod(struct wcall *c)
{
	struct open *o = files_get(c->w->files, (int)c->a[0]);
	uint32_t node;

	if (!o)
		return wcall_fail(c, EBADF);
	node = o->node;
	world_files(c)->nodes.at[node].mode = c->a[1] & 07777;
	return wcall_give(c, 0);
}

/* Owners and times of files are not modelled: the call has no effect. */
static enum step w_forgotten(struct wcall *c)
{
	return wcall_give(c, 0);
}

static enum step w_umask(struct wcall *c)
{
	uint32_t old = c->w->files->umask;

	world_files(c)->umask = c->a[0] & 0777;
	return wcall_give(c, old);
}

static enum step change_dir(struct wcall *c, uint32_t path)
{
	struct stat st;
	int e;

	path = files_follow(c->w->files, path);
	e = files_stat(c->w->files, path, &st);
	if (e || !S_ISDIR(st.st_mode))
		return wcall_fail(c, e ? e : ENOTDIR);
	world_files(c)->cwd = path;
	return wcall_give(c, 0);
}

static enum step w_chdir(struct wcall *c)
{
	uint32_t path;

	if (path_of(c, c->a[0], &path) == STEP_STOP)
		return STEP_STOP;
	return path ? change_dir(c, path) : STEP_NEXT;
}

static enum step w_fchdir(struct wcall *c)
{
	struct open *o = files_get(c->w->files, (int)c->a[0]);

	if (!o)
		return wcall_fail(c, EBADF);
	return o->path ? change_dir(c, o->path) : wcall_fail(c, ENOTDIR);
}

static enum step w_getcwd(struct wcall *c)
{
	const char *cwd = files_path_text(c->w->files, c->w->files->cwd);
	size_t n = strlen(cwd) + 1;

	if (n > c->a[1])
		return wcall_fail(c, ERANGE);
	c->result = (int64_t)n;
	return guest_put(c, c->a[0], (const uint8_t *)cwd, NULL, n);
}

/* Gives as many whole entries as fit. */
static enum step w_getdents(struct wcall *c)
{
	struct open *o = files_get(c->w->files, (int)c->a[0]);
	const struct bytes *b;
	uint64_t n = 0;

	if (!o)
		return wcall_fail(c, EBADF);
	if (c->w->files->nodes.at[o->node].kind != NODE_DIR)
		return wcall_fail(c, ENOTDIR);
	b = c->w->files->nodes.at[o->node].bytes;
	while (b && o->pos + n < b->n) {
		uint16_t len;

		memcpy(&len, b->known + o->pos + n + 16, sizeof len);
		if (n + len > c->a[2])
			break;
		n += len;
	}
	if (b && !n && o->pos < b->n)
		return wcall_fail(c, EINVAL);
	if (n && guest_put(c, c->a[1], b->known + o->pos, NULL, n) == STEP_STOP)
		return STEP_STOP;
	world_files(c);
	files_get(c->w->files, (int)c->a[0])->pos += n;
	return wcall_give(c, (int64_t)n);
}

const struct wcall_entry world_path_calls[] = {
	WCALL(open, w_open), WCALL(openat, w_openat), WCALL(creat, w_creat), WCALL(stat, w_stat),
	WCALL(lstat, w_lstat), WCALL(fstat, w_fstat), WCALL(newfstatat, w_newfstatat),
	WCALL(access, w_access), WCALL(faccessat, w_faccessat), WCALL(readlink, w_readlink),
	WCALL(readlinkat, w_readlinkat), WCALL(unlink, w_unlink), WCALL(unlinkat, w_unlinkat),
	WCALL(rmdir, w_rmdir), WCALL(mkdir, w_mkdir), WCALL(mkdirat, w_mkdirat),
	WCALL(rename, w_rename), WCALL(renameat, w_renameat), WCALL(link, w_link),
	WCALL(symlink, w_symlink), WCALL(truncate, w_truncate), WCALL(chmod, w_chmod),
	WCALL(fchmod, w_fchmod), WCALL(chown, w_forgotten), WCALL(fchown, w_forgotten),
	WCALL(lchown, w_forgotten), WCALL(utimensat, w_forgotten), WCALL(umask, w_umask),
	WCALL(chdir, w_chdir), WCALL(fchdir, w_fchdir), WCALL(getcwd, w_getcwd),
	WCALL(getdents64, w_getdents),
	{0},
};
