#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"
#include "watch.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* readdir_r */

/* Lines of all lengths, with NULs in some. */
static FILE *some_lines(void)
{
	FILE *f = tmpfile();
	uint32_t n = rng_below(&rng, 400);

	for (uint32_t i = 0; i < n; i++)
		putc(rng_chance(&rng, 5)      ? '\n'
			: rng_chance(&rng, 3) ? 0
					      : 'a' + rng_below(&rng, 26),
			f);
	rewind(f);
	return f;
}

void cases_streams(void)
{
	int size = 2 + rng_below(&rng, 58);
	char *line = room(60), **p = room(8), *block = room(400);
	size_t *n = room(8), k = 1 + rng_below(&rng, 7);
	fpos_t *pos = room(sizeof(fpos_t));
	FILE *f = some_lines();
	int64_t r;

	CALL(fgets, U(fgets(line, 1, f)), U(line), 1, U(f));
	while (CALL(fgets, U(fgets(line, size, f)), U(line), size, U(f)))
		;
	rewind(f);
	*p = NULL;
	*n = 0;
	while ((r = CALL(getline, getline(p, n, f), U(p), U(n), U(f))) >= 0)
		expect_write(*p, r + 1);
	rewind(f);
	while ((r = CALL(getdelim, getdelim(p, n, 'q', f), U(p), U(n), 'q', U(f))) >= 0)
		expect_write(*p, r + 1);
	free(*p);
	rewind(f);
	CALL(fread, fread(block, k, 50, f), U(block), k, 50, U(f));
	CALL(fgetpos, fgetpos(f, pos), U(f), U(pos));
	CALL(fread, fread(block, 1, 300, f), U(block), 1, 300, U(f));
	CALL(fsetpos, fsetpos(f, pos), U(f), U(pos));
	CALL(fwrite, fwrite(block, 1, 3, f), U(block), 1, 3, U(f));
	expect_read(block, 3);
	CALL(fputs, fputs("text", f), U("text"), U(f));
	CALL(fclose, fclose(f), U(f));
}

static void by_name(void)
{
	struct stat *st = room(sizeof(*st));
	struct statx *sx = room(sizeof(*sx));
	struct statfs *sf = room(sizeof(*sf));
	struct statvfs *sv = room(sizeof(*sv));
	char *to = room(4096), *name = copy("/proc/self/exe"), *none = copy("/usr/none/file");

	CALL(stat, stat(name, st), U(name), U(st));
	CALL(lstat, lstat(name, st), U(name), U(st));
	CALL(fstatat, fstatat(AT_FDCWD, name, st, 0), AT_FDCWD, U(name), U(st), 0);
	CALL(statx, statx(AT_FDCWD, name, 0, STATX_ALL, sx), AT_FDCWD, U(name), 0, STATX_ALL,
		U(sx));
	CALL(statfs, statfs(name, sf), U(name), U(sf));
	CALL(statvfs, statvfs(name, sv), U(name), U(sv));
	CALL(stat, stat(none, st), U(none), U(st));
	if (writes())
		BUG("a stat that failed wrote nothing");
	CALL(readlink, readlink(name, to, 5 + rng_below(&rng, 90)), U(name), U(to), 4096);
	CALL(realpath, U(realpath(name, to)), U(name), U(to));
	CALL(realpath, U(realpath(none, to)), U(none), U(to));
	free((void *)CALL(realpath, U(realpath(name, NULL)), U(name), 0));
	CALL(getcwd, U(getcwd(to, 4096)), U(to), 4096);
	CALL(getcwd, U(getcwd(to, 1)), U(to), 1);
	free((void *)CALL(getcwd, U(getcwd(NULL, 0)), 0, 0));
}

