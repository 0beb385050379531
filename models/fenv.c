/*
 * <fenv.h>: arithmetic rounds to nearest, and exception flags are not modelled. A request for
 * another mode, or a test of a flag, stops as unmodelled.
 */
#include "model.h"
#include <fenv.h>

int fegetround(void)
{
	return FE_TONEAREST;
}

int fesetround(int mode)
{
	if (mode != FE_TONEAREST)
		__heddle_unmodelled("fesetround to another mode than FE_TONEAREST");
	return 0;
}

int feclearexcept(int flags)
{
	(void)flags;
	return 0;
}

int fetestexcept(int flags)
{
	if (flags & FE_ALL_EXCEPT)
		__heddle_unmodelled("fetestexcept");
	return 0;
}

int feraiseexcept(int flags)
{
	if (flags & FE_ALL_EXCEPT)
		__heddle_unmodelled("feraiseexcept");
	return 0;
}

int feenableexcept(int flags)
{
	if (flags & FE_ALL_EXCEPT)
		__heddle_unmodelled("feenableexcept");
	return 0;
}

int fedisableexcept(int flags)
{
	(void)flags;
	return 0;
}

int fegetexcept(void)
{
	return 0;
}

int fegetenv(fenv_t *env)
{
	__builtin_memset(env, 0, sizeof *env);
	return 0;
}

int feholdexcept(fenv_t *env)
{
	__builtin_memset(env, 0, sizeof *env);
	return 0;
}

int fesetenv(const fenv_t *env)
{
	(void)env;
	return 0;
}

int feupdateenv(const fenv_t *env)
{
	(void)env;
	return 0;
}
