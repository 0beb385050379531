/*
 * What a program may tell heddle about itself. Include this and compile with anything: without
 * heddle each of these is a no-op (heddle_assert is an assertion that NDEBUG does not remove), and
 * nothing needs to be linked.
 *
 *   heddle_assert(e)          e holds here on every schedule and input
 *   heddle_assume(e)          runs in which e does not hold here are of no interest
 *   heddle_input(&x, n, name) the n bytes at &x are an input: their value in this run is one of
 *                             many. They must hold one already; a run without heddle keeps it
 *   heddle_atomic_begin()     from here to heddle_atomic_end(), in this thread, is meant to be
 *   heddle_atomic_end()       one transaction: no other thread should be seen in between
 *   heddle_epoch()            a place that the program passes again and again with little state
 *                             (the head of its outer loop): schedules may be cut here
 *
 * The functions below are found by their names in the program's code. Where they are not defined
 * (no heddle) they are null.
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

/* What a false assertion does without heddle. */
HEDDLE_INLINE_ void heddle_assert_failed_(const char *expression, const char *file, int line,
	const char *function)
{
	fprintf(stderr, "%s:%d: %s: heddle_assert '%s' failed\n", file, line, function, expression);
	abort();
}

/* Macros, so that a report names the line of the program and not one of this file. */
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
