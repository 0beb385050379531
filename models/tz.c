/*
 * The local time zone: a TZif file (RFC 8536) named by TZ or /etc/localtime, with the rule in its
 * footer for times past its table, or such a rule given by TZ itself; else UTC.
 */
#include "model_time.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *__tzname[2] = {(char *)"GMT", (char *)"GMT"};
long __timezone;
int __daylight;
M_ALIAS(tzname, __tzname);
M_ALIAS(timezone, __timezone);
M_ALIAS(daylight, __daylight);

struct change { /* when a rule switches: month, week, weekday; or a day of the year */
	enum { MONTH_WEEK_DAY, JULIAN, DAY } kind;
	int month, week, day;
	long time; /* seconds after local midnight */
};

struct rule {
	bool given, has_dst, incomplete;
	char names[2][16];
	long offsets[2]; /* standard, summer */
	struct change to_dst, to_std;
};

struct zone {
	unsigned char *file;
	size_t ntimes, ntypes;
	const unsigned char *times, *indices, *types;
	const char *abbreviations;
	struct rule rule;
};

static struct zone zone;
static char *loaded; /* value of TZ that zone belongs to; NULL before the first time */

/* ---- rules like CET-1CEST,M3.5.0,M10.5.0/3 ----------------------------------------------- */

