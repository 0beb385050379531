/*
 * syscall(2) by number. The machine has the program's threads, time and memory, so calls about them
 * go to their models: a futex is the wait queue of its address.
 */
#include "model.h"
#include "model_thread.h"
#include "model_time.h"
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* As a deadline of the machine: FUTEX_WAIT has a relative time, FUTEX_WAIT_BITSET an absolute
 * one. */
static uint64_t deadline(const struct timespec *t, bool absolute, int clock)
{
	uint64_t now = __heddle_now(CLOCK_MONOTONIC);
	uint64_t ns = (uint64_t)t->tv_sec * M_NS_PER_S + (uint64_t)t->tv_nsec, base;

	if (!absolute)
		return now + ns;
	base = __heddle_now(clock);
	return ns > base ? now + (ns - base) : now;
}

static long futex_wait(unsigned *at, unsigned value, const struct timespec *timeout, bool absolute,
	int clock)
{
	__heddle_sync("futex wait", at);
	if (__atomic_load_n(at, __ATOMIC_SEQ_CST) != value)
		return -EAGAIN;
	if (!timeout) {
		__heddle_wait(at, "futex");
		return 0;
	}
	if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= (long)M_NS_PER_S)
		return -EINVAL;
	return __heddle_wait_until(at, "futex", deadline(timeout, absolute, clock)) ? 0
										    : -ETIMEDOUT;
}

static long futex_wake(unsigned *at, int n)
{
	int woken = 0;

	__heddle_sync("futex wake", at);
	while (woken < n && __heddle_notify_one(at))
		woken++;
	return woken;
}

/* Arguments that an operation does not use may not have been passed: they are not fetched. */
static long futex(va_list ap)
{
	unsigned *at = va_arg(ap, unsigned *);
	int op = va_arg(ap, int), command = op & FUTEX_CMD_MASK;
	unsigned value = va_arg(ap, unsigned);
	bool bitset = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
	const struct timespec *timeout = NULL;

	if (command != FUTEX_WAIT && command != FUTEX_WAKE && !bitset)
		__heddle_unmodelled("futex operation other than wait and wake");
	if (command != FUTEX_WAKE)
		timeout = va_arg(ap, const struct timespec *);
	if (bitset) {
		(void)va_arg(ap, void *);
		if (va_arg(ap, unsigned) != FUTEX_BITSET_MATCH_ANY)
			__heddle_unmodelled("futex with a bit set");
	}
	if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET)
		return futex_wake(at, (int)value);
	return futex_wait(at, value, timeout, bitset,
		op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
}

static long call(long number, va_list ap)
{
	long a, b, c;

	switch (number) {
	case SYS_futex: return futex(ap);
	case SYS_gettid: return M_RAW(SYS_getpid) + (long)__heddle_thread_self();
	case SYS_sched_yield: __heddle_sync("sched_yield", NULL); return 0;
	case SYS_exit_group: _Exit(va_arg(ap, int));
	case SYS_getpid:
	case SYS_getppid:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid: return M_RAW(number);
	case SYS_read:
	case SYS_write:
	case SYS_getrandom:
		a = va_arg(ap, long);
		b = va_arg(ap, long);
		c = va_arg(ap, long);
		return M_RAW(number, a, b, c);
	}
	__heddle_unmodelled("syscall by a number that is not modelled");
}

long syscall(long number, ...)
{
	va_list ap;
	long r;

	va_start(ap, number);
	r = call(number, ap);
	va_end(ap);
	return m_ret(r);
}
