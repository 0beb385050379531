#include "image/image_internal.h"

#include "base/base.h"
#include "base/cache.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is appended to an image in the cache. An executable may have bytes behind its sections. */
struct trailer {
	char magic[16];
	char key[SHA256_HEX];      /* of what the image was built from: the name of the file */
	char contents[SHA256_HEX]; /* of the bytes before the trailer */
	char end[14];
};
#define TRAILER_MAGIC "heddle image 1\n"

/* ---- the key ----------------------------------------------------------------------------- */

/* The build ID in a segment of notes, or NULL. */
static const uint8_t *find_build_id(const uint8_t *at, size_t n, uint32_t *size)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *h = (const void *)at;
		size_t name = (h->n_namesz + 3) & ~(size_t)3,
		       all = sizeof *h + name + ((h->n_descsz + 3) & ~(size_t)3);

		if (all > n)
			return NULL;
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == sizeof ELF_NOTE_GNU &&
			!memcmp(at + sizeof *h, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU)) {
			*size = h->n_descsz;
			return at + sizeof *h + name;
		}
		at += all;
		n -= all;
	}
	return NULL;
}

/* The first object is the executable. */
static int hash_build_id(struct dl_phdr_info *info, size_t size, void *hash)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint8_t *id;
		uint32_t n;

		if (p->p_type != PT_NOTE)
			continue;
		id = find_build_id(
			(const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, &n);
		if (id)
			*(uint64_t *)hash = hash_bytes(id, n);
	}
	return 1;
}

/* The linker computed the build ID from the contents of the binary. Without one the contents are
 * hashed here, which takes longer than most commands. */
uint64_t image_own_hash(void)
{
	struct strbuf self = {0};
	uint64_t h = 0;

	dl_iterate_phdr(hash_build_id, &h);
	if (!h && !strbuf_read_file(&self, "/proc/self/exe"))
		h = hash_bytes(self.s, self.n);
	strbuf_release(&self);
	return h;
}

/* An absent section differs from an empty one. */
static void add_section(struct sha256 *h, const struct image *im, const char *name)
{
	struct exe_section s;
	uint8_t there = exe_section(im->x, name, &s);

	sha256_add(h, &there, sizeof there);
	if (there)
		sha256_add_part(h, s.data, s.n);
}

static void add_text(struct sha256 *h, const char *text)
{
	sha256_add_part(h, text, strlen(text));
}

/* An image depends on this build of heddle, on the functions that are excluded, and on the contents
 * of the executable. */
static void compute_key(const struct image *im, char key[SHA256_HEX])
{
	uint64_t own = image_own_hash();
	struct sha256 h;

	sha256_init(&h);
	add_text(&h, TRAILER_MAGIC HEDDLE_VERSION "/" HEDDLE_LLVM_VERSION);
	add_text(&h, im->kind);
	sha256_add(&h, &own, sizeof own);
	for (const char *const *p = im->exclude; p && *p; p++)
		add_text(&h, *p);
	add_text(&h, "");
	add_section(&h, im, EXE_BITCODE);
	add_section(&h, im, EXE_RECIPE);
	add_section(&h, im, EXE_NATIVE);
	sha256_end(&h, key);
}

/* ---- the contents ------------------------------------------------------------------------ */

static void make_trailer(struct trailer *t, const char *key, const void *data, size_t n)
{
	struct sha256 h;

	*t = (struct trailer){.magic = TRAILER_MAGIC};
	memcpy(t->key, key, sizeof t->key);
	sha256_init(&h);
	sha256_add(&h, data, n);
	sha256_end(&h, t->contents);
}

/* Appends the trailer to the image. -1 and errno. */
static int seal_image(const char *path, const char *key)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC), rc = -1, err;
	struct file_map map;
	struct trailer t;

	if (fd < 0)
		return -1;
	if (!file_map_fd(&map, fd)) {
		make_trailer(&t, key, map.data, map.n);
		file_unmap(&map);
		rc = file_write_fd(fd, &t, sizeof t);
	}
	err = errno;
	if (close(fd))
		return -1;
	errno = err;
	return rc;
}

static bool is_unchanged(int fd, const char *key)
{
	struct trailer want;
	struct file_map map;
	bool same = false;

	if (file_map_fd(&map, fd))
		return false;
	if (map.n > sizeof want) {
		make_trailer(&want, key, map.data, map.n - sizeof want);
		same = !memcmp(map.data + map.n - sizeof want, &want, sizeof want);
	}
	file_unmap(&map);
	return same;
}

/* Opens the image if it is in the cache, and verifies it. -1: it must be built. */
static int open_verified(int dir, const char *key)
{
	int fd = openat(dir, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || is_unchanged(fd, key))
		return fd;
	close(fd);
	warn_("an image in the cache was changed after heddle built it: it is built again");
	return -1;
}

/* ---- the image --------------------------------------------------------------------------- */

/* Builds the image, and renames it when it is complete: other processes see a complete image. */
static int build_image(struct image *im, const char *path, const char *key)
{
	char *fresh = xasprintf("%s.%d", path, (int)getpid());
	int rc;

	if (isatty(STDERR_FILENO)) /* the build can take a minute */
		note_("building the '%s' image of '%s' (kept in the cache)", im->kind,
			im->exe_path);
	rc = image_link(im, fresh);
	if (!rc && (seal_image(fresh, key) || rename(fresh, path))) {
		rc = error_("cannot write '%s': %s", path, strerror(errno));
		unlink(fresh);
	}
	free(fresh);
	return rc;
}

static int find_image(struct image_file *f, struct image *im, const char *dir, int dir_fd)
{
	char key[SHA256_HEX];

	compute_key(im, key);
	f->path = xasprintf("%s/%s", dir, key);
	f->fd = open_verified(dir_fd, key);
	if (f->fd < 0 && !build_image(im, f->path, key)) {
		f->fd = open_verified(dir_fd, key);
		if (f->fd < 0)
			error_("cannot open the image '%s': %s", f->path, strerror(errno));
	}
	return f->fd < 0 ? -1 : 0;
}

int image_cached(struct image_file *f, const char *exe_path, enum image_kind kind,
	const char *const *exclude)
{
	char *dir, *why;
	int dir_fd = cache_open(&dir, &why), rc = -1;
	struct image im;

	*f = (struct image_file){.fd = -1};
	if (dir_fd < 0) {
		error_("%s", why);
		free(why);
		return -1;
	}
	if (!image_open(&im, exe_path, kind, exclude)) {
		rc = find_image(f, &im, dir, dir_fd);
		image_close(&im);
	}
	close(dir_fd);
	free(dir);
	if (rc)
		image_file_release(f);
	return rc;
}

void image_file_release(struct image_file *f)
{
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = (struct image_file){.fd = -1};
}

void image_exec(const struct image_file *f, char *const *argv)
{
	fexecve(f->fd, argv, environ);
}
