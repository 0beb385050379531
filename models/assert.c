/*
 * <assert.h> and the checks that compilers insert: glibc's message on stderr, a SIGABRT handler
 * if the program has one, then the finding.
 */
#include "model.h"
#include "model_signal.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern char *__progname;

static _Noreturn void __attribute__((format(printf, 2, 3)))
die(enum heddle_fault kind, const char *format, ...)
{
	va_list ap;
	int n;
	char *text;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = __heddle_alloc((size_t)n + 2, 1, false);
	va_start(ap, format);
	vsnprintf(text, (size_t)n + 1, format, ap);
	va_end(ap);
	text[n] = '\n';
	text[n + 1] = '\0';
	fputs(text, stderr);
	text[n] = '\0';
	__m_signal_abort();
	__heddle_fault(kind, text, NULL);
}

static const char *colon(const char *s)
{
	return s && *s ? ": " : "";
}

void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	die(HEDDLE_FAULT_ASSERT, "%s%s%s:%u: %s%sAssertion `%s' failed.", __progname,
		colon(__progname), file, line, function ? function : "", function ? ": " : "",
		assertion);
}

void __assert_perror_fail(int errnum, const char *file, unsigned line, const char *function)
{
	die(HEDDLE_FAULT_ASSERT, "%s%s%s:%u: %s%sUnexpected error: %s.", __progname,
		colon(__progname), file, line, function ? function : "", function ? ": " : "",
		strerror(errnum));
}

void __assert(const char *assertion, const char *file, int line)
{
	__assert_fail(assertion, file, (unsigned)line, NULL);
}

_Noreturn void __fortify_fail(const char *what)
{
	die(HEDDLE_FAULT_ABORT, "*** %s ***: terminated", what);
}

_Noreturn void __chk_fail(void)
{
	__fortify_fail("buffer overflow detected");
}

_Noreturn void __stack_chk_fail(void)
{
	__fortify_fail("stack smashing detected");
}
