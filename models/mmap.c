/*
 * Memory maps. An anonymous one is an object of the heap; a private one of a file is a copy of the
 * file's bytes. Shared maps of files, fixed addresses and partial unmaps are not modelled.
 */
#include "model.h"
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096UL

struct map {
	char *start;
	size_t size; /* rounded up to pages */
	struct map *next;
};

static struct map *maps;

static size_t round_up(size_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static struct map **find(const void *start)
{
	struct map **m = &maps;

	while (*m && (*m)->start != start)
		m = &(*m)->next;
	return m;
}

static bool read_in(char *to, size_t n, int fd, off_t offset)
{
	while (n) {
		long k = M_SYS(SYS_pread64, fd, to, n, offset);
		if (k <= 0)
			return k == 0;
		to += k;
		offset += k;
		n -= (size_t)k;
	}
	return true;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	struct map *m;

	(void)at;
	(void)protection;
	if (!n || (offset & (off_t)(PAGE - 1)) || !(flags & (MAP_SHARED | MAP_PRIVATE))) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		__heddle_unmodelled("mmap at a fixed address");
	if (!(flags & MAP_ANONYMOUS) && (flags & MAP_SHARED) && (protection & PROT_WRITE))
		__heddle_unmodelled("mmap of a file, shared and writable");
	m = __heddle_alloc(sizeof *m, _Alignof(struct map), false);
	m->size = round_up(n);
	m->start = m->size ? __heddle_alloc(m->size, PAGE, true) : NULL;
	if (!m->start) {
		__heddle_free(m);
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (!(flags & MAP_ANONYMOUS) && !read_in(m->start, n, fd, offset)) {
		__heddle_free(m->start);
		__heddle_free(m);
		return MAP_FAILED;
	}
	m->next = maps;
	maps = m;
	return m->start;
}
M_ALIAS(mmap64, mmap);

int munmap(void *start, size_t n)
{
	struct map **at = find(start), *m = *at;

	if (!n || ((uintptr_t)start & (PAGE - 1)))
		return m_fail(EINVAL);
	if (!m || round_up(n) != m->size)
		__heddle_unmodelled("munmap of a part of a map");
	*at = m->next;
	__heddle_free(m->start);
	__heddle_free(m);
	return 0;
}

void *mremap(void *start, size_t old, size_t new, int flags, ...)
{
	struct map *m = *find(start);
	char *p;

	if (flags & ~MREMAP_MAYMOVE)
		__heddle_unmodelled("mremap to a fixed address");
	if (!m || round_up(old) != m->size)
		__heddle_unmodelled("mremap of a part of a map");
	if (round_up(new) == m->size)
		return start;
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	p = __heddle_alloc(round_up(new), PAGE, true);
	if (!p) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	__builtin_memcpy(p, m->start, m->size < round_up(new) ? m->size : round_up(new));
	__heddle_free(m->start);
	m->start = p;
	m->size = round_up(new);
	return p;
}

int mprotect(void *start, size_t n, int protection)
{
	(void)start;
	(void)n;
	if (!(protection & PROT_WRITE))
		__heddle_unmodelled("mprotect that forbids writing");
	return 0;
}

int madvise(void *start, size_t n, int advice)
{
	if (advice == MADV_DONTNEED)
		__builtin_memset(start, 0, n);
	return 0;
}

int posix_madvise(void *start, size_t n, int advice)
{
	(void)start;
	(void)n;
	(void)advice;
	return 0;
}

int msync(void *start, size_t n, int flags)
{
	(void)start;
	(void)n;
	(void)flags;
	return 0;
}

int mlock(const void *start, size_t n)
{
	(void)start;
	(void)n;
	return 0;
}
M_ALIAS(munlock, mlock);

int mlockall(int flags)
{
	(void)flags;
	return 0;
}

int munlockall(void)
{
	return 0;
}
