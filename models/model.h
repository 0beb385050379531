/*
 * Common header of all models. Rules of this folder:
 *
 *  - A program may define any name that ISO C does not reserve (its own getline, error, read). So
 *    a model calls only ISO C functions, names of the implementation (two underscores) and its
 *    own. Functions shared between models but not part of libc are called __m_something.
 *  - Memory that the program will free comes from malloc, which the program may replace; memory
 *    that only models use comes from __heddle_alloc.
 *  - No locks (see heddle_model.h), no accesses to several bytes as one word, no tables where a
 *    comparison is enough: the same code is executed symbolically.
 *  - Headers that redirect a name by __asm__ (strtol, scanf) are not included where that name is
 *    defined, so that one source serves glibc 2.36 and later.
 */
#ifndef HEDDLE_MODELS_MODEL_H
#define HEDDLE_MODELS_MODEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* models define the functions that the headers define inline */
#endif

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include "heddle_model.h"

/* A second public name of a function or object defined in the same file. */
#define M_ALIAS(name, target) extern __typeof__(target) name __attribute__((alias(#target)))

/* For helpers of a few instructions: a call would cost as much as the helper. */
#define M_INLINE static inline __attribute__((always_inline))

/* Raw result of a system call -> errno and -1. */
M_INLINE long m_ret(long r)
{
	if ((unsigned long)r > -4096UL) {
		errno = (int)-r;
		return -1;
	}
	return r;
}

/* M_SYS(number, up to six arguments): the call with errno set; M_RAW: the kernel's own result. */
#define M_RAW_(n, a, b, c, d, e, f, ...) \
	__heddle_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define M_RAW(n, ...) M_RAW_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define M_SYS(...)    m_ret(M_RAW(__VA_ARGS__))

/* Fails with that errno. */
M_INLINE int m_fail(int e)
{
	errno = e;
	return -1;
}

#define M_NS_PER_S 1000000000ULL

#endif
