/*
 * Annotations of a program for heddle. Include this file and compile with any compiler. Without
 * heddle each annotation is a no-op (heddle_assert is an assertion that NDEBUG does not remove),
 * and no library is needed.
 *
 *   heddle_assert(e)          e holds here under every schedule and input
 *   heddle_assume(e)          heddle ignores runs in which e does not hold here
 *   heddle_input(&x, n, name) the n bytes at &x are an input, which heddle may replace by other
 *                             values. They must be initialized; a run without heddle keeps them
 *   heddle_atomic_begin()     the code from here to heddle_atomic_end(), in this thread, is one
 *   heddle_atomic_end()       transaction: it must have the effect of an uninterrupted execution
 *   heddle_epoch()            a place that the program passes repeatedly with little state (the
 *                             head of its outer loop): heddle may divide schedules here
 *
 * heddle finds the functions below by name in the program's code. They are weak: without heddle
 * they are not defined, and their addresses are null.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(__ELF__)
#define HEDDLE_HOOK_(name, arguments) (name ? name arguments : (void)0)
#define HEDDLE_INLINE_ static __inline__ __attribute__((__unused__))
void __heddle_user_assert(const char *expression, const char *file, int line,
	const char *function) __attribute__((__weak__));
void __heddle_user_assume(int holds, const char *expression) __attribute__((__weak__));
void __heddle_user_input(void *object, size_t size, const char *name) __attribute__((__weak__));
void __heddle_user_atomic_begin(void) __attribute__((__weak__));
void __heddle_user_atomic_end(void) __attribute__((__weak__));
void __heddle_user_epoch(void) __attribute__((__weak__));
#else
#define HEDDLE_HOOK_(name, arguments) ((void)0)
#define HEDDLE_INLINE_ static inline
#endif

/* Reports a false assertion and aborts; used without heddle. */
HEDDLE_INLINE_ void heddle_assert_failed_(const char *expression, const char *file, int line,
	const char *function)
{
	fprintf(stderr, "%s:%d: %s: heddle_assert '%s' failed\n", file, line, function, expression);
	abort();
}

/* Macros, so that a report names the line of the program instead of a line of this file. */
#define heddle_assert(e) \
	((e) ? (void)0 : \
	       (HEDDLE_HOOK_(__heddle_user_assert, (#e, __FILE__, __LINE__, __func__)), \
		       heddle_assert_failed_(#e, __FILE__, __LINE__, __func__)))
#define heddle_assume(e) \
	((e) ? HEDDLE_HOOK_(__heddle_user_assume, (1, #e)) : \
	       HEDDLE_HOOK_(__heddle_user_assume, (0, #e)))
#define heddle_input(object, size, name) \
	HEDDLE_HOOK_(__heddle_user_input, ((object), (size), (name)))
#define heddle_atomic_begin() HEDDLE_HOOK_(__heddle_user_atomic_begin, ())
#define heddle_atomic_end()   HEDDLE_HOOK_(__heddle_user_atomic_end, ())
#define heddle_epoch()        HEDDLE_HOOK_(__heddle_user_epoch, ())

#ifdef __cplusplus
}
#endif

#endif
