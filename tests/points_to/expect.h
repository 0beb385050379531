/*
 * A test program says what a pointer may point to, and all of it:
 *
 *	expect(p, "x table+8 heap:12");
 *
 * Names are separated by spaces, in any order: a global or function by its name, a local as
 * "function.name", a heap object as "heap:LINE" of the call that allocates it, "ext" for code
 * outside. Offsets follow as "+8", "+0%16" (modulo), "?" (any); none is +0. "-" is nothing at all.
 * The functions have bodies, so that their arguments do not escape.
 */
#include <stddef.h>

static __attribute__((noinline)) void expect(const volatile void *p, const char *all)
{
	(void)p, (void)all;
}

/* the functions that the indirect call on the next line may reach: expect_calls("f g") */
static __attribute__((noinline)) void expect_calls(const char *all)
{
	(void)all;
}
