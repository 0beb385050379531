/*
 * check-name: a program's own functions with names of libc that ISO C leaves free
 * check-flags: -std=c11 -O2 -g
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* none of these is called by libc itself */
long read(int fd, void *buf, size_t n)
{
	(void)fd;
	(void)buf;
	(void)n;
	abort();
}

long write(int fd, const void *buf, size_t n)
{
	(void)fd;
	(void)buf;
	(void)n;
	abort();
}

size_t strnlen(const char *s, size_t n)
{
	(void)s;
	(void)n;
	abort();
}

int error(const char *text)
{
	return printf("own error: %s\n", text);
}

int getline(void)
{
	return 77;
}

int main(void)
{
	char buf[40] = "x";
	FILE *f = fopen("/dev/null", "r");

	strncat(buf, "hello", 3);
	puts(buf);
	error("message");
	printf("%d %d\n", getline(), fgetc(f));
	strncpy(buf, "zz", 5);
	printf("%s %.2s\n", buf, "long");
	return fclose(f);
}
