/*
 * The functions of include/heddle/heddle.h, under their own names, and wrappers of functions after
 * which a thread cannot be recorded.
 */
#include <sched.h>
#include <stdarg.h>
#include <ucontext.h>
#include "runtime/enforce.h"
#include "runtime/runtime.h"

static void put_user(uint8_t kind, int result, const void *object)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return;
	enforce_point(kind, object);
	put_sync(ctl, kind, result, object ? seq_of(object) : 0);
}

HOOK void __heddle_user_atomic_begin(void)
{
	put_user(LOG_S_USER_ATOMIC_BEGIN, 0, NULL);
}

HOOK void __heddle_user_atomic_end(void)
{
	put_user(LOG_S_USER_ATOMIC_END, 0, NULL);
}

HOOK void __heddle_user_epoch(void)
{
	put_user(LOG_S_USER_EPOCH, 0, NULL);
}

HOOK void __heddle_user_assert(
	const char *expression, const char *file, int line, const char *function)
{
	put_user(LOG_S_USER_ASSERT, 0, NULL);
	enforce_assert(expression, file, line, function);
}

HOOK void __heddle_user_assume(int holds, const char *expression)
{
	(void)expression;
	put_user(LOG_S_USER_ASSUME, holds, NULL);
}

HOOK void __heddle_user_input(void *object, size_t size, const char *name)
{
	put_user(LOG_S_USER_INPUT, 0, object);
	enforce_input(object, size, name);
}

/* ---- functions that end the recording of a thread
 * ------------------------------------------------ */

static void stop_here(enum log_stop_why why)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl_known(ctl))
		ctl_stop(ctl, why, false);
}

enum { MAX_CONTEXT_ARGS = 16 };
WRAP(void, makecontext)(ucontext_t *uc, void (*fn)(void), int n, ...)
{
	long a[MAX_CONTEXT_ARGS] = {0};
	va_list ap;
	va_start(ap, n);
	for (int i = 0; i < n && i < MAX_CONTEXT_ARGS; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	stop_here(LOG_STOP_CONTEXT);
	makecontext(uc, fn, n, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
		a[11], a[12], a[13], a[14], a[15]);
}

WRAP(int, swapcontext)(ucontext_t *from, const ucontext_t *to)
{
	stop_here(LOG_STOP_CONTEXT);
	return swapcontext(from, to);
}

WRAP(int, setcontext)(const ucontext_t *to)
{
	stop_here(LOG_STOP_CONTEXT);
	return setcontext(to);
}

WRAP(int, clone)(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	void *a[3] = {0};
	va_list ap;
	va_start(ap, arg);
	if (flags &
		(CLONE_PARENT_SETTID | CLONE_SETTLS | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		for (int i = 0; i < 3; i++)
			a[i] = va_arg(ap, void *);
	va_end(ap);
	stop_here(LOG_STOP_CLONE);
	return clone(fn, stack, flags, arg, a[0], a[1], a[2]);
}
