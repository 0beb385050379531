/* <time.h> against glibc: broken-down time in several zones, and strftime. */
#include "diff.h"
#include <time.h>
#include <unistd.h>

MODEL(gmtime_r);
MODEL(localtime_r);
MODEL(timegm);
MODEL(mktime);
MODEL(strftime);
MODEL(asctime_r);
MODEL(tzset);
extern char **m___environ;
extern long m___timezone;
extern int m___daylight;
extern char *m___tzname[2];

static const char *const zones[] = {"", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata",
	"Australia/Lord_Howe", "Pacific/Apia", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT", "<+03>-3",
	"XYZ5", "NST3:30NDT,J100,300/1", "America/Sao_Paulo", "Africa/Casablanca", "nonsense/zone"};

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	m___environ = environ;
	tzset();
	m_tzset();
}

static time_t moment(void)
{
	switch (below(4)) {
	case 0: return (time_t)(rnd() % 4102444800u);
	case 1: return (time_t)rnd_edge();
	case 2: return (time_t)(rnd() % 8000000000) - 4000000000;
	default: return (time_t)(rnd() % 400000000000) - 100000000000;
	}
}

static void same_tm(const struct tm *a, const struct tm *b, const char *zone, time_t t)
{
	SAME_INT(a->tm_year, b->tm_year, "year of %ld in %s", t, zone);
	SAME_INT(a->tm_yday, b->tm_yday, "yday of %ld in %s", t, zone);
	SAME_INT(a->tm_mon * 100 + a->tm_mday, b->tm_mon * 100 + b->tm_mday, "date of %ld in %s", t,
		zone);
	SAME_INT(a->tm_wday, b->tm_wday, "wday of %ld in %s", t, zone);
	SAME_INT(a->tm_hour * 10000 + a->tm_min * 100 + a->tm_sec,
		b->tm_hour * 10000 + b->tm_min * 100 + b->tm_sec, "time of %ld in %s", t, zone);
	SAME_INT(a->tm_isdst, b->tm_isdst, "dst of %ld in %s", t, zone);
	SAME_INT(a->tm_gmtoff, b->tm_gmtoff, "offset of %ld in %s", t, zone);
	SAME_STR(a->tm_zone, b->tm_zone, "zone of %ld in %s", t, zone);
}

static void conversions(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(30000); i++) {
		time_t t = moment(), back;
		struct tm a, b;
		SAME_INT(gmtime_r(&t, &a) != NULL, m_gmtime_r(&t, &b) != NULL, "gmtime of %ld", t);
		if (!gmtime_r(&t, &a))
			continue;
		same_tm(&a, &b, "UTC", t);
		back = m_timegm(&b);
		SAME_INT(t, back, "timegm");
		a.tm_mday += (int)below(1000) - 500;
		a.tm_mon += (int)below(100) - 50;
		a.tm_hour -= (int)below(100000);
		b = a;
		SAME_INT(timegm(&a), m_timegm(&b), "timegm of odd fields");
		same_tm(&a, &b, "UTC", t);
	}
}

static void local_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(500); i++) {
		const char *zone = zones[i % (sizeof zones / sizeof *zones)];
		set_zone(zone);
		for (int k = 0; k < 50; k++) {
			time_t t = (time_t)(rnd() % 4102444800u), ta, tb;
			struct tm a, b;
			localtime_r(&t, &a);
			m_localtime_r(&t, &b);
			same_tm(&a, &b, zone, t);
			/* away from the hours that are missing or come twice */
			if (a.tm_hour < 5)
				continue;
			a.tm_mday += (int)below(20);
			if (one_in(2))
				a.tm_isdst = -1;
			b = a;
			if (a.tm_isdst >= 0)
				continue;
			ta = mktime(&a);
			tb = m_mktime(&b);
			SAME_INT(ta, tb, "mktime in %s from %ld", zone, t);
			same_tm(&a, &b, zone, ta);
		}
	}
}

static void zone_variables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
		set_zone(zones[i]);
		SAME_INT(timezone, m___timezone, "timezone in %s", zones[i]);
		SAME_INT(daylight, m___daylight, "daylight in %s", zones[i]);
		SAME_STR(tzname[0], m___tzname[0], "tzname[0] in %s", zones[i]);
		SAME_STR(tzname[1], m___tzname[1], "tzname[1] in %s", zones[i]);
	}
}

static void formats(void **state)
{
	static const char flags[] = "__--00^#";
	static const char conversions[] = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%qEO";

	(void)state;
	for (unsigned i = 0; i < rounds(60000); i++) {
		char f[60], *p = f, a[300], b[300];
		struct tm tm;
		time_t t = one_in(3) ? (time_t)(rnd() % 400000000000) - 100000000000
				     : (time_t)(rnd() % 4102444800u);
		size_t n = one_in(8) ? below(20) : sizeof a, ra, rb;
		if (i % 5000 == 0)
			set_zone(PICK(zones));
		if (one_in(2))
			gmtime_r(&t, &tm);
		else
			localtime_r(&t, &tm);
		for (unsigned k = 1 + below(3); k; k--) {
			*p++ = one_in(3) ? 'x' : ' ';
			*p++ = '%';
			while (one_in(4))
				*p++ = flags[below(sizeof flags - 1)];
			if (one_in(4))
				p += sprintf(p, "%u", 1 + below(15));
			if (one_in(10))
				*p++ = one_in(2) ? 'E' : 'O';
			*p++ = conversions[below(sizeof conversions - 1)];
			if (p > f + 40)
				break;
		}
		*p = '\0';
		memset(a, 1, sizeof a);
		memset(b, 1, sizeof b);
		ra = strftime(a, n, f, &tm);
		rb = m_strftime(b, n, f, &tm);
		SAME_INT(ra, rb, "strftime '%s' of %ld into %zu: '%s' '%s'", f, t, n, a, b);
		if (ra)
			SAME_STR(a, b, "strftime '%s' of %ld", f, t);
	}
}

static void asctimes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(2000); i++) {
		struct tm tm = {.tm_sec = (int)below(70),
			.tm_min = (int)below(70),
			.tm_hour = (int)below(30),
			.tm_mday = (int)below(40),
			.tm_mon = (int)below(15) - 1,
			.tm_wday = (int)below(9) - 1,
			.tm_year = (int)below(9000) - 1000};
		char a[64] = "", b[64] = "";
		SAME_INT(asctime_r(&tm, a) != NULL, m_asctime_r(&tm, b) != NULL, "asctime");
		SAME_STR(a, b, "asctime");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions),
		cmocka_unit_test(local_time),
		cmocka_unit_test(zone_variables),
		cmocka_unit_test(formats),
		cmocka_unit_test(asctimes),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
