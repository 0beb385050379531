/* strftime in the C locale, with the GNU flags and widths. */
#include "model_time.h"
#include <stdio.h>
#include <string.h>

struct text {
	char *p;
	size_t room; /* without the NUL */
	size_t n;    /* written */
	bool full;
};

struct spec {
	char pad;      /* 0: the conversion's own; '_', '-', '0' */
	char modifier; /* 'E', 'O': other eras and numerals, of which this locale has none */
	bool upper, change_case;
	int width;     /* -1: none */
};

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
	"Saturday"};
static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July",
	"August", "September", "October", "November", "December"};

static const char not_with_e[] = "aAbhBDdeFHIkljMmSUVgGWw", not_with_o[] = "aAcDFxXY";

static void put(struct text *t, char c)
{
	if (t->n < t->room)
		t->p[t->n++] = c;
	else
		t->full = true;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static void put_text(struct text *t, const struct spec *s, const char *text, size_t n, bool down)
{
	for (int i = (int)n; i < s->width; i++)
		put(t, s->pad == '0' ? '0' : ' ');
	for (size_t i = 0; i < n; i++)
		put(t, down ? lower(text[i]) : s->upper ? upper(text[i]) : text[i]);
}

/* At least `digits` and the width, filled with pad; a sign comes before zeros and behind spaces. */
static void put_number(struct text *t, const struct spec *s, int64_t v, int digits, char pad)
{
	char buf[24], *d = buf + sizeof buf;
	bool negative = v < 0;
	uint64_t u = negative ? -(uint64_t)v : (uint64_t)v;
	int width = s->width > digits ? s->width : digits, fill;

	if (s->pad)
		pad = s->pad;
	do
		*--d = (char)('0' + u % 10);
	while (u /= 10);
	if (pad == '-')
		width = s->width;
	fill = width - (int)(buf + sizeof buf - d) - negative;
	if (negative && pad == '0')
		put(t, '-');
	for (int i = 0; i < fill; i++)
		put(t, pad == '0' ? '0' : ' ');
	if (negative && pad != '0')
		put(t, '-');
	for (; d < buf + sizeof buf; d++)
		put(t, *d);
}

/* ---- weeks ------------------------------------------------------------------------------- */

static bool leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The ISO 8601 week, and the year that it belongs to. */
static int iso_week(const struct tm *tm, int64_t *year)
{
	int days_in_year, day;

	*year = (int64_t)tm->tm_year + 1900;
	day = tm->tm_yday - (tm->tm_yday - tm->tm_wday + 382) % 7 + 3;
	if (day < 0) {
		--*year;
		day = tm->tm_yday + (leap(*year) ? 366 : 365);
		day = day - (day - tm->tm_wday + 382) % 7 + 3;
		return day / 7 + 1;
	}
	days_in_year = leap(*year) ? 366 : 365;
	if (tm->tm_yday - days_in_year - (tm->tm_yday - days_in_year - tm->tm_wday + 382) % 7 + 3 >=
		0) {
		++*year;
		return 1;
	}
	return day / 7 + 1;
}

static int hour12(int hour)
{
	return hour > 12 ? hour - 12 : hour == 0 ? 12 : hour;
}

static int64_t floor_mod(int64_t a, int64_t b)
{
	return (a % b + b) % b;
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void format(struct text *t, const char *f, const struct tm *tm);

/* A conversion that stands for others, padded as a whole. */
static void put_composed(struct text *t, const struct spec *s, const char *f, const struct tm *tm)
{
	char buf[128];
	struct text inner = {.p = buf, .room = sizeof buf - 1};

	format(&inner, f, tm);
	put_text(t, s, buf, inner.n, false);
}

static void put_offset(struct text *t, const struct spec *s, const struct tm *tm)
{
	long minutes = tm->tm_gmtoff / 60;

	if (tm->tm_isdst < 0)
		return;
	put_text(t, s, tm->tm_gmtoff < 0 ? "-" : "+", 1, false);
	if (minutes < 0)
		minutes = -minutes;
	put_number(t, s, minutes / 60 * 100 + minutes % 60, 4, '0');
}

static void put_name(struct text *t, struct spec *s, const char *const *names, int n, int i,
	size_t length)
{
	const char *name = i < 0 || i >= n ? "?" : names[i];
	size_t k = strlen(name);

	if (s->change_case)
		s->upper = true;
	put_text(t, s, name, length < k ? length : k, false);
}

static void put_half(struct text *t, struct spec *s, const struct tm *tm, bool down)
{
	put_text(t, s, tm->tm_hour > 11 ? "PM" : "AM", 2, down || s->change_case);
}

static bool put_clock(struct text *t, const struct spec *s, char conv, const struct tm *tm)
{
	switch (conv) {
	case 'H': put_number(t, s, tm->tm_hour, 2, '0'); break;
	case 'I': put_number(t, s, hour12(tm->tm_hour), 2, '0'); break;
	case 'k': put_number(t, s, tm->tm_hour, 2, '_'); break;
	case 'l': put_number(t, s, hour12(tm->tm_hour), 2, '_'); break;
	case 'M': put_number(t, s, tm->tm_min, 2, '0'); break;
	case 'S': put_number(t, s, tm->tm_sec, 2, '0'); break;
	case 'R': put_composed(t, s, "%H:%M", tm); break;
	case 'T': put_composed(t, s, "%H:%M:%S", tm); break;
	case 'r': put_composed(t, s, "%I:%M:%S %p", tm); break;
	case 'X': put_composed(t, s, "%H:%M:%S", tm); break;
	case 's': {
		struct tm copy = *tm;
		char number[24];
		int n = snprintf(number, sizeof number, "%ld", (long)mktime(&copy));
		put_text(t, s, number, (size_t)n, false);
		break;
	}
	default: return false;
	}
	return true;
}

static bool put_date(struct text *t, const struct spec *s, char conv, const struct tm *tm)
{
	int64_t year = (int64_t)tm->tm_year + 1900, iso;

	switch (conv) {
	case 'C': put_number(t, s, year / 100 - (year % 100 < 0), 1, '0'); break;
	case 'd': put_number(t, s, tm->tm_mday, 2, '0'); break;
	case 'e': put_number(t, s, tm->tm_mday, 2, '_'); break;
	case 'j': put_number(t, s, 1 + tm->tm_yday, 3, '0'); break;
	case 'm': put_number(t, s, 1 + tm->tm_mon, 2, '0'); break;
	case 'u': put_number(t, s, (tm->tm_wday - 1 + 7) % 7 + 1, 1, '0'); break;
	case 'w': put_number(t, s, tm->tm_wday, 1, '0'); break;
	case 'U': put_number(t, s, (tm->tm_yday - tm->tm_wday + 7) / 7, 2, '0'); break;
	case 'W':
		put_number(t, s, (tm->tm_yday - (tm->tm_wday - 1 + 7) % 7 + 7) / 7, 2, '0');
		break;
	case 'V': put_number(t, s, iso_week(tm, &iso), 2, '0'); break;
	case 'G':
		iso_week(tm, &iso);
		put_number(t, s, iso, 1, '0');
		break;
	case 'g':
		iso_week(tm, &iso);
		put_number(t, s, floor_mod(iso, 100), 2, '0');
		break;
	case 'y': put_number(t, s, floor_mod(year, 100), 2, '0'); break;
	case 'Y': put_number(t, s, year, 1, '0'); break;
	case 'c': put_composed(t, s, "%a %b %e %H:%M:%S %Y", tm); break;
	case 'D': put_composed(t, s, "%m/%d/%y", tm); break;
	case 'x': put_composed(t, s, "%m/%d/%y", tm); break;
	case 'F': put_composed(t, s, "%Y-%m-%d", tm); break;
	default: return false;
	}
	return true;
}

/* f is at the conversion character; an unknown conversion is printed as text from start. */
static const char *convert(struct text *t, struct spec *s, const char *start, const char *f,
	const struct tm *tm)
{
	if (s->change_case && (*f == 'b' || *f == 'h'))
		s->upper = true;
	if (s->modifier && *f && strchr(s->modifier == 'E' ? not_with_e : not_with_o, *f))
		goto unknown;
	switch (*f) {
	case '%': put_text(t, s, "%", 1, false); break;
	case 'n': put_text(t, s, "\n", 1, false); break;
	case 't': put_text(t, s, "\t", 1, false); break;
	case 'a': put_name(t, s, days, 7, tm->tm_wday, 3); break;
	case 'A': put_name(t, s, days, 7, tm->tm_wday, SIZE_MAX); break;
	case 'b':
	case 'h': put_name(t, s, months, 12, tm->tm_mon, 3); break;
	case 'B': put_name(t, s, months, 12, tm->tm_mon, SIZE_MAX); break;
	case 'p': put_half(t, s, tm, false); break;
	case 'P': put_half(t, s, tm, true); break;
	case 'Z': {
		const char *zone = tm->tm_isdst < 0 || !tm->tm_zone ? "" : tm->tm_zone;
		put_text(t, s, zone, strlen(zone), s->change_case);
		break;
	}
	case 'z': put_offset(t, s, tm); break;
	default:
		if (!put_clock(t, s, *f, tm) && !put_date(t, s, *f, tm))
			goto unknown;
	}
	return f + 1;
unknown:
	if (!*f)
		f--;
	put_text(t, s, start, (size_t)(f - start) + 1, false);
	return f + 1;
}

static const char *parse_spec(const char *f, struct spec *s)
{
	*s = (struct spec){.width = -1};
	for (;; f++) {
		switch (*f) {
		case '_': case '-': case '0': s->pad = *f; continue;
		case '^': s->upper = true; continue;
		case '#': s->change_case = true; continue;
		}
		break;
	}
	if (*f >= '0' && *f <= '9')
		for (s->width = 0; *f >= '0' && *f <= '9'; f++)
			s->width = s->width > INT_MAX / 10 - 1 ? INT_MAX / 10
							       : s->width * 10 + (*f - '0');
	if (*f == 'E' || *f == 'O')
		s->modifier = *f++;
	return f;
}

static void format(struct text *t, const char *f, const struct tm *tm)
{
	while (*f && !t->full) {
		struct spec s;
		if (*f != '%') {
			put(t, *f++);
			continue;
		}
		f = convert(t, &s, f, parse_spec(f + 1, &s), tm);
	}
}

size_t strftime(
	char *restrict buf, size_t size, const char *restrict f, const struct tm *restrict tm)
{
	struct text t = {.p = buf, .room = size ? size - 1 : 0};

	__m_zone_load();
	format(&t, f, tm);
	if (t.full || !size) {
		errno = ERANGE;
		return 0;
	}
	buf[t.n] = '\0';
	return t.n;
}

size_t strftime_l(char *restrict buf, size_t size, const char *restrict f,
	const struct tm *restrict tm, locale_t l)
{
	(void)l;
	return strftime(buf, size, f, tm);
}
