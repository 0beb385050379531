/*
 * check-name: printf in all its forms
 * check-output-contains: [  +42]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int call_v(char *buf, size_t n, const char *format, ...)
{
	va_list ap;
	int r;

	va_start(ap, format);
	r = vsnprintf(buf, n, format, ap);
	va_end(ap);
	return r;
}

int main(void)
{
	char buf[100], *p;
	int count;

	printf("[%d] [%5d] [%-5d] [%05d] [%+5d] [% d]\n", 42, 42, 42, 42, 42, 42);
	printf("[%x] [%#X] [%o] [%#o] [%u] [%.3d] [%8.3d]\n", 255, 255, 8, 8, UINT_MAX, 7, 7);
	printf("[%hhd] [%hd] [%ld] [%lld] [%jd] [%zu] [%td]\n", 300, 70000, LONG_MIN, LLONG_MAX,
		INTMAX_C(-5), (size_t)9, (ptrdiff_t)-3);
	printf("[%f] [%.2f] [%10.3e] [%g] [%G] [%a]\n", 3.14159265, 2.5, 12345.678, 1e-5, 1e20,
		0.1);
	printf("[%Lf] [%.20Lg] [%La]\n", 1.0L / 3, 1.0L / 3, 0.5L);
	printf("[%f] [%F] [%e] [%010f] [%-10f|\n", 1.0 / 0.0, -1.0 / 0.0, -0.0, 1.5, 1.5);
	printf("[%s] [%10s] [%-10s] [%.3s] [%c] [%5c] [%%]\n", "text", "right", "left", "cut", 'c',
		'd');
	printf("[%*d] [%-*d] [%.*f]\n", 6, 1, 6, 2, 2, 3.14159);
	printf("[%2$s %1$s] [%1$s %3$d]\n", "world", "hello", 7);
	printf("[%ls] [%lc] [%S]\n", L"wide", L'w', L"again");
	printf("abc%n", &count);
	printf(" %d\n", count);
	errno = ENOENT;
	printf("%m %" PRId64 " %" PRIxPTR "\n", INT64_MIN, (uintptr_t)0xbeef);
	printf("%d %s\n", snprintf(buf, 8, "%s", "too long for it"), buf);
	printf("%d %s\n", call_v(buf, sizeof buf, "%d-%s-%.1f", 1, "x", 2.5), buf);
	printf("%d ", asprintf(&p, "%s%d", "allocated", 9));
	puts(p);
	free(p);
	printf("%d\n", sprintf(buf, "%60s|", "far"));
	fprintf(stdout, "%s\n", buf);
	fputs("fputs\n", stdout);
	putchar('p');
	putc('q', stdout);
	fputc('\n', stdout);
	fwrite("block\n", 1, 6, stdout);
	fflush(stdout);
	dprintf(1, "dprintf %d\n", 5);
	fprintf(stderr, "to stderr %d\n", 6);
	printf("%p %p\n", (void *)0, (void *)0x1234);
	return 0;
}
