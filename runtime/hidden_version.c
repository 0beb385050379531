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

/* A FIFO may block its open until another thread opens it, too: these must not use the same lock. */
HOOK uint64_t __heddle_hidden_bucket(uint64_t path)
{
	const unsigned char *s = (const unsigned char *)path;
	struct stat st = {0};

	while (s && s[0] == '.' && s[1] == '/')
		s += 2;
	if (s && !sys3(SYS_stat, s, &st, 0) && S_ISFIFO(st.st_mode))
		return (uint64_t)sys3(SYS_gettid, 0, 0, 0) % HIDDEN_BUCKETS;
	return mix_string(0, s) % HIDDEN_BUCKETS;
}