static const char *parse_name(const char *s, char name[16])
{
	bool quoted = *s == '<';
	size_t n = 0;

	s += quoted;
	while (*s && (quoted ? *s != '>' : (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) {
		if (n < 15)
			name[n++] = *s;
		s++;
	}
	name[n] = '\0';
	if (quoted)
		return *s == '>' && n >= 3 ? s + 1 : NULL;
	return n >= 3 ? s : NULL;
}

static const char *parse_number(const char *s, int *n)
{
	if (*s < '0' || *s > '9')
		return NULL;
	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		*n = *n * 10 + (*s - '0');
	return s;
}

/* [+-]h[:m[:s]] in seconds */
static const char *parse_time(const char *s, long *seconds)
{
	long sign = *s == '-' ? -1 : 1, total = 0;
	int n, unit = 3600;

	s += *s == '-' || *s == '+';
	do {
		s = parse_number(s + (unit != 3600), &n);
		if (!s)
			return NULL;
		total += (long)n * unit;
		unit /= 60;
	} while (*s == ':' && unit);
	*seconds = sign * total;
	return s;
}

static const char *parse_change(const char *s, struct change *c)
{
	*c = (struct change){.time = 7200};
	if (*s == 'M') {
		s = parse_number(s + 1, &c->month);
		s = s && *s == '.' ? parse_number(s + 1, &c->week) : NULL;
		s = s && *s == '.' ? parse_number(s + 1, &c->day) : NULL;
	} else {
		c->kind = *s == 'J' ? JULIAN : DAY;
		s = parse_number(s + (*s == 'J'), &c->day);
	}
	if (s && *s == '/')
		s = parse_time(s + 1, &c->time);
	return s;
}

static bool parse_rule(const char *s, struct rule *r)
{
	long west;

	__builtin_memset(r, 0, sizeof *r);
	if (!(s = parse_name(s, r->names[0])))
		return false;
	/* a name without an offset is another name of UTC */
	r->given = true;
	if (!(s = parse_time(s, &west))) {
		r->incomplete = true;
		return true;
	}
	r->offsets[0] = -west;
	if (!*s)
		return true;
	if (!(s = parse_name(s, r->names[1])))
		return false;
	r->has_dst = true;
	r->offsets[1] = r->offsets[0] + 3600;
	if (*s && *s != ',') {
		if (!(s = parse_time(s, &west)))
			return false;
		r->offsets[1] = -west;
	}
	/* without dates: those of the United States */
	if (!*s)
		s = ",M3.2.0,M11.1.0";
	s = parse_change(s + 1, &r->to_dst);
	s = s && *s == ',' ? parse_change(s + 1, &r->to_std) : NULL;
	return s && !*s;
}

/* Seconds since the epoch of a change in a year, as if local time were UTC. */
static int64_t change_at(const struct change *c, int64_t year)
{
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int64_t day, weekday, next;

	switch (c->kind) {
	case JULIAN: day = __m_days(year, 0, c->day) + (leap && c->day >= 60); break;
	case DAY: day = __m_days(year, 0, c->day + 1); break;
	default:
		day = __m_days(year, c->month - 1, 1);
		weekday = ((day + 4) % 7 + 7) % 7;
		day += (c->day - weekday + 7) % 7 + 7 * (c->week - 1);
		next = __m_days(year, c->month, 1);
		if (day >= next)
			day -= 7;
	}
	return day * 86400 + c->time;
}

static struct m_zone_type rule_at(const struct rule *r, int64_t t)
{
	bool dst = false;
	struct tm tm;

	if (r->has_dst && __m_fields(t, r->offsets[0], &tm) == 0) {
		int64_t year = (int64_t)tm.tm_year + 1900;
		int64_t on = change_at(&r->to_dst, year) - r->offsets[0];
		int64_t off = change_at(&r->to_std, year) - r->offsets[1];
		dst = on < off ? t >= on && t < off : !(t >= off && t < on);
	}
	return (struct m_zone_type){r->offsets[dst], dst, r->names[dst]};
}

/* ---- files ------------------------------------------------------------------------------- */

static int64_t big_endian(const unsigned char *p, int n)
{
	uint64_t v = p[0] & 0x80 ? -1ULL : 0;

	while (n--)
		v = v << 8 | *p++;
	return (int64_t)v;
}

static struct m_zone_type type_at(const struct zone *z, size_t i)
{
	const unsigned char *p = z->types + 6 * i;

	return (struct m_zone_type){big_endian(p, 4), p[4] != 0, z->abbreviations + p[5]};
}

/* Bytes of the data behind a header, for times of that size. */
static size_t data_size(const unsigned char *header, size_t time_size)
{
	size_t n[6];

	for (int i = 0; i < 6; i++)
		n[i] = (size_t)big_endian(header + 20 + 4 * i, 4);
	return n[3] * (time_size + 1) + n[4] * 6 + n[5] + n[2] * (time_size + 4) + n[1] + n[0];
}

/* Takes the block with 64-bit times; false if the file is broken or has none. */
static bool parse_file(struct zone *z, unsigned char *p, size_t n)
{
	size_t v1, v2;
	const char *footer, *end;

	if (n < 44 || memcmp(p, "TZif", 4) != 0 || p[4] < '2')
		return false;
	v1 = 44 + data_size(p, 4);
	if (n < v1 + 44 || n < (v2 = v1 + 44 + data_size(p + v1, 8)))
		return false;
	z->file = p;
	p += v1;
	z->ntimes = (size_t)big_endian(p + 32, 4);
	z->ntypes = (size_t)big_endian(p + 36, 4);
	z->times = p + 44;
	z->indices = z->times + 8 * z->ntimes;
	z->types = z->indices + z->ntimes;
	z->abbreviations = (const char *)z->types + 6 * z->ntypes;
	footer = (const char *)z->file + v2 + 1;
	end = v2 + 1 < n ? memchr(footer, '\n', n - v2 - 1) : NULL;
	if (end && end > footer && (size_t)(end - footer) < 100) {
		char text[100];
		__builtin_memcpy(text, footer, (size_t)(end - footer));
		text[end - footer] = '\0';
		parse_rule(text, &z->rule);
	}
	return z->ntypes > 0;
}

static bool load_file(struct zone *z, const char *path)
{
	long fd = M_RAW(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n = -1;
	unsigned char *p = NULL;
	struct stat st;

	if (fd < 0)
		return false;
	if (M_RAW(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < 1 << 20) {
		p = __heddle_alloc((size_t)st.st_size + 1, 16, true);
		n = p ? M_RAW(SYS_read, fd, p, st.st_size) : -1;
	}
	M_RAW(SYS_close, fd);
	if (n > 0 && parse_file(z, p, (size_t)n))
		return true;
	if (p)
		__heddle_free(p);
	z->file = NULL;
	return false;
}

static bool load_named(struct zone *z, const char *name)
{
	char path[256] = "/usr/share/zoneinfo/";

	if (*name == '/')
		return load_file(z, name);
	if (strlen(name) > 200 || strstr(name, ".."))
		return false;
	return load_file(z, strcat(path, name));
}

/* ---- the zone ---------------------------------------------------------------------------- */

static struct m_zone_type utc(void)
{
	return (struct m_zone_type){0, false, "UTC"};
}

/* The last change at or before t; a time before all of them has the first type without dst. */
static struct m_zone_type file_at(const struct zone *z, int64_t t)
{
	size_t low = 0, high = z->ntimes;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (big_endian(z->times + 8 * middle, 8) <= t)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == z->ntimes && z->rule.given)
		return rule_at(&z->rule, t);
	if (low > 0)
		return type_at(z, z->indices[low - 1]);
	for (size_t i = 0; i < z->ntypes; i++)
		if (!type_at(z, i).dst)
			return type_at(z, i);
	return type_at(z, 0);
}

struct m_zone_type __m_zone_at(int64_t t)
{
	struct m_zone_type z = zone.file ? file_at(&zone, t)
		: zone.rule.given        ? rule_at(&zone.rule, t)
					 : utc();

	__tzname[z.dst] = (char *)z.name;
	return z;
}

/* The public variables, from the rule or the latest types of the file. */
static void publish(void)
{
	struct m_zone_type std = utc(), dst = utc();
	bool has_dst = zone.rule.has_dst;

	dst.name = NULL;
	if (zone.file) {
		for (size_t i = 0; i < zone.ntypes; i++) {
			if (type_at(&zone, i).dst)
				dst = type_at(&zone, i);
			else
				std = type_at(&zone, i);
		}
		for (size_t i = 0; i < zone.ntimes; i++) {
			struct m_zone_type t = type_at(&zone, zone.indices[i]);
			if (t.dst)
				dst = t;
			else
				std = t;
		}
		has_dst = dst.name != NULL;
	}
	if (zone.rule.given) {
		std = (struct m_zone_type){zone.rule.offsets[0], false, zone.rule.names[0]};
		/* a rule of a name alone has an empty second name */
		if (zone.rule.has_dst || zone.rule.incomplete)
			dst.name = zone.rule.names[1];
	}
	__tzname[0] = (char *)std.name;
	__tzname[1] = (char *)(dst.name ? dst.name : std.name);
	__timezone = -std.offset;
	__daylight = has_dst;
}

static void load(const char *name)
{
	if (zone.file)
		__heddle_free(zone.file);
	__builtin_memset(&zone, 0, sizeof zone);
	if (*name == ':')
		name++;
	if (*name && !load_named(&zone, name) && !parse_rule(name, &zone.rule))
		zone.rule.given = false;
}

void __m_zone_load(void)
{
	const char *name = getenv("TZ");

	if (!name)
		name = "/etc/localtime";
	if (!*name)
		name = "Universal";
	if (loaded && strcmp(loaded, name) == 0)
		return;
	if (loaded)
		__heddle_free(loaded);
	loaded = __heddle_alloc(strlen(name) + 1, 1, false);
	strcpy(loaded, name);
	load(name);
	publish();
}
extern void tzset(void) __attribute__((alias("__m_zone_load")));
extern void __tzset(void) __attribute__((alias("__m_zone_load")));
