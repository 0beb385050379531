/* Time, for the models that need it. */
#ifndef HEDDLE_MODELS_TIME_H
#define HEDDLE_MODELS_TIME_H

#include <time.h>
#include "model.h"

/* Virtual ns since the program began: its processor time. */
uint64_t __m_elapsed(void);

/* Days since 1970-01-01 of a date; month 0..11 and day need not be in range. */
int64_t __m_days(int64_t year, int64_t month, int64_t day);
/* Seconds since the epoch of the fields as if they were UTC. */
int64_t __m_seconds(const struct tm *tm);
/* t + offset seconds as fields, all but tm_isdst, tm_gmtoff, tm_zone; -1 with EOVERFLOW. */
int __m_fields(int64_t t, long offset, struct tm *tm);

/* The local zone at t (tz.c). */
struct m_zone_type {
	long offset; /* seconds east of UTC */
	bool dst;
	const char *name;
};
void __m_zone_load(void); /* as tzset */
struct m_zone_type __m_zone_at(int64_t t);

#endif
