/*
 * Definitions for every room: fixed-width types, the two ways to stop, and allocation that cannot
 * fail. BUG() reports a mistake of ours and aborts; diag.h reports bad input.
 * Out of memory ends the process in one place, oom_die() in base.c.
 */
#ifndef HEDDLE_BASE_BASE_H
#define HEDDLE_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)      ((a) < (b) ? (a) : (b))
#define MAX(a, b)      ((a) > (b) ? (a) : (b))
#define ALIGN_UP(x, a) (((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define likely(x)      __builtin_expect(!!(x), 1)
#define unlikely(x)    __builtin_expect(!!(x), 0)
#define PRINTF(f, a)   __attribute__((format(printf, f, a)))
#define NORETURN       __attribute__((noreturn))

/* BUG("...") prints file, line and the message, and aborts. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(c)                                                                                  \
	do {                                                                                       \
		if (unlikely(c))                                                                   \
			bug_at(__FILE__, __LINE__, "%s", #c);                                      \
	} while (0)

NORETURN void bug_at(const char *file, int line, const char *fmt, ...) PRINTF(3, 4);

/* malloc/calloc/realloc/strdup that end the process when memory runs out; free with free(). */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
/* printf into a new string; free it. */
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);

NORETURN void oom_die(void);

/* Marks the declaration of a function that only tests call (tests/check_symbols.py). */
#define FOR_TESTS

#endif
