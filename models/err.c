/* <err.h> and <error.h>: messages on stderr with the program's name, and the end. */
#include "model.h"
#include <err.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *__progname, *__progname_full;

unsigned error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

/* ---- <err.h> ----------------------------------------------------------------------------- */

static void say(const char *format, va_list ap, bool with_errno)
{
	int e = errno;

	fprintf(stderr, "%s: ", __progname);
	if (format) {
		vfprintf(stderr, format, ap);
		if (with_errno)
			fprintf(stderr, ": ");
	}
	if (with_errno)
		fprintf(stderr, "%s", strerror(e));
	fputc('\n', stderr);
}

#define SAY(with_errno) \
	va_list ap; \
	va_start(ap, format); \
	say(format, ap, with_errno); \
	va_end(ap)

void warn(const char *format, ...)
{
	SAY(true);
}

void vwarn(const char *format, va_list ap)
{
	say(format, ap, true);
}

void warnx(const char *format, ...)
{
	SAY(false);
}

void vwarnx(const char *format, va_list ap)
{
	say(format, ap, false);
}

void err(int status, const char *format, ...)
{
	SAY(true);
	exit(status);
}

void verr(int status, const char *format, va_list ap)
{
	say(format, ap, true);
	exit(status);
}

void errx(int status, const char *format, ...)
{
	SAY(false);
	exit(status);
}

void verrx(int status, const char *format, va_list ap)
{
	say(format, ap, false);
	exit(status);
}

/* ---- <error.h> --------------------------------------------------------------------------- */

/* With a file and a line in front if there is one. */
static void report(int status, int errnum, const char *file, unsigned line, const char *format,
	va_list ap)
{
	fflush(stdout);
	if (error_print_progname)
		error_print_progname();
	else
		fprintf(stderr, file ? "%s:" : "%s: ", __progname_full);
	if (file)
		fprintf(stderr, "%s:%u: ", file, line);
	vfprintf(stderr, format, ap);
	error_message_count++;
	if (errnum)
		fprintf(stderr, ": %s", strerror(errnum));
	fputc('\n', stderr);
	fflush(stderr);
	if (status)
		exit(status);
}

void error(int status, int errnum, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(status, errnum, NULL, 0, format, ap);
	va_end(ap);
}

void error_at_line(int status, int errnum, const char *file, unsigned line, const char *format, ...)
{
	static const char *last_file;
	static unsigned last_line;
	va_list ap;

	if (error_one_per_line) {
		if (last_line == line && last_file && file && strcmp(last_file, file) == 0)
			return;
		last_file = file;
		last_line = line;
	}
	va_start(ap, format);
	report(status, errnum, file, line, format, ap);
	va_end(ap);
}
