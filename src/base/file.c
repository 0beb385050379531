#include "base/file.h"

#include "base/diag.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- mapping ----------------------------------------------------------------------------- */

int file_map_fd(struct file_map *f, int fd)
{
	struct stat st;
	void *p = NULL;

	*f = (struct file_map){0};
	if (fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	if (st.st_size) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			return -1;
	}
	f->data = p ? p : (const uint8_t *)"";
	f->n = (size_t)st.st_size;
	return 0;
}

int file_map_at(struct file_map *f, int dir, const char *path)
{
	/* O_NONBLOCK: the open of a pipe without a writer must not block */
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc, err;

	*f = (struct file_map){0};
	if (fd < 0)
		return -1;
	rc = file_map_fd(f, fd);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

int file_map(struct file_map *f, const char *path)
{
	return file_map_at(f, AT_FDCWD, path);
}

void file_unmap(struct file_map *f)
{
	if (f->n)
		munmap((void *)f->data, f->n);
	*f = (struct file_map){0};
}

bool file_is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

enum { MAX_READ = 256 << 20 };

int file_read(struct strbuf *b, const char *path)
{
	struct file_map f;
	int rc = 0;

	if (file_map(&f, path))
		return error_("cannot read '%s': %s", path,
			errno == EINVAL ? "it is not a regular file" : strerror(errno));
	if (f.n > MAX_READ)
		rc = error_("cannot read '%s': it has more than 256 MiB", path);
	else
		strbuf_add(b, f.data, f.n);
	file_unmap(&f);
	return rc;
}

/* ---- writing ----------------------------------------------------------------------------- */

int file_write_fd(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t k;

	for (; n; p += k, n -= (size_t)k) {
		k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			k = 0;
		if (k < 0)
			return -1;
	}
	return 0;
}

int file_write(const char *path, const void *data, size_t n, bool executable)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, executable ? 0777 : 0666);
	int err = 0;

	if (fd < 0)
		return -1;
	if (file_write_fd(fd, data, n))
		err = errno;
	if (close(fd) && !err)
		err = errno;
	if (err) {
		unlink(path);
		errno = err;
		return -1;
	}
	return 0;
}

int sealed_memory(const char *name, uint64_t n)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), err;

	if (fd < 0)
		return -1;
	if (!ftruncate(fd, (off_t)n) &&
		!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* ---- directories ------------------------------------------------------------------------- */

const char *temporary_root(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

char *temporary_path(const char *name, const char *suffix)
{
	return xasprintf("%s/heddle-%s-XXXXXX%s", temporary_root(), name, suffix);
}

char *temporary_directory(const char *name)
{
	char *dir = temporary_path(name, "");

	if (mkdtemp(dir))
		return dir;
	error_("cannot make the directory '%s': %s (set TMPDIR to another place)", dir,
		strerror(errno));
	free(dir);
	return NULL;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void remove_directory(const char *dir)
{
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int make_directories(const char *path)
{
	char *copy = xstrdup(path);
	int rc = 0, err;

	/* a '/' at the start is the root, which exists */
	for (char *p = copy + (*copy == '/'); !rc && (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		rc = mkdir(copy, 0777) && errno != EEXIST ? -1 : 0;
	}
	if (!rc)
		rc = mkdir(copy, 0777) && errno != EEXIST ? -1 : 0;
	err = errno;
	free(copy);
	errno = err;
	return rc;
}
