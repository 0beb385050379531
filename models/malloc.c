/*
 * <malloc.h> and the allocation of <stdlib.h> on the machine's objects. An object has exactly the
 * requested size, so that the machine reports every access past it.
 */
#include "model.h"
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#define ALIGN_DEFAULT 16
#define PAGE          4096

static void *allocate(size_t size, size_t align, bool zero)
{
	void *p = size <= PTRDIFF_MAX ? __heddle_alloc(size, align, zero) : NULL;

	if (!p)
		errno = ENOMEM;
	return p;
}

void *malloc(size_t size)
{
	return allocate(size, ALIGN_DEFAULT, false);
}
M_ALIAS(__libc_malloc, malloc);

void *calloc(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = SIZE_MAX;
	return allocate(bytes, ALIGN_DEFAULT, true);
}
M_ALIAS(__libc_calloc, calloc);

void free(void *p)
{
	if (p)
		__heddle_free(p);
}
M_ALIAS(__libc_free, free);

void *realloc(void *p, size_t size)
{
	void *q;
	size_t old;

	if (!p)
		return malloc(size);
	old = __heddle_alloc_size(p);
	if (!size) {
		__heddle_free(p);
		return NULL;
	}
	q = allocate(size, ALIGN_DEFAULT, false);
	if (!q)
		return NULL;
	__builtin_memcpy(q, p, old < size ? old : size);
	__heddle_free(p);
	return q;
}
M_ALIAS(__libc_realloc, realloc);

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *p;

	if (align % sizeof(void *) || !power_of_two(align))
		return EINVAL;
	p = size <= PTRDIFF_MAX ? __heddle_alloc(size, align, false) : NULL;
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void *__libc_memalign(size_t align, size_t size)
{
	size_t power = ALIGN_DEFAULT;

	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	while (power < align)
		power *= 2;
	return allocate(size, power, false);
}
M_ALIAS(memalign, __libc_memalign);

void *aligned_alloc(size_t align, size_t size)
{
#if __GLIBC_PREREQ(2, 38)
	if (!power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
#endif
	return __libc_memalign(align, size);
}

void *valloc(size_t size)
{
	return allocate(size, PAGE, false);
}

void *pvalloc(size_t size)
{
	return size > PTRDIFF_MAX - PAGE ? allocate(SIZE_MAX, PAGE, false)
					 : allocate((size + PAGE - 1) / PAGE * PAGE, PAGE, false);
}

size_t malloc_usable_size(void *p)
{
	return p ? __heddle_alloc_size(p) : 0;
}

int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

int mallopt(int parameter, int value)
{
	(void)parameter;
	(void)value;
	return 1;
}
