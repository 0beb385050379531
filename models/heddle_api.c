/*
 * The functions of include/heddle/heddle.h on the machine. A failed assertion is a finding. An
 * assumption that does not hold ends the run without a result. The machine chooses the bytes of an
 * input. The other functions are switch points that mark places for the engines.
 */
#include "model.h"
#include <string.h>

/* "before 'expression' after" in memory that is never freed, because reports keep it */
static const char *text(const char *before, const char *expression, const char *after)
{
	size_t n = strlen(before) + strlen(expression) + strlen(after);
	char *all = __heddle_alloc(n + sizeof(" '' "), 1, false);

	if (!all)
		return expression;
	strcpy(all, before);
	strcat(all, " '");
	strcat(all, expression);
	strcat(all, "' ");
	return strcat(all, after);
}

void __heddle_user_assert(const char *expression, const char *file, int line, const char *function)
{
	(void)file, (void)line, (void)function; /* the report shows the stack */
	__heddle_fault(HEDDLE_FAULT_ASSERT, text("heddle_assert", expression, "failed"), NULL);
}

/* The version of state that the C library keeps: different after each call. */
unsigned long __heddle_hidden_version(unsigned long old, unsigned long function, unsigned long kinds,
	unsigned long a, unsigned long b, unsigned long c)
{
	(void)function, (void)kinds, (void)a, (void)b, (void)c;
	return old + 1;
}

/* One lock for all files. */
unsigned long __heddle_hidden_bucket(unsigned long path)
{
	(void)path;
	return 0;
}

void __heddle_user_assume(int holds, const char *expression)
{
	if (!holds)
		__heddle_assumption(expression);
}

void __heddle_user_input(void *object, size_t size, const char *name)
{
	__heddle_input(object, size, name);
}

void __heddle_user_atomic_begin(void)
{
	__heddle_sync("heddle_atomic_begin", NULL);
}

void __heddle_user_atomic_end(void)
{
	__heddle_sync("heddle_atomic_end", NULL);
}

void __heddle_user_epoch(void)
{
	__heddle_sync("heddle_epoch", NULL);
}
