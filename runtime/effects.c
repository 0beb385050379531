/*
 * The effects of a library function as items of its record, by log/libc.def, inside the target
 * right after the call. Safe in signal handlers: it allocates nothing, takes no lock, calls no
 * function.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "runtime/enforce.h"
#include "runtime/items.h"

static inline bool walk_peek(void *ctx, uint64_t addr, void *to, uint32_t n)
{
	(void)ctx;
	switch (n) {
	case 1: *(uint8_t *)to = *(const volatile uint8_t *)addr; break;
	case 4: __builtin_memcpy(to, (const void *)addr, 4); break;
	default: __builtin_memcpy(to, (const void *)addr, 8);
	}
	return true;
}

static char check_only; /* its address is the context of a walk that logs nothing */

static void walk_range(void *ctx, bool write, uint64_t addr, uint64_t n)
{
	enforce_range(addr, n);
	if (ctx == &check_only)
		return;
	if (write)
		item_write((const void *)addr, n);
	else
		item_read((const void *)addr, n);
}

static bool walk_fault(void *ctx)
{
	(void)ctx;
	return errno == EFAULT;
}

#include "log/effects_walk.h"

/* Whatever the result is: a call that has done a part of its work returns how much. */
static void tell_fault(void)
{
	if (walk_fault(NULL))
		enforce_survives();
}

bool effect_log(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs)
{
	tell_fault();
	return walk_call(NULL, effect, result, args, nargs);
}

void effect_check(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs)
{
	tell_fault();
	walk_call(&check_only, effect, result, args, nargs);
}
