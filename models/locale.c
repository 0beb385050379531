/* Locales: there is one, "C", also called "POSIX". */
#include "model.h"
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>

static bool is_c(const char *name)
{
	return !*name || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

/* The environment's choice ("") is ignored: programs run in the C locale. */
char *setlocale(int category, const char *name)
{
	if (category < 0 || category > LC_IDENTIFICATION) {
		errno = EINVAL;
		return NULL;
	}
	return !name || is_c(name) ? (char *)"C" : NULL;
}

struct lconv *localeconv(void)
{
	static struct lconv c = {
		.decimal_point = (char *)".",
		.thousands_sep = (char *)"",
		.grouping = (char *)"",
		.int_curr_symbol = (char *)"",
		.currency_symbol = (char *)"",
		.mon_decimal_point = (char *)"",
		.mon_thousands_sep = (char *)"",
		.mon_grouping = (char *)"",
		.positive_sign = (char *)"",
		.negative_sign = (char *)"",
		.int_frac_digits = CHAR_MAX,
		.frac_digits = CHAR_MAX,
		.p_cs_precedes = CHAR_MAX,
		.p_sep_by_space = CHAR_MAX,
		.n_cs_precedes = CHAR_MAX,
		.n_sep_by_space = CHAR_MAX,
		.p_sign_posn = CHAR_MAX,
		.n_sign_posn = CHAR_MAX,
		.int_p_cs_precedes = CHAR_MAX,
		.int_p_sep_by_space = CHAR_MAX,
		.int_n_cs_precedes = CHAR_MAX,
		.int_n_sep_by_space = CHAR_MAX,
		.int_p_sign_posn = CHAR_MAX,
		.int_n_sign_posn = CHAR_MAX,
	};

	return &c;
}

/* Headers' macros read the tables through a locale_t. */
static struct __locale_struct c_locale;

locale_t newlocale(int mask, const char *name, locale_t base)
{
	extern const unsigned short **__ctype_b_loc(void);
	extern const __int32_t **__ctype_tolower_loc(void), **__ctype_toupper_loc(void);

	(void)mask;
	(void)base;
	if (!is_c(name)) {
		errno = ENOENT;
		return NULL;
	}
	c_locale.__ctype_b = *__ctype_b_loc();
	c_locale.__ctype_tolower = *__ctype_tolower_loc();
	c_locale.__ctype_toupper = *__ctype_toupper_loc();
	for (int i = 0; i < 13; i++)
		c_locale.__names[i] = "C";
	return &c_locale;
}

locale_t duplocale(locale_t l)
{
	return l;
}

void freelocale(locale_t l)
{
	(void)l;
}

locale_t uselocale(locale_t l)
{
	static __thread locale_t current = LC_GLOBAL_LOCALE;
	locale_t old = current;

	if (l)
		current = l;
	return old;
}

char *nl_langinfo(nl_item item)
{
	static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday",
		"Friday", "Saturday"};
	static const char *const short_days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"};
	static const char *const short_months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
		"Aug", "Sep", "Oct", "Nov", "Dec"};

	if (item >= DAY_1 && item <= DAY_7)
		return (char *)days[item - DAY_1];
	if (item >= ABDAY_1 && item <= ABDAY_7)
		return (char *)short_days[item - ABDAY_1];
	if (item >= MON_1 && item <= MON_12)
		return (char *)months[item - MON_1];
	if (item >= ABMON_1 && item <= ABMON_12)
		return (char *)short_months[item - ABMON_1];
	switch (item) {
	case CODESET: return (char *)"ANSI_X3.4-1968";
	case RADIXCHAR: return (char *)".";
	case D_T_FMT: return (char *)"%a %b %e %H:%M:%S %Y";
	case D_FMT: return (char *)"%m/%d/%y";
	case T_FMT: return (char *)"%H:%M:%S";
	case T_FMT_AMPM: return (char *)"%I:%M:%S %p";
	case AM_STR: return (char *)"AM";
	case PM_STR: return (char *)"PM";
	case YESEXPR: return (char *)"^[yY]";
	case NOEXPR: return (char *)"^[nN]";
	case CRNCYSTR: return (char *)"-";
	}
	return (char *)"";
}

/* ---- messages: there is no catalogue ------------------------------------------------------ */

#undef gettext
#undef dgettext
#undef dcgettext
#undef ngettext
#undef dngettext

char *gettext(const char *text)
{
	return (char *)text;
}

char *dgettext(const char *domain, const char *text)
{
	(void)domain;
	return (char *)text;
}

char *dcgettext(const char *domain, const char *text, int category)
{
	(void)domain;
	(void)category;
	return (char *)text;
}

char *ngettext(const char *one, const char *many, unsigned long n)
{
	return (char *)(n == 1 ? one : many);
}

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
	(void)domain;
	return (char *)(n == 1 ? one : many);
}

char *textdomain(const char *domain)
{
	return (char *)(domain && *domain ? domain : "messages");
}

char *bindtextdomain(const char *domain, const char *directory)
{
	if (!domain || !*domain)
		return NULL;
	return (char *)(directory ? directory : "/usr/share/locale");
}

char *bind_textdomain_codeset(const char *domain, const char *codeset)
{
	(void)domain;
	return (char *)codeset;
}
