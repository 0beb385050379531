/* prctl: the options that set properties of a thread or process without an effect on its code here. */
#include "model_thread.h"
#include <stdarg.h>
#include <sys/prctl.h>

static int death_signal, dumpable = 1, no_new_privileges, keep_capabilities, child_subreaper;
static unsigned long slack = 50000; /* ns; the default of Linux */

static int set_name(const char *name)
{
	struct model_thread *t = __m_self();
	size_t i = 0;

	for (; i + 1 < sizeof t->name && name[i]; i++)
		t->name[i] = name[i];
	for (; i < sizeof t->name; i++)
		t->name[i] = 0;
	return 0;
}

static int get_name(char *to)
{
	const struct model_thread *t = __m_self();

	for (size_t i = 0; i < sizeof t->name; i++)
		to[i] = t->name[i];
	return 0;
}

static int set_flag(int *flag, unsigned long value)
{
	if (value > 1)
		return m_fail(EINVAL);
	*flag = (int)value;
	return 0;
}

int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list ap;

	va_start(ap, option);
	a = va_arg(ap, unsigned long);
	switch (option) {
	case PR_SET_NO_NEW_PRIVS:
	case PR_GET_NO_NEW_PRIVS:
		b = va_arg(ap, unsigned long);
		c = va_arg(ap, unsigned long);
		d = va_arg(ap, unsigned long);
		break;
	default: b = c = d = 0;
	}
	va_end(ap);
	switch (option) {
	case PR_SET_NAME: return set_name((const char *)a);
	case PR_GET_NAME: return get_name((char *)a);
	case PR_SET_PDEATHSIG:
		if (a >= _NSIG)
			return m_fail(EINVAL);
		death_signal = (int)a;
		return 0;
	case PR_GET_PDEATHSIG: *(int *)a = death_signal; return 0;
	case PR_SET_DUMPABLE: return set_flag(&dumpable, a);
	case PR_GET_DUMPABLE: return dumpable;
	case PR_SET_NO_NEW_PRIVS:
		if (a != 1 || b || c || d)
			return m_fail(EINVAL);
		no_new_privileges = 1;
		return 0;
	case PR_GET_NO_NEW_PRIVS: return a || b || c || d ? m_fail(EINVAL) : no_new_privileges;
	case PR_SET_KEEPCAPS: return set_flag(&keep_capabilities, a);
	case PR_GET_KEEPCAPS: return keep_capabilities;
	case PR_SET_CHILD_SUBREAPER: child_subreaper = a != 0; return 0;
	case PR_GET_CHILD_SUBREAPER: *(int *)a = child_subreaper; return 0;
	case PR_SET_TIMERSLACK: slack = a ? a : 50000; return 0;
	case PR_GET_TIMERSLACK: return (int)slack;
	default: __heddle_unmodelled("prctl with this option");
	}
}
