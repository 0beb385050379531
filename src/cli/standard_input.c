#include "cli/standard_input.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int standard_input_rewind(const char *path)
{
	int fd = open(path ? path : "/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_("cannot read the program's input '%s': %s", path ? path : "/dev/null",
			strerror(errno));
	if (fd) {
		dup2(fd, 0);
		close(fd);
	} else {
		fcntl(0, F_SETFD, 0);
	}
	return 0;
}

/* Prints a note if no input arrives for a second: the other end of a pipe may stay open. -1 after
 * error_(): the time is over. */
static int wait_for_input(bool *told, double until)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};

	while (!poll(&p, 1,
		until > 0 ? (int)MIN(MAX(until - clock_seconds(), 0) * 1000 + 1, 1000) : 1000)) {
		if (until > 0 && clock_seconds() > until)
			return error_("standard input did not end in time ('</dev/null' if the "
				      "program needs none)");
		if (!*told)
			note_("reading standard input to its end, because every run reads it "
			      "('</dev/null' if the program needs none)");
		*told = true;
	}
	return 0;
}

static int read_all(struct strbuf *b, double until)
{
	bool told = false;
	char part[1 << 16];

	for (;;) {
		ssize_t n;

		if (wait_for_input(&told, until))
			return -1;
		n = read(0, part, sizeof part);
		if (!n)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_("cannot read standard input: %s", strerror(errno));
		if (b->n + (size_t)n > INPUT_MAX)
			return error_(
				"standard input has more than %llu MB, too much to be kept for "
				"every run (put it into a file and give '<FILE')",
				INPUT_MAX >> 20);
		strbuf_add(b, part, (size_t)n);
	}
}

static int make_folder(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return error_("cannot create the directory '%s': %s", path, strerror(errno));
	return 0;
}

/* Stores the input and returns its absolute path; NULL after error_(). Writes a temporary file and
 * renames it, because another process may be reading the old one. */
static char *store_copy(const char *dir, const struct strbuf *b)
{
	char *home = xasprintf("%s/.heddle", dir), *folder = xasprintf("%s/inputs", home);
	char *name = xasprintf("%s/%016" PRIx64, folder, hash_bytes(b->s, b->n));
	char *part = xasprintf("%s.%d", name, (int)getpid()), *full = NULL;

	if (!make_folder(home) && !make_folder(folder)) {
		if (file_write(part, b->s, b->n, false) || rename(part, name))
			error_("cannot keep standard input in '%s': %s", name, strerror(errno));
		else
			full = realpath(name, NULL);
	}
	free(part);
	free(name);
	free(folder);
	free(home);
	return full;
}

/* The path of standard input, if it is a file that is too large to copy, is at its beginning, and
 * still has a name; else NULL. */
static char *large_file(const struct stat *st)
{
	struct stat again;
	char *name;

	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size <= INPUT_MAX || lseek(0, 0, SEEK_CUR))
		return NULL;
	name = realpath("/proc/self/fd/0", NULL);
	if (name &&
		(stat(name, &again) || again.st_ino != st->st_ino || again.st_dev != st->st_dev)) {
		free(name);
		name = NULL;
	}
	if (name)
		note_("standard input '%s' is too large to copy: do not change it, replays "
		      "read it again",
			name);
	return name;
}

static bool has_input(const struct stat *st)
{
	if (isatty(0)) {
		note_("standard input is a terminal: the program reads from /dev/null instead");
		return false;
	}
	return !S_ISDIR(st->st_mode);
}

int standard_input_keep(const char *dir, double until, char **path)
{
	struct strbuf b = {0};
	struct stat st;
	int rc = 0;

	*path = NULL;
	if (!fstat(0, &st) && has_input(&st) && !(*path = large_file(&st))) {
		rc = read_all(&b, until);
		if (!rc && b.n)
			rc = (*path = store_copy(dir, &b)) ? 0 : -1;
	}
	strbuf_release(&b);
	return rc ? -1 : standard_input_rewind(*path);
}
