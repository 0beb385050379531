/* The environment: strings "name=value" in the array that __environ points to. */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char **__environ;
M_ALIAS(environ, __environ);
M_ALIAS(_environ, __environ);

static char **allocated; /* the array, if it is ours */

static char **find(const char *name, size_t n)
{
	if (__environ)
		for (char **e = __environ; *e; e++)
			if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
				return e;
	return NULL;
}

char *getenv(const char *name)
{
	size_t n = strlen(name);

	__heddle_order(&__environ, false);
	char **e = n ? find(name, n) : NULL;

	return e ? *e + n + 1 : NULL;
}

char *secure_getenv(const char *name)
{
	return getenv(name);
}
extern char *__secure_getenv(const char *) __attribute__((alias("secure_getenv")));

/* Puts string in place of the variable of that name, or adds it. The old string stays: the program
 * may hold pointers into it. */
static int put_string(char *string, size_t n)
{
	char **e = find(string, n), **array;
	size_t count = 0;

	if (e) {
		*e = string;
		return 0;
	}
	while (__environ && __environ[count])
		count++;
	array = __heddle_alloc((count + 2) * sizeof *array, _Alignof(char *), false);
	if (!array)
		return m_fail(ENOMEM);
	if (count)
		__builtin_memcpy(array, __environ, count * sizeof *array);
	array[count] = string;
	array[count + 1] = NULL;
	if (allocated && allocated == __environ)
		__heddle_free(allocated);
	__environ = allocated = array;
	return 0;
}

static bool bad_name(const char *name)
{
	return !name || !*name || strchr(name, '=');
}

int setenv(const char *name, const char *value, int replace)
{
	size_t n, nvalue;
	char *string;

	if (bad_name(name))
		return m_fail(EINVAL);
	__heddle_order(&__environ, true);
	n = strlen(name);
	if (!replace && find(name, n))
		return 0;
	nvalue = strlen(value);
	string = __heddle_alloc(n + nvalue + 2, 1, false);
	if (!string)
		return m_fail(ENOMEM);
	__builtin_memcpy(string, name, n);
	string[n] = '=';
	__builtin_memcpy(string + n + 1, value, nvalue + 1);
	return put_string(string, n);
}

int __unsetenv(const char *name)
{
	char **e;

	if (bad_name(name))
		return m_fail(EINVAL);
	__heddle_order(&__environ, true);
	while ((e = find(name, strlen(name))))
		do
			e[0] = e[1];
		while (*e++);
	return 0;
}
M_ALIAS(unsetenv, __unsetenv);

int putenv(char *string)
{
	char *equals = strchr(string, '=');

	if (!equals) {
		__unsetenv(string);
		return 0;
	}
	__heddle_order(&__environ, true);
	return put_string(string, (size_t)(equals - string));
}

int clearenv(void)
{
	__heddle_order(&__environ, true);
	if (allocated && allocated == __environ)
		__heddle_free(allocated);
	allocated = __environ = NULL;
	return 0;
}
