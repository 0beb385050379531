#include "log/store_place.h"

#include "base/diag.h"
#include "log/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t store_log_number(const char *name)
{
	char *end;
	long n;

	if (!strcmp(name, STORE_LOG))
		return 0;
	if (strncmp(name, STORE_LOG ".", strlen(STORE_LOG) + 1))
		return -1;
	name += strlen(STORE_LOG) + 1;
	n = strtol(name, &end, 10);
	return *name >= '1' && *name <= '9' && !*end && n <= INT32_MAX ? n : -1;
}

static bool is_our_name(const char *name)
{
	static const char *const names[] = {
		STORE_META, STORE_META_NEW, STORE_PROGRAM, STORE_LOG_NEW, STORE_FIRST};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return store_log_number(name) >= 0;
}

static bool has_our_meta(int dirfd)
{
	char head[sizeof STORE_META_MARK - 1];
	int fd = openat(dirfd, STORE_META, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes = fd >= 0 && read(fd, head, sizeof head) == sizeof head &&
		   !memcmp(head, STORE_META_MARK, sizeof head);

	if (fd >= 0)
		close(fd);
	return yes;
}

enum contents { CONTENTS_NONE, CONTENTS_TRACE, CONTENTS_OTHER };

static enum contents look_into(int dirfd)
{
	DIR *d = fdopendir(dup(dirfd));
	enum contents found = CONTENTS_NONE;
	struct dirent *e;

	if (!d)
		return CONTENTS_OTHER;
	rewinddir(d);
	while (found != CONTENTS_OTHER && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			found = is_our_name(e->d_name) ? CONTENTS_TRACE : CONTENTS_OTHER;
	closedir(d);
	if (found == CONTENTS_TRACE && !has_our_meta(dirfd))
		found = CONTENTS_OTHER;
	return found;
}

static void remove_trace(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (is_our_name(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(path);
}

static int open_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_("cannot open the directory '%s': %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return error_(
			"the trace '%s' is still being written (choose another place with -o)",
			path);
	}
	return fd;
}

static int make_dir(struct place *p, const char *path)
{
	if (mkdir(path, 0777))
		return error_("cannot make the directory '%s': %s (choose another place with -o)",
			path, strerror(errno));
	p->made = true;
	p->fd = open_locked(path);
	if (p->fd >= 0)
		return 0;
	rmdir(path);
	return -1;
}

/* Uses an existing directory, which is empty or has an old trace. */
static int take_existing(struct place *p)
{
	int old = open_locked(p->dir);
	enum contents found;

	if (old < 0)
		return -1;
	found = look_into(old);
	if (found == CONTENTS_NONE) {
		if (!faccessat(old, ".", W_OK, AT_EACCESS)) {
			p->fd = old;
			return 0;
		}
		error_("cannot write to the directory '%s': %s (choose another place with -o)",
			p->dir, strerror(errno));
	} else if (found == CONTENTS_OTHER) {
		error_("'%s' exists and is not a trace of heddle (choose another place with -o)",
			p->dir);
	}
	close(old); /* releases the lock */
	if (found != CONTENTS_TRACE)
		return -1;
	p->fresh = xasprintf("%s.new-%d", p->dir, (int)getpid());
	return make_dir(p, p->fresh);
}

int place_take(struct place *p, const char *dir)
{
	size_t n = strlen(dir);
	struct stat st;
	int rc;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	*p = (struct place){.dir = xstrndup(dir, n), .fd = -1};
	if (stat(p->dir, &st))
		rc = make_dir(p, p->dir);
	else if (!S_ISDIR(st.st_mode))
		rc = error_(
			"'%s' exists and is not a trace of heddle (choose another place with -o)",
			p->dir);
	else
		rc = take_existing(p);
	if (rc)
		place_release(p);
	return rc;
}

int place_settle(struct place *p)
{
	char *old = NULL;

	if (!p->fresh)
		return 0;
	if (!renameat2(AT_FDCWD, p->fresh, AT_FDCWD, p->dir, RENAME_EXCHANGE)) {
		remove_trace(p->fresh);
	} else {
		/* the file system has no RENAME_EXCHANGE, or the old trace was removed */
		old = xasprintf("%s.old-%d", p->dir, (int)getpid());
		rename(p->dir, old);
		if (rename(p->fresh, p->dir)) {
			error_("cannot rename '%s' to '%s': %s (the trace is complete there)",
				p->fresh, p->dir, strerror(errno));
			rename(old, p->dir);
			free(old);
			return -1;
		}
		remove_trace(old);
		free(old);
	}
	free(p->fresh);
	p->fresh = NULL;
	return 0;
}

void place_abandon(struct place *p)
{
	const char *at = p->fresh ? p->fresh : p->dir;
	DIR *d;

	if (p->made) {
		remove_trace(at);
	} else if ((d = opendir(at))) {
		for (struct dirent *e; (e = readdir(d));)
			if (is_our_name(e->d_name))
				unlinkat(dirfd(d), e->d_name, 0);
		closedir(d);
	}
}

void place_release(struct place *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->fresh);
	free(p->dir);
	*p = (struct place){.fd = -1};
}