static void by_descriptor(int fd)
{
	struct stat *st = room(sizeof(*st));
	struct iovec *iov = room(3 * sizeof(*iov));
	struct flock *lock = room(sizeof(*lock));
	struct f_owner_ex *owner = room(sizeof(*owner));
	char *to = room(300);

	CALL(fstat, fstat(fd, st), fd, U(st));
	CALL(write, write(fd, to, 200), fd, U(to), 200);
	CALL(pread, pread(fd, to, 150, 100), fd, U(to), 150, 100);
	expect_write(to, 100);
	lseek(fd, 0, SEEK_SET);
	CALL(read, read(fd, to, rng_below(&rng, 300)), fd, U(to), 300);
	lseek(fd, 0, SEEK_SET);
	for (int i = 0; i < 3; i++)
		iov[i] = (struct iovec){room(100), rng_below(&rng, 100)};
	CALL(readv, readv(fd, iov, 3), fd, U(iov), 3);
	CALL(preadv, preadv(fd, iov, 3, 120), fd, U(iov), 3, 120);
	CALL(writev, writev(fd, iov, 3), fd, U(iov), 3);
	*lock = (struct flock){.l_type = F_WRLCK, .l_len = 10};
	CALL(fcntl, fcntl(fd, F_SETLK, lock), fd, F_SETLK, U(lock));
	CALL(fcntl, fcntl(fd, F_GETLK, lock), fd, F_GETLK, U(lock));
	*lock = (struct flock){.l_type = F_WRLCK, .l_len = 10};
	CALL(fcntl, fcntl(fd, F_OFD_GETLK, lock), fd, F_OFD_GETLK, U(lock));
	CALL(fcntl, fcntl(fd, F_GETOWN_EX, owner), fd, F_GETOWN_EX, U(owner));
	CALL(fcntl, fcntl(fd, F_GET_RW_HINT, to), fd, F_GET_RW_HINT, U(to));
	CALL(fcntl, fcntl(fd, F_GETFD), fd, F_GETFD);
	CALL(read, read(-1, to, 10), -1, U(to), 10);
	CALL(lseek, lseek(fd, 0, SEEK_END), fd, 0, SEEK_END);
}

static void folders(void)
{
	char *name = copy("/tmp/effects-XXXXXX"), *suffixed = copy("/tmp/effects-XXXXXX.txt");
	char *dir = copy("/tmp/effects-XXXXXX"), *proc = copy("/proc/self"),
	     *star = copy("/proc/s*");
	struct dirent *entry = room(sizeof(*entry)), **result = room(8);
	struct dirent ***list = room(8);
	glob_t *g = room(sizeof(*g));
	DIR *d;
	int fd, n;

	fd = (int)CALL(mkstemp, mkstemp(name), U(name));
	by_descriptor(fd);
	close(fd);
	CALL(unlink, unlink(name), U(name));
	fd = (int)CALL(mkstemps, mkstemps(suffixed, 4), U(suffixed), 4);
	close(fd);
	unlink(suffixed);
	CALL(mkdtemp, U(mkdtemp(dir)), U(dir));
	CALL(rmdir, rmdir(dir), U(dir));
	d = (DIR *)CALL(opendir, U(opendir(proc)), U(proc));
	for (n = 0; n < 10; n++)
		CALL(readdir_r, readdir_r(d, entry, result), U(d), U(entry), U(result));
	closedir(d);
	n = (int)CALL(
		scandir, scandir(proc, list, NULL, alphasort), U(proc), U(list), 0, U(alphasort));
	while (n > 0)
		free((*list)[--n]);
	free(*list);
	CALL(glob, glob(star, 0, NULL, g), U(star), 0, 0, U(g));
	CALL(globfree, (globfree(g), 0), U(g));
}

void cases_files(void)
{
	unsigned char *vec = room(8);
	void *map =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(char *)map = 1;
	CALL(mincore, mincore(map, 2 * 4096 + 1, vec), U(map), 2 * 4096 + 1, U(vec));
	expect_write(vec, 3);
	CALL(munmap, munmap(map, 3 * 4096), U(map), 3 * 4096);
	by_name();
	folders();
}
