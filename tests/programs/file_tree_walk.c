/*
 * check-name: ftw and nftw visit a tree in every mode, with the flags and levels of the C library
 * check-output:
ftw: 0
 D .
 D ./a
 D ./a/deep
 F ./a/deep/x
 F ./a/one
 F ./link
 NS ./lost
 D ./z
nftw 0: 0
 D . 0
 D ./a 1
 D ./a/deep 2
 F ./a/deep/x 3
 F ./a/one 2
 F ./link 1
 SLN ./lost 1
 D ./z 1
nftw phys depth: 0
 DP . 0
 DP ./a 1
 DP ./a/deep 2
 F ./a/deep/x 3
 F ./a/one 2
 SL ./link 1
 SL ./lost 1
 DP ./z 1
children before their directory: yes
nftw of one file: 0
 F ./a/one 0
a nonzero result ends the walk: 7
skipped: ./a
no such file: -1 2
 * check-output-end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static char seen[32][64];
static int n, before;

static const char *flag_name(int flag)
{
	static const char *const names[] = {[FTW_F] = "F", [FTW_D] = "D", [FTW_DNR] = "DNR",
		[FTW_NS] = "NS", [FTW_SL] = "SL", [FTW_DP] = "DP", [FTW_SLN] = "SLN"};

	return names[flag];
}

static int simple(const char *path, const struct stat *st, int flag)
{
	(void)st;
	snprintf(seen[n++], sizeof seen[0], ".%s\t%s", path + strlen(root), flag_name(flag));
	return 0;
}

static int full(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	const char *base = path + at->base;

	(void)st;
	if (strchr(base, '/') || (at->base && path[at->base - 1] != '/'))
		abort();
	if (flag == FTW_DP && !strcmp(base, "a"))
		before = n;
	snprintf(seen[n++], sizeof seen[0], ".%s\t%s %d", path + strlen(root), flag_name(flag), at->level);
	return 0;
}

static int stops(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	return flag == FTW_F ? 7 : 0;
}

static int skips(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	if (flag == FTW_D && !strcmp(path + at->base, "a")) {
		printf("skipped: .%s\n", path + strlen(root));
		return FTW_SKIP_SUBTREE;
	}
	if (at->level > 1)
		abort();
	return FTW_CONTINUE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void tell(const char *what, int rc)
{
	printf("%s: %d\n", what, rc);
	qsort(seen, n, sizeof seen[0], by_name);
	for (int i = 0; i < n; i++) {
		char *tab = strchr(seen[i], '\t'), *level = strchr(tab, ' ');

		*tab = 0;
		if (level)
			*level = 0;
		printf(" %s %s%s%s\n", tab + 1, seen[i], level ? " " : "", level ? level + 1 : "");
	}
	n = 0;
}

static char *in(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return path;
}

static int removed(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(path);
}

int main(void)
{
	int rc;

	strcpy(root, "/tmp/heddle-ftw-XXXXXX");
	if (!mkdtemp(root))
		return 1;
	if (mkdir(in("a"), 0700) || mkdir(in("a/deep"), 0700) || mkdir(in("z"), 0700) ||
		close(creat(in("a/one"), 0600)) || close(creat(in("a/deep/x"), 0600)) ||
		symlink("a/one", in("link")) || symlink("nowhere", in("lost")))
		return 2;
	rc = ftw(root, simple, 5);
	tell("ftw", rc);
	rc = nftw(root, full, 1, 0);
	tell("nftw 0", rc);
	rc = nftw(in(""), full, 5, FTW_PHYS | FTW_DEPTH);
	tell("nftw phys depth", rc);
	printf("children before their directory: %s\n", before >= 3 ? "yes" : "no");
	rc = nftw(in("a/one"), full, 5, FTW_PHYS);
	tell("nftw of one file", rc);
	printf("a nonzero result ends the walk: %d\n", nftw(root, stops, 5, FTW_PHYS));
	if (nftw(root, skips, 5, FTW_PHYS | FTW_ACTIONRETVAL))
		return 3;
	errno = 0;
	rc = nftw(in("none"), full, 5, 0);
	printf("no such file: %d %d\n", rc, errno);
	return nftw(root, removed, 5, FTW_PHYS | FTW_DEPTH);
}
