/*
 * free, realloc and other functions that take a block replace those of the library, also for native
 * code and the library itself. Blocks of the regions are recognized by their address; all others go
 * to the library. The names are weak: a program with its own malloc, or linked statically, keeps
 * its functions, and then regions have no blocks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include "runtime/enforce/region.h"

/* The same function under the name of the library. */
#define INTERPOSE(own) __attribute__((weak, visibility("default"), alias(#own)))

void *dlsym(void *handle, const char *name) WEAK;
void __libc_free(void *p) WEAK;
void *__libc_realloc(void *p, size_t n) WEAK;

static struct {
	void (*free)(void *);
	void *(*realloc)(void *, size_t);
	size_t (*malloc_usable_size)(void *);
} next;

static void own_free(void *p)
{
	if (in_region((uint64_t)p))
		heap_free_native(p);
	else if (next.free)
		next.free(p);
	else
		__libc_free(p);
}

static void *own_realloc(void *p, size_t n)
{
	if (!in_region((uint64_t)p))
		return next.realloc ? next.realloc(p, n) : __libc_realloc(p, n);
	uint64_t had = heap_size((uint64_t)p);
	void *to = n ? malloc(n) : NULL;
	if (to)
		copy_bytes(to, p, had < n ? had : n);
	if (to || !n)
		heap_free_native(p);
	return to;
}

static void *own_reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return own_realloc(p, all);
}

static size_t own_usable_size(void *p)
{
	if (in_region((uint64_t)p))
		return heap_size((uint64_t)p);
	return next.malloc_usable_size ? next.malloc_usable_size(p) : 0;
}

INTERPOSE(own_free) void free(void *p);
INTERPOSE(own_realloc) void *realloc(void *p, size_t n);
INTERPOSE(own_reallocarray) void *reallocarray(void *p, size_t n, size_t size);
INTERPOSE(own_usable_size) size_t malloc_usable_size(void *p);

static bool find_next(void)
{
	if (!dlsym || !__libc_free || !__libc_realloc ||
		dlsym(RTLD_DEFAULT, "free") != (void *)own_free ||
		dlsym(RTLD_DEFAULT, "realloc") != (void *)own_realloc)
		return false;
	next.malloc_usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
	next.realloc = dlsym(RTLD_NEXT, "realloc");
	next.free = dlsym(RTLD_NEXT, "free");
	return next.free && next.realloc && next.malloc_usable_size;
}

bool interposed(void)
{
	static int8_t is; /* 1, -1 */
	if (!is)
		is = find_next() ? 1 : -1;
	return is > 0;
}
