/*
 * Inputs of the schedule (log/schedule.h): objects that the program names by heddle_input(), and
 * the file that it gets for a name. With a private directory, the program changes copies of files
 * in there.
 *
 * Paths are static, under the lock of control: the stacks of some threads are too small for them.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "runtime/enforce/inputs.h"

static const char *text_at(uint64_t at)
{
	return (const char *)control.shared + at;
}

static bool same_string(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static struct sched_input *input_at(uint32_t i)
{
	return (struct sched_input *)((char *)control.shared + control.shared->inputs_at) + i;
}

/* ---- objects ------------------------------------------------------------------------------ */

void enforce_input(void *object, size_t size, const char *name)
{
	const struct sched_shared *sh = control.shared;
	uint32_t nth = 0;
	for (uint32_t i = 0; sh && i < sh->ninputs; i++) {
		struct sched_input *in = input_at(i);
		if (in->kind != SCHED_INPUT_OBJECT || !same_string(text_at(in->name_at), name))
			continue;
		if (!nth)
			nth = ++in->calls;
		if (in->nth == nth)
			copy_bytes(object, text_at(in->bytes_at), in->n < size ? in->n : size);
	}
}

/* ---- names -------------------------------------------------------------------------------- */

static size_t string_length(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

/* False if it does not fit. */
static bool append_bytes(struct path *p, const char *s, size_t n)
{
	if (p->n + n >= sizeof(p->s))
		return false;
	copy_bytes(p->s + p->n, s, n);
	p->n += n;
	p->s[p->n] = 0;
	return true;
}

static bool append_number(struct path *p, uint64_t number)
{
	char digits[20];
	uint32_t n = sizeof(digits);
	do
		digits[--n] = (char)('0' + number % 10);
	while (number /= 10);
	return append_bytes(p, digits + n, sizeof(digits) - n);
}

static bool append_directory(struct path *p, int dir)
{
	static struct path link;
	long n;
	link.n = 0;
	if (dir == AT_FDCWD) {
		n = sys3(SYS_getcwd, p->s, sizeof(p->s) - 1, 0) - 1;
	} else {
		if (!append_bytes(&link, "/proc/self/fd/", 14) || dir < 0 ||
			!append_number(&link, (uint64_t)dir))
			return false;
		n = sys3(SYS_readlink, link.s, p->s, sizeof(p->s) - 1);
	}
	if (n <= 0 || p->s[0] != '/')
		return false;
	p->n = (size_t)n;
	p->s[p->n] = 0;
	return true;
}

/* "/a/./b/../c" → "/a/c"; symbolic links are not resolved. */
static void normalize_path(struct path *p)
{
	size_t to = 0, from = 0;
	while (from < p->n) {
		size_t n = 0;
		while (p->s[from] == '/')
			from++;
		while (p->s[from + n] && p->s[from + n] != '/')
			n++;
		if (n == 2 && p->s[from] == '.' && p->s[from + 1] == '.') {
			while (to && p->s[--to] != '/')
				;
		} else if (n && !(n == 1 && p->s[from] == '.')) {
			p->s[to++] = '/';
			for (size_t i = 0; i < n; i++)
				p->s[to++] = p->s[from + i];
		}
		from += n;
	}
	if (!to)
		p->s[to++] = '/';
	p->s[to] = 0;
	p->n = to;
}

static bool make_absolute(struct path *p, int dir, const char *path)
{
	p->n = 0;
	if (!path || !*path)
		return false;
	if (*path != '/' && !(append_directory(p, dir) && append_bytes(p, "/", 1)))
		return false;
	if (!append_bytes(p, path, string_length(path)))
		return false;
	normalize_path(p);
	return true;
}

/* ---- copies ------------------------------------------------------------------------------- */

enum { MAX_COPIES = 1024 };
struct copy {
	struct path name, path;
};
static struct copy *copies[MAX_COPIES];
static uint32_t ncopies;

static const char *find_replacement(const char *name)
{
	const struct sched_shared *sh = control.shared;
	for (uint32_t i = 0; i < ncopies; i++)
		if (same_string(copies[i]->name.s, name))
			return copies[i]->path.s;
	for (uint32_t i = 0; i < sh->ninputs; i++)
		if (input_at(i)->kind == SCHED_INPUT_FILE &&
			same_string(text_at(input_at(i)->name_at), name))
			return text_at(input_at(i)->bytes_at);
	return NULL;
}

static void copy_file(const char *to, const char *from, uint32_t mode)
{
	static char buf[4096];
	long in = sys3(SYS_open, from, O_RDONLY | O_CLOEXEC, 0), n;
	long out = sys3(SYS_open, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode | 0600);
	while (in >= 0 && out >= 0 && (n = sys3(SYS_read, in, buf, sizeof(buf))) > 0)
		if (sys3(SYS_write, out, buf, n) != n)
			break;
	if (in >= 0)
		sys3(SYS_close, in, 0, 0);
	if (out >= 0)
		sys3(SYS_close, out, 0, 0);
}

static bool is_directory_writable(const struct path *name)
{
	static struct path dir;
	dir = *name;
	while (dir.n > 1 && dir.s[dir.n - 1] != '/')
		dir.n--;
	dir.s[dir.n] = 0;
	return !sys3(SYS_access, dir.s, 2 /* W_OK */, 0);
}

/* ---- directories that the program has made ------------------------------------------------- */

enum { MAX_OWN = 64 };
static struct path *own[MAX_OWN];
static uint32_t nown;

void directory_made(const char *path)
{
	const struct sched_shared *sh = control.shared;
	if (!sh || !sh->private_at || nown == MAX_OWN)
		return;
	struct path *p = map_memory(sizeof(*p));
	if (!p)
		return;
	control_lock();
	if (make_absolute(p, AT_FDCWD, path))
		own[nown++] = p;
	control_unlock();
}

static bool in_own_directory(const struct path *name)
{
	for (uint32_t i = 0; i < nown; i++) {
		size_t n = 0;
		while (n < own[i]->n && own[i]->s[n] == name->s[n])
			n++;
		if (n == own[i]->n && name->s[n] == '/')
			return true;
	}
	return false;
}

/* The program is about to change that file: makes the copy that it gets instead. NULL if the
 * program has no permission or the file cannot be copied: then the real call reports the error. */
static const char *make_copy(const struct path *name, uint32_t how)
{
	struct stat st;
	bool there = !sys3(SYS_stat, name->s, &st, 0);
	if (!control.shared->private_at || ncopies == MAX_COPIES || in_own_directory(name))
		return NULL;
	if (there ? (st.st_mode & S_IFMT) != S_IFREG ||
				(how & CHANGE_CONTENTS && sys3(SYS_access, name->s, 2, 0)) ||
				(how & CHANGE_ENTRY && !is_directory_writable(name))
		  : !(how & CHANGE_CREATE) || !is_directory_writable(name))
		return NULL;
	struct copy *c = map_memory(sizeof(*c));
	if (!c)
		return NULL;
	c->name = *name;
	const char *dir = text_at(control.shared->private_at);
	if (!append_bytes(&c->path, dir, string_length(dir)) || !append_bytes(&c->path, "/w", 2) ||
		!append_number(&c->path, ncopies))
		return NULL;
	if (there)
		copy_file(c->path.s, name->s, st.st_mode & 07777);
	copies[ncopies++] = c;
	return c->path.s;
}

const char *file_for(int dir, const char *path, uint32_t change)
{
	const struct sched_shared *sh = control.shared;
	static struct path name;
	const char *to = NULL;
	if (!sh || (!sh->ninputs && !sh->private_at))
		return path;
	control_lock();
	if (make_absolute(&name, dir, path)) {
		to = find_replacement(name.s);
		if (!to && change)
			to = make_copy(&name, change);
	}
	control_unlock();
	return to ? to : path;
}
