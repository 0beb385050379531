/* Clocks in the machine's virtual time, and broken-down time. */
#include "model_time.h"
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

/* ---- clocks ------------------------------------------------------------------------------ */

static uint64_t start_ns; /* when the program began */

void __m_time_start(void)
{
	start_ns = __heddle_now(CLOCK_MONOTONIC);
}

uint64_t __m_elapsed(void)
{
	return __heddle_now(CLOCK_MONOTONIC) - start_ns;
}

/* Reading of a clock in ns; false for an unknown one. */
static bool read_clock(clockid_t clock, uint64_t *ns)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE: *ns = __heddle_now(CLOCK_REALTIME); return true;
	case CLOCK_TAI: *ns = __heddle_now(CLOCK_REALTIME) + 37 * M_NS_PER_S; return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME: *ns = __heddle_now(CLOCK_MONOTONIC); return true;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID: *ns = __m_elapsed(); return true;
	}
	/* of a thread or process, as pthread_getcpuclockid gives it */
	if (clock < 0) {
		*ns = __m_elapsed();
		return true;
	}
	errno = EINVAL;
	return false;
}

int __clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t ns;

	if (!read_clock(clock, &ns))
		return -1;
	t->tv_sec = (time_t)(ns / M_NS_PER_S);
	t->tv_nsec = (long)(ns % M_NS_PER_S);
	return 0;
}
M_ALIAS(clock_gettime, __clock_gettime);

int clock_getres(clockid_t clock, struct timespec *t)
{
	uint64_t ns;

	if (!read_clock(clock, &ns))
		return -1;
	if (t)
		*t = (struct timespec){0,
			clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ? 4000000
											  : 1};
	return 0;
}

int clock_settime(clockid_t clock, const struct timespec *t)
{
	(void)clock;
	(void)t;
	return m_fail(EPERM);
}

int clock_getcpuclockid(pid_t pid, clockid_t *clock)
{
	if (pid && pid != (pid_t)M_RAW(SYS_getpid))
		return ESRCH;
	*clock = CLOCK_PROCESS_CPUTIME_ID;
	return 0;
}

