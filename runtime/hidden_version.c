/*
 * Versions of the state that the C library and the system keep (src/bitcode/hidden_order.h): the
 * version after a call is a hash of the version before it, the function and its arguments.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "log/hidden.h"
#include "runtime/runtime.h"

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static uint64_t mix_string(uint64_t h, const unsigned char *s)
{
	for (; s && *s; s++)
		h = mix(h, *s);
	return mix(h, !s);
}

/* The call opens a file and neither creates nor truncates it. */
static bool only_looks(uint64_t kinds, const uint64_t *args)
{
	uint64_t next = args[((kinds >> 32 & 255) + 1) % 3];

	if (kinds & HIDDEN_BY_FLAGS)
		return !(next & (O_CREAT | O_TRUNC));
	return (kinds & HIDDEN_BY_MODE) && next && *(const char *)next == 'r';
}

HOOK uint64_t __heddle_hidden_version(
	uint64_t old, uint64_t function, uint64_t kinds, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t args[] = {a, b, c};
	uint64_t h = mix(old, function);

	if (only_looks(kinds, args))
		return old;
	for (unsigned i = 0; i < sizeof args / sizeof *args; i++) {
		uint64_t kind = kinds >> 8 * i & 255;

		if (kind)
			h = mix(h, args[i]); /* strtok() keeps the address of a string */
		if (kind == HIDDEN_STRING)
			h = mix_string(h, (const unsigned char *)args[i]);
	}
	return h;
}

/* The last component of a path, which all names of a file have in common if it has no links. */
static const char *last_component(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/' && path[1] && path[1] != '/')
			last = path + 1;
	return last;
}

static uint64_t mix_component(const char *s)
{
	uint64_t h = 0;

	for (s = last_component(s); *s && *s != '/'; s++)
		h = mix(h, (unsigned char)*s);
	return h;
}

/* A FIFO may block its open until another thread opens it, too: these must not use the same lock.
 * A file with several names is known by its inode, a symbolic link by what it leads to. */
HOOK uint64_t __heddle_hidden_bucket(uint64_t path)
{
	const char *s = (const char *)path;
	char target[4096];
	struct stat st = {0};
	long n;

	if (!s)
		return 0;
	if (!sys3(SYS_stat, s, &st, 0)) {
		if (S_ISFIFO(st.st_mode))
			return (uint64_t)sys3(SYS_gettid, 0, 0, 0) % HIDDEN_BUCKETS;
		if (S_ISREG(st.st_mode) && st.st_nlink > 1)
			return st.st_ino % HIDDEN_BUCKETS;
	}
	n = (long)sys3(SYS_readlink, s, target, sizeof target - 1);
	if (n > 0) {
		target[n] = 0;
		s = target;
	}
	return mix_component(s) % HIDDEN_BUCKETS;
}
