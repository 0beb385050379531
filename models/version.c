/* The version of the modelled libc: that of the headers that the models are compiled with. */
#include "model.h"
#include <gnu/libc-version.h>
#include <unistd.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *gnu_get_libc_version(void)
{
	return TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__);
}

const char *gnu_get_libc_release(void)
{
	return "stable";
}

size_t confstr(int name, char *buf, size_t n)
{
	static const struct {
		int name;
		const char *text;
	} known[] = {
		{_CS_PATH, "/bin:/usr/bin"},
		{_CS_GNU_LIBC_VERSION, "glibc " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)},
		{_CS_GNU_LIBPTHREAD_VERSION, "NPTL " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t len = 0;
		if (known[i].name != name)
			continue;
		for (; known[i].text[len]; len++)
			if (len + 1 < n)
				buf[len] = known[i].text[len];
		if (n)
			buf[len < n ? len : n - 1] = '\0';
		return len + 1;
	}
	errno = EINVAL;
	return 0;
}
