#include "object/file.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int file_map(struct file_map *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *p = NULL;

	*f = (struct file_map){0};
	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		err = errno;
	else if (!S_ISREG(st.st_mode))
		err = EINVAL;
	else if (st.st_size)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		err = errno;
	close(fd);
	if (err) {
		errno = err;
		return -1;
	}
	f->data = p ? p : (const uint8_t *)"";
	f->n = (size_t)st.st_size;
	return 0;
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
