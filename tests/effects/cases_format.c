#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <wchar.h>

#include "cases.h"
#include "watch.h"

void cases_numbers(void)
{
	char **end = room(8), *s = copy(" -12345xyz"), *f = copy("3.25e2,"), *to = room(60);
	unsigned *seed = room(4);
	unsigned short *x = room(14);
	struct drand48_data *d = room(sizeof(*d));
	double *out = room(8);
	long *l = room(8);
	size_t n = rng_below(&rng, 60);

	CALL(strtol, strtol(s, end, 0), U(s), U(end), 0);
	CALL(strtoul, strtoul(s, end, 36), U(s), U(end), 36);
	expect_read(s, strlen(s) + 1);
	STIR(end);
	CALL(strtoll, strtoll(s, end, 0), U(s), U(end), 0);
	CALL(strtoll, strtoll(s, NULL, 0), U(s), 0, 0);
	STIR(end);
	CALL(strtoimax, strtoimax(s, end, 0), U(s), U(end), 0);
	STIR(end);
	CALL(strtod, (strtod(f, end), 0), U(f), U(end));
	STIR(end);
	CALL(strtold, (strtold(f, end), 0), U(f), U(end));
	CALL(strfromd, strfromd(to, n, "%.20g", 1.0 / 3), U(to), n, U("%.20g"));
	CALL(rand_r, rand_r(seed), U(seed));
	CALL(erand48, (erand48(x), 0), U(x));
	CALL(nrand48, nrand48(x), U(x));
	CALL(srand48_r, srand48_r(n, d), n, U(d));
	CALL(drand48_r, drand48_r(d, out), U(d), U(out));
	CALL(erand48_r, erand48_r(x, d, out), U(x), U(d), U(out));
	CALL(jrand48_r, jrand48_r(x, d, l), U(x), U(d), U(l));
	CALL(seed48_r, seed48_r(x, d), U(x), U(d));
	CALL(lcong48_r, lcong48_r(x, d), U(x), U(d));
	CALL(getrandom, getrandom(to, n, 0), U(to), n, 0);
	CALL(getentropy, getentropy(to, n), U(to), n);
	CALL(arc4random_buf, (arc4random_buf(to, n), 0), U(to), n);
}

static int vprint(char *to, size_t n, const char *format, ...)
{
	va_list *ap = room(sizeof(va_list));
	int r;

	va_start(*ap, format);
	r = (int)CALL(vsnprintf, vsnprintf(to, n, format, *ap), U(to), n, U(format), U(*ap));
	va_end(*ap);
	return r;
}

static char nul = 0;

void cases_print(void)
{
	char *to = room(200), *s = text(40), **p = room(8), *raw = room(5);
	int *count = room(4);
	short *small = room(2);
	long *big = room(8);
	size_t n = rng_below(&rng, 60), prec = rng_below(&rng, 6);
	wchar_t *w = wcscpy(room(20), L"wide");

	CALL(snprintf, snprintf(to, n, "%s|%5d%%%n", s, 42, count), U(to), n, U("%s|%5d%%%n"), U(s),
		42, U(count));
	expect_read(s, strlen(s) + 1);
	expect_write(count, 4);
	CALL(sprintf, sprintf(to, "%c%-*.*s%hn", nul, 9, (int)prec, raw, small), U(to),
		U("%c%-*.*s%hn"), 0, 9, prec, U(raw), U(small));
	expect_write(small, 2);
	CALL(snprintf, snprintf(to, n, "%2$ld %1$s%3$ln", s, 7L, big), U(to), n,
		U("%2$ld %1$s%3$ln"), U(s), 7, U(big));
	expect_write(big, 8);
	CALL(snprintf, snprintf(to, n, "%m %Lg %ls %p %#jx", 2.5L, w, s, (intmax_t)1), U(to), n,
		U("%m %Lg %ls %p %#jx"), 0, U(w), U(s), 1);
	expect_read(w, 20);
	CALL(snprintf, snprintf(NULL, 0, "%f %d%n", 1.5, 3, count), 0, 0, U("%f %d%n"), 0, 3,
		U(count));
	expect_write(count, 4);
	CALL(snprintf, snprintf(to, 9, "%ls", L"\xdfff\xdfff"), U(to), 9, U("%ls"),
		U(L"\xdfff\xdfff"));
	CALL(asprintf, asprintf(p, "%s and %s", s, "more"), U(p), U("%s and %s"), U(s), U("more"));
	expect_write(*p, strlen(*p) + 1);
	free(*p);
	vprint(to, n, "%d %s %g", 1, s, 2.0);
	if (stopped())
		BUG("vsnprintf is known");
	vprint(to, n, "%d%n", 1, count);
	if (!stopped())
		BUG("%%n in vsnprintf was not noticed");
}

static FILE *stream_of(const char *s)
{
	FILE *f = tmpfile();

	fputs(s, f);
	rewind(f);
	return f;
}

void cases_scan(void)
{
	char *in = copy("12 -7 0x1f word 3.5 [set] abcdef 99"), *word = room(40), *set = room(40);
	char *c = room(8), **alloc = room(8), *f;
	int *i = room(4), *n = room(4), *j = room(4);
	short *h = room(2);
	signed char *hh = room(1);
	long *l = room(8);
	double *d = room(8);
	float *fl = room(4);
	long double *ld = room(16);
	wchar_t *w = room(100);

	f = "%d %hd %lx %39s %lf %*[[]%[a-z] ] %3c%n%*c";
	CALL(__isoc99_sscanf, sscanf(in, f, i, h, l, word, d, set, c, n), U(in), U(f), U(i), U(h),
		U(l), U(word), U(d), U(set), U(c), U(n));
	expect_write(word, 5);
	f = "%hhd%n %f %La";
	in = copy("7  1e3 2.25");
	CALL(__isoc99_sscanf, sscanf(in, f, hh, n, fl, ld), U(in), U(f), U(hh), U(n), U(fl), U(ld));
	expect_write(n, 4);
	f = "%d:%d%n";
	in = copy("12:oops");
	CALL(__isoc99_sscanf, sscanf(in, f, i, j, n), U(in), U(f), U(i), U(j), U(n));
	if (writes() != 1)
		BUG("only one number was stored");
	f = "%n%d";
	in = copy("");
	CALL(__isoc99_sscanf, sscanf(in, f, n, i), U(in), U(f), U(n), U(i));
	expect_write(n, 4);
	f = "%ms %d";
	in = copy("allocated 5");
	CALL(__isoc99_sscanf, sscanf(in, f, alloc, i), U(in), U(f), U(alloc), U(i));
	expect_write(*alloc, 10);
	free(*alloc);
	in = copy("  ");
	CALL(__isoc99_sscanf, sscanf(in, f, alloc, i), U(in), U(f), U(alloc), U(i));
	f = "%2$d %1$ls";
	in = copy("31 wide");
	CALL(__isoc99_sscanf, sscanf(in, f, w, i), U(in), U(f), U(w), U(i));
	expect_write(w, 20);
	f = "%*d%d%[^]x]%5c";
	FILE *s = stream_of("1 2ab]]cd");
	CALL(__isoc99_fscanf, fscanf(s, f, i, set, c), U(s), U(f), U(i), U(set), U(c));
	fclose(s);
}