time_t time(time_t *out)
{
	time_t t = (time_t)(__heddle_now(CLOCK_REALTIME) / M_NS_PER_S);

	if (out)
		*out = t;
	return t;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	uint64_t us = __heddle_now(CLOCK_REALTIME) / 1000;

	if (zone)
		__builtin_memset(zone, 0, sizeof(struct timezone));
	*t = (struct timeval){(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
	return 0;
}

int timespec_get(struct timespec *t, int base)
{
	if (base != TIME_UTC)
		return 0;
	__clock_gettime(CLOCK_REALTIME, t);
	return base;
}

int timespec_getres(struct timespec *t, int base)
{
	if (base != TIME_UTC)
		return 0;
	if (t)
		*t = (struct timespec){0, 1};
	return base;
}

clock_t clock(void)
{
	return (clock_t)(__m_elapsed() / 1000);
}

double difftime(time_t a, time_t b)
{
	return (double)(a - b);
}

/* ---- broken-down time -------------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Years that begin in March: the leap day is the last one. */
int64_t __m_days(int64_t year, int64_t month, int64_t day)
{
	int64_t y, era, in_era, in_year;

	year += floor_div(month, 12);
	month -= floor_div(month, 12) * 12;
	y = year - (month < 2);
	era = floor_div(y, 400);
	in_era = y - era * 400;
	in_year = (153 * ((month + 10) % 12) + 2) / 5;
	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468 + day - 1;
}

int64_t __m_seconds(const struct tm *tm)
{
	int64_t days = __m_days((int64_t)tm->tm_year + 1900, tm->tm_mon, tm->tm_mday);

	return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

int __m_fields(int64_t t, long offset, struct tm *tm)
{
	int64_t days = floor_div(t, 86400), seconds = t - days * 86400 + offset;
	int64_t shifted, era, in_era, y, in_year, month, year;

	days += floor_div(seconds, 86400);
	seconds -= floor_div(seconds, 86400) * 86400;
	shifted = days + 719468;
	era = floor_div(shifted, 146097);
	in_era = shifted - era * 146097;
	y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	in_year = in_era - (365 * y + y / 4 - y / 100);
	month = (5 * in_year + 2) / 153;
	year = era * 400 + y + (month >= 10);
	if (year - 1900 > INT_MAX || year - 1900 < INT_MIN)
		return m_fail(EOVERFLOW);
	tm->tm_mday = (int)(in_year - (153 * month + 2) / 5 + 1);
	tm->tm_mon = (int)(month < 10 ? month + 2 : month - 10);
	tm->tm_year = (int)(year - 1900);
	tm->tm_yday = (int)(days - __m_days(year, 0, 1));
	tm->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
	tm->tm_hour = (int)(seconds / 3600);
	tm->tm_min = (int)(seconds / 60 % 60);
	tm->tm_sec = (int)(seconds % 60);
	return 0;
}

struct tm *__gmtime_r(const time_t *restrict t, struct tm *restrict tm)
{
	if (__m_fields(*t, 0, tm))
		return NULL;
	tm->tm_isdst = 0;
	tm->tm_gmtoff = 0;
	tm->tm_zone = "GMT";
	return tm;
}
M_ALIAS(gmtime_r, __gmtime_r);

struct tm *__localtime_r(const time_t *restrict t, struct tm *restrict tm)
{
	struct m_zone_type z;

	__m_zone_load();
	z = __m_zone_at(*t);
	if (__m_fields(*t, z.offset, tm))
		return NULL;
	tm->tm_isdst = z.dst;
	tm->tm_gmtoff = z.offset;
	tm->tm_zone = z.name;
	return tm;
}
M_ALIAS(localtime_r, __localtime_r);

/* The object that gmtime and localtime return. Another call may change it before the caller reads it,
 * so that there is a switch point behind the call, too. */
static struct tm shared;

struct tm *gmtime(const time_t *t)
{
	__heddle_order(&shared, true);
	struct tm *tm = __gmtime_r(t, &shared);
	__heddle_order(&shared, true);
	return tm;
}

struct tm *localtime(const time_t *t)
{
	__heddle_order(&shared, true);
	struct tm *tm = __localtime_r(t, &shared);
	__heddle_order(&shared, true);
	return tm;
}

time_t timegm(struct tm *tm)
{
	time_t t = __m_seconds(tm);

	return __gmtime_r(&t, tm) ? t : -1;
}

/* The zone type at the local time `seconds`; where two are possible, isdst decides. */
static struct m_zone_type zone_of_local(int64_t seconds, int isdst)
{
	struct m_zone_type before = __m_zone_at(seconds - 86400),
			   after = __m_zone_at(seconds + 86400);
	struct m_zone_type a = __m_zone_at(seconds - before.offset);
	struct m_zone_type b = __m_zone_at(seconds - after.offset);
	bool a_holds = a.offset == before.offset, b_holds = b.offset == after.offset;

	if (a_holds && b_holds)
		return isdst >= 0 && a.dst != (isdst > 0) ? after : before;
	if (a_holds || b_holds)
		return a_holds ? before : after;
	/* in the gap at the start of summer time: uses the offset before the gap */
	return before;
}

/* If isdst contradicts the zone type at t: the difference to the nearest type with that isdst. */
static int64_t wished_shift(int64_t t, int isdst)
{
	struct m_zone_type now = __m_zone_at(t);

	if (isdst < 0 || now.dst == (isdst > 0))
		return 0;
	for (int64_t days = 7; days <= 536 * 7; days += 7)
		for (int sign = -1; sign <= 1; sign += 2) {
			struct m_zone_type z = __m_zone_at(t + sign * days * 86400);
			if (z.dst == (isdst > 0))
				return now.offset - z.offset;
		}
	return 0;
}

time_t mktime(struct tm *tm)
{
	int64_t seconds = __m_seconds(tm);
	time_t t;

	__m_zone_load();
	t = seconds - zone_of_local(seconds, tm->tm_isdst).offset;
	t += wished_shift(t, tm->tm_isdst);
	return __localtime_r(&t, tm) ? t : -1;
}
M_ALIAS(timelocal, mktime);

/* ---- text -------------------------------------------------------------------------------- */

char *__asctime_r(const struct tm *restrict tm, char *restrict buf)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char text[64];

	if (!tm) {
		errno = EINVAL;
		return NULL;
	}
	if (tm->tm_year > INT_MAX - 1900) {
		errno = EOVERFLOW;
		return NULL;
	}
	snprintf(text, sizeof text, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n",
		tm->tm_wday < 0 || tm->tm_wday > 6 ? "???" : days + 3 * tm->tm_wday,
		tm->tm_mon < 0 || tm->tm_mon > 11 ? "???" : months + 3 * tm->tm_mon, tm->tm_mday,
		tm->tm_hour, tm->tm_min, tm->tm_sec, 1900 + tm->tm_year);
	if (strlen(text) > 25) {
		errno = EOVERFLOW;
		return NULL;
	}
	return strcpy(buf, text);
}
M_ALIAS(asctime_r, __asctime_r);

static char text[64];

char *asctime(const struct tm *tm)
{
	__heddle_order(text, true);
	char *s = __asctime_r(tm, text);
	__heddle_order(text, true);
	return s;
}

char *ctime_r(const time_t *t, char *buf)
{
	struct tm tm;

	return __localtime_r(t, &tm) ? __asctime_r(&tm, buf) : NULL;
}

char *ctime(const time_t *t)
{
	return localtime(t) ? asctime(&shared) : NULL;
}
