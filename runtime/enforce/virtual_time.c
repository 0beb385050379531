/*
 * Virtual time: replacements for the functions of log/instead.def that read clocks or sleep. The
 * clock advances by the time that threads sleep, by a microsecond for each read, and by whole
 * seconds of real time, so that a loop that waits for time to pass ends.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "runtime/enforce/control.h"

#define SECOND 1000000000ll

static struct {
	bool begun;
	int64_t real, mono; /* ns of the real clocks at the first read */
	int64_t reads;
} base;

static int64_t clock_ns(int clock)
{
	struct timespec ts;
	sys3(SYS_clock_gettime, clock, &ts, 0);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static bool is_virtual(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
	       clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

static int64_t virtual_ns(int clock)
{
	int64_t mono = clock_ns(CLOCK_MONOTONIC);
	if (!base.begun) {
		base.begun = true;
		base.real = clock_ns(CLOCK_REALTIME);
		base.mono = mono;
	}
	bool real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
	return (real ? base.real : base.mono) + (int64_t)control.now + base.reads * 1000 +
	       (mono - base.mono) / SECOND * SECOND;
}

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec > INT64_MAX / SECOND - 1 ? INT64_MAX / 2
						   : ts->tv_sec * SECOND + ts->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

static bool is_time(const struct timespec *ts)
{
	return ts->tv_nsec >= 0 && ts->tv_nsec < SECOND;
}

uint64_t deadline_of(int clock, const struct timespec *until)
{
	if (!is_time(until))
		return BAD_DEADLINE;
	int64_t left = to_ns(until) - (is_virtual(clock) ? virtual_ns(clock) : clock_ns(clock));
	return control.now + (uint64_t)(left > 0 ? left : 0);
}

/* ---- sleeping ----------------------------------------------------------------------------- */

static void sleep_for(int64_t ns)
{
	me->cancelled = false;
	pthread_testcancel();
	sleep_until(control.now + (uint64_t)(ns > 0 ? ns : 0));
	me->cancelled = false;
	pthread_testcancel();
}

INSTEAD(int, nanosleep)(const struct timespec *t, struct timespec *left)
{
	if (!in_control() || !is_time(t) || t->tv_sec < 0)
		return nanosleep(t, left);
	sleep_for(to_ns(t));
	return 0;
}

INSTEAD(int, clock_nanosleep)
(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	if (!in_control() || !is_time(t) || t->tv_sec < 0 || !is_virtual(clock))
		return clock_nanosleep(clock, flags, t, left);
	sleep_for(to_ns(t) - (flags & TIMER_ABSTIME ? virtual_ns(clock) : 0));
	return 0;
}

INSTEAD(int, thrd_sleep)(const struct timespec *t, struct timespec *left)
{
	if (!in_control() || !is_time(t) || t->tv_sec < 0)
		return thrd_sleep(t, left);
	sleep_for(to_ns(t));
	return 0;
}

INSTEAD(int, usleep)(useconds_t us)
{
	if (!in_control())
		return usleep(us);
	sleep_for(us * 1000ll);
	return 0;
}

INSTEAD(unsigned, sleep)(unsigned s)
{
	if (!in_control())
		return sleep(s);
	sleep_for(s * SECOND);
	return 0;
}

INSTEAD(int, sched_yield)(void)
{
	if (in_control())
		yield_token();
	else
		sys3(SYS_sched_yield, 0, 0, 0);
	return 0;
}

INSTEAD(int, pthread_yield)(void)
{
	return __heddle_instead_sched_yield();
}

INSTEAD(void, thrd_yield)(void)
{
	__heddle_instead_sched_yield();
}

/* ---- reading clocks ----------------------------------------------------------------------- */

static struct timespec read_clock(int clock)
{
	base.reads++;
	return from_ns(virtual_ns(clock));
}

INSTEAD(int, clock_gettime)(clockid_t clock, struct timespec *to)
{
	if (!in_control() || !is_virtual(clock))
		return clock_gettime(clock, to);
	*to = read_clock(clock);
	return 0;
}

INSTEAD(int, gettimeofday)(struct timeval *to, void *zone)
{
	if (!in_control() || zone)
		return gettimeofday(to, zone);
	struct timespec ts = read_clock(CLOCK_REALTIME);
	*to = (struct timeval){.tv_sec = ts.tv_sec, .tv_usec = ts.tv_nsec / 1000};
	return 0;
}

INSTEAD(time_t, time)(time_t *to)
{
	if (!in_control())
		return time(to);
	time_t t = read_clock(CLOCK_REALTIME).tv_sec;
	if (to)
		*to = t;
	return t;
}

INSTEAD(int, timespec_get)(struct timespec *to, int which)
{
	if (!in_control() || which != TIME_UTC)
		return timespec_get(to, which);
	*to = read_clock(CLOCK_REALTIME);
	return which;
}
