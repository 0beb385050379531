/*
 * The memory operations that are single operations of the IR, as functions: for calls through a
 * pointer, and for calls that clang did not replace by an intrinsic.
 */
#include <string.h>
#include "model.h"

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	__builtin_memcpy(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	__builtin_memmove(to, from, n);
	return to;
}

void *memset(void *s, int c, size_t n)
{
	__builtin_memset(s, c, n);
	return s;
}
