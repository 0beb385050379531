/*
 * check-name: calendars, formats, zones and clocks
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void show(const char *zone)
{
	static const time_t moments[] = {0, 951782400, 1700000000, 1720000000, 4102444799, -86400};
	char buf[100];

	setenv("TZ", zone, 1);
	tzset();
	printf("%s %s %s %ld %d\n", zone, tzname[0], tzname[1], timezone, daylight);
	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
		struct tm tm = *localtime(&moments[i]);
		time_t back = mktime(&tm);
		strftime(buf, sizeof buf, "%F %T %z %Z %a %j %V %U %e %I%p", &tm);
		printf("%s %d\n", buf, back == moments[i]);
	}
}

int main(void)
{
	struct tm tm = {.tm_year = 124, .tm_mon = 13, .tm_mday = -3, .tm_hour = 50};
	struct timespec a, b;
	struct timeval tv;
	time_t t = 86400 * 365;

	printf("%ld\n", (long)timegm(&tm));
	printf("%s", asctime(&tm));
	printf("%s", asctime(gmtime(&t)));
	show("UTC0");
	show("Europe/Berlin");
	show("CET-1CEST,M3.5.0,M10.5.0/3");
	show("America/New_York");
	clock_gettime(CLOCK_MONOTONIC, &a);
	usleep(20000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d\n", (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 >= 20);
	gettimeofday(&tv, NULL);
	printf("%d %d\n", labs(tv.tv_sec - time(NULL)) <= 1, difftime(10, 4) == 6.0);
	printf("%d\n", nanosleep(&(struct timespec){0, 2000000000}, NULL));
	return 0;
}
