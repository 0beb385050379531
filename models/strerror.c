/* The texts of errors and signals, in the C locale. */
#include "model.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct text {
	const char *name, *text;
};

static const struct text errors[] = {
	[0] = {"0", "Success"},
#define ERROR(id, text) [id] = {#id, text},
#include "errors.def"
#undef ERROR
};

static const struct text signals[] = {
#define SIGNAL(id, text) [SIG##id] = {#id, text},
#include "signals.def"
#undef SIGNAL
};

static const struct text *lookup(const struct text *table, size_t n, int i)
{
	return i >= 0 && (size_t)i < n && table[i].name ? &table[i] : NULL;
}

#define LOOKUP(table, i) lookup(table, sizeof table / sizeof *table, i)

const char *__m_error_name(int e)
{
	const struct text *t = LOOKUP(errors, e);

	return t ? t->name : NULL;
}

M_ALIAS(strerrorname_np, __m_error_name);

const char *strerrordesc_np(int e)
{
	const struct text *t = LOOKUP(errors, e);

	return t ? t->text : NULL;
}

char *strerror(int e)
{
	static __thread char buf[40];
	const struct text *t = LOOKUP(errors, e);

	if (t)
		return (char *)t->text;
	snprintf(buf, sizeof buf, "Unknown error %d", e);
	return buf;
}

char *strerror_l(int e, locale_t l)
{
	(void)l;
	return strerror(e);
}

/* the GNU one */
char *__m_strerror_r(int e, char *buf, size_t n) __asm__("strerror_r");
char *__m_strerror_r(int e, char *buf, size_t n)
{
	const struct text *t = LOOKUP(errors, e);

	if (t)
		return (char *)t->text;
	snprintf(buf, n, "Unknown error %d", e);
	return buf;
}

int __xpg_strerror_r(int e, char *buf, size_t n)
{
	const struct text *t = LOOKUP(errors, e);
	size_t len, k;

	if (!t) {
		snprintf(buf, n, "Unknown error %d", e);
		return EINVAL;
	}
	len = strlen(t->text);
	k = len < n ? len : n ? n - 1 : 0;
	if (n) {
		__builtin_memcpy(buf, t->text, k);
		buf[k] = '\0';
	}
	return len < n ? 0 : ERANGE;
}

const char *sigabbrev_np(int sig)
{
	const struct text *t = LOOKUP(signals, sig);

	return t ? t->name : NULL;
}

const char *sigdescr_np(int sig)
{
	const struct text *t = LOOKUP(signals, sig);

	return t ? t->text : NULL;
}

char *__strsignal(int sig)
{
	static __thread char buf[40];
	const struct text *t = LOOKUP(signals, sig);

	if (t)
		return (char *)t->text;
	if (sig >= SIGRTMIN && sig <= SIGRTMAX)
		snprintf(buf, sizeof buf, "Real-time signal %d", sig - SIGRTMIN);
	else
		snprintf(buf, sizeof buf, "Unknown signal %d", sig);
	return buf;
}
M_ALIAS(strsignal, __strsignal);

void psignal(int sig, const char *s)
{
	const struct text *t = LOOKUP(signals, sig);
	const char *colon = s && *s ? ": " : "";

	if (!s)
		s = "";
	if (t || (sig >= SIGRTMIN && sig <= SIGRTMAX))
		fprintf(stderr, "%s%s%s\n", s, colon, __strsignal(sig));
	else
		fprintf(stderr, "%s%sUnknown signal %d\n", s, colon, sig);
}
