/*
 * The functions of libatomic that a compiler calls for atomic objects it has no instruction for:
 * odd sizes, 16 bytes, or too little alignment. No other thread runs while a model runs, so plain
 * accesses are atomic here; the call itself is the switch point. Orderings are those of the
 * machine, which is sequentially consistent.
 *
 * The names are builtins to the compiler, therefore given by __asm__.
 */
#include "model.h"
#include <string.h>

#define NAMED(name) __asm__(#name)

/* ---- any size ----------------------------------------------------------------------------- */

void generic_load(size_t n, const void *from, void *to, int order) NAMED(__atomic_load);
void generic_load(size_t n, const void *from, void *to, int order)
{
	(void)order;
	__heddle_sync("atomic_load", (void *)from);
	memcpy(to, from, n);
}

void generic_store(size_t n, void *to, const void *from, int order) NAMED(__atomic_store);
void generic_store(size_t n, void *to, const void *from, int order)
{
	(void)order;
	__heddle_sync("atomic_store", to);
	memcpy(to, from, n);
}

void generic_exchange(size_t n, void *object, const void *from, void *old, int order)
	NAMED(__atomic_exchange);
void generic_exchange(size_t n, void *object, const void *from, void *old, int order)
{
	(void)order;
	__heddle_sync("atomic_exchange", object);
	for (size_t i = 0; i < n; i++) { /* from and old may be one object */
		char was = ((char *)object)[i];
		((char *)object)[i] = ((const char *)from)[i];
		((char *)old)[i] = was;
	}
}

bool generic_compare_exchange(size_t n, void *object, void *expected, const void *desired,
	int success, int failure) NAMED(__atomic_compare_exchange);
bool generic_compare_exchange(size_t n, void *object, void *expected, const void *desired,
	int success, int failure)
{
	(void)success, (void)failure;
	__heddle_sync("atomic_compare_exchange", object);
	if (!memcmp(object, expected, n)) {
		memcpy(object, desired, n);
		return true;
	}
	memcpy(expected, object, n);
	return false;
}

bool generic_is_lock_free(size_t n, const void *object) NAMED(__atomic_is_lock_free);
bool generic_is_lock_free(size_t n, const void *object)
{
	bool size = n == 1 || n == 2 || n == 4 || n == 8;

	return size && (uintptr_t)object % n == 0;
}

/* ---- sizes of a register, and 16 bytes ---------------------------------------------------- */

#define FETCH(n, type, name, expression)                                                          \
	type fetch_##name##_##n(void *object, type x, int order)                                  \
		NAMED(__atomic_fetch_##name##_##n);                                               \
	type fetch_##name##_##n(void *object, type x, int order)                                  \
	{                                                                                         \
		(void)order;                                                                      \
		__heddle_sync("atomic_fetch_" #name, object);                                     \
		type old = *(type *)object;                                                       \
		*(type *)object = (type)(expression);                                             \
		return old;                                                                       \
	}                                                                                         \
	type name##_fetch_##n(void *object, type x, int order)                                    \
		NAMED(__atomic_##name##_fetch_##n);                                               \
	type name##_fetch_##n(void *object, type x, int order)                                    \
	{                                                                                         \
		(void)order;                                                                      \
		__heddle_sync("atomic_fetch_" #name, object);                                     \
		type old = *(type *)object;                                                       \
		return *(type *)object = (type)(expression);                                      \
	}

#define SIZED(n, type)                                                                            \
	type load_##n(const void *from, int order) NAMED(__atomic_load_##n);                      \
	type load_##n(const void *from, int order)                                                \
	{                                                                                         \
		(void)order;                                                                      \
		__heddle_sync("atomic_load", (void *)from);                                       \
		return *(const type *)from;                                                       \
	}                                                                                         \
	void store_##n(void *to, type x, int order) NAMED(__atomic_store_##n);                    \
	void store_##n(void *to, type x, int order)                                               \
	{                                                                                         \
		(void)order;                                                                      \
		__heddle_sync("atomic_store", to);                                                \
		*(type *)to = x;                                                                  \
	}                                                                                         \
	type exchange_##n(void *object, type x, int order) NAMED(__atomic_exchange_##n);          \
	type exchange_##n(void *object, type x, int order)                                        \
	{                                                                                         \
		(void)order;                                                                      \
		__heddle_sync("atomic_exchange", object);                                         \
		type old = *(type *)object;                                                       \
		*(type *)object = x;                                                              \
		return old;                                                                       \
	}                                                                                         \
	bool compare_exchange_##n(void *object, void *expected, type desired, int success,        \
		int failure) NAMED(__atomic_compare_exchange_##n);                                \
	bool compare_exchange_##n(void *object, void *expected, type desired, int success,        \
		int failure)                                                                      \
	{                                                                                         \
		(void)success, (void)failure;                                                     \
		__heddle_sync("atomic_compare_exchange", object);                                 \
		type old = *(type *)object;                                                       \
		if (old == *(type *)expected) {                                                   \
			*(type *)object = desired;                                                \
			return true;                                                              \
		}                                                                                 \
		*(type *)expected = old;                                                          \
		return false;                                                                     \
	}                                                                                         \
	FETCH(n, type, add, old + x)                                                              \
	FETCH(n, type, sub, old - x)                                                              \
	FETCH(n, type, and, old & x)                                                              \
	FETCH(n, type, or, old | x)                                                               \
	FETCH(n, type, xor, old ^ x)                                                              \
	FETCH(n, type, nand, ~(old & x))

SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)
SIZED(16, unsigned __int128)

/* ---- the functions behind the macros of <stdatomic.h> ------------------------------------- */

bool flag_test_and_set(volatile bool *flag) NAMED(atomic_flag_test_and_set);
bool flag_test_and_set_explicit(volatile bool *flag, int order)
	NAMED(atomic_flag_test_and_set_explicit);
void flag_clear(volatile bool *flag) NAMED(atomic_flag_clear);
void flag_clear_explicit(volatile bool *flag, int order) NAMED(atomic_flag_clear_explicit);
void thread_fence(int order) NAMED(atomic_thread_fence);
void signal_fence(int order) NAMED(atomic_signal_fence);

bool flag_test_and_set(volatile bool *flag)
{
	__heddle_sync("atomic_flag_test_and_set", (void *)flag);
	bool old = *flag;
	*flag = true;
	return old;
}

bool flag_test_and_set_explicit(volatile bool *flag, int order)
{
	(void)order;
	return flag_test_and_set(flag);
}

void flag_clear(volatile bool *flag)
{
	__heddle_sync("atomic_flag_clear", (void *)flag);
	*flag = false;
}

void flag_clear_explicit(volatile bool *flag, int order)
{
	(void)order;
	flag_clear(flag);
}

void thread_fence(int order)
{
	(void)order;
	__heddle_sync("atomic_thread_fence", NULL);
}

void signal_fence(int order)
{
	(void)order;
}
