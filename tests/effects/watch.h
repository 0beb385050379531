/*
 * Watches what a library function really does to memory, beside what log/libc.def says.
 *
 * All memory that a case gives to a function comes from room(): pieces of one arena filled with
 * random bytes, with untouched bytes between them. CALL(name, result, args…) takes a picture of
 * the arena, evaluates `result`, which calls the function, and has runtime/effects.c tell its
 * effects. Every byte that changed must be in a write, a write must hold only bytes of pieces that
 * the case gave away (or of the heap), and errno must be as the function left it.
 */
#ifndef HEDDLE_TESTS_EFFECTS_WATCH_H
#define HEDDLE_TESTS_EFFECTS_WATCH_H

#include "base/base.h"
#include "tests/unit/rng.h"

struct piece {
	uint64_t addr, n;
	bool write;
};

extern struct rng rng;

/* n random bytes that are the case's until the next round(). */
void *room(size_t n);
/* New random bytes for memory that a call is going to write again. */
void stir(void *p, size_t n);
#define STIR(p) stir((p), sizeof(*(p)))
/* A random text of at most max - 1 characters in a piece of max bytes. */
char *text(size_t max);
/* A piece with this text, and nothing after it. */
char *copy(const char *s);
void round_begin(void);

void watch_begin(void);
void watch_end(const char *name, uint64_t result, const uint64_t *args, uint32_t nargs);
/* Of the last call: is there a write (a read) of exactly these bytes? Fails if not. */
void expect_write(const void *p, size_t n);
void expect_read(const void *p, size_t n);
/* How many writes there were, and whether it could not be told. */
uint32_t writes(void);
bool stopped(void);
/* Cases so far, and what went wrong. */
uint32_t watch_calls(void);
uint32_t watch_failures(void);
/* A change that nobody tells is noticed. */
bool watch_self_test(void);

#define U(x) ((uint64_t)(x))
#define CALL(name, result, ...)                                                                    \
	({                                                                                         \
		watch_begin();                                                                     \
		uint64_t r_ = (uint64_t)(result);                                                  \
		uint64_t args_[] = {0, ##__VA_ARGS__};                                             \
		watch_end(#name, r_, args_ + 1, ARRAY_SIZE(args_) - 1);                            \
		r_;                                                                                \
	})

#endif
