/*
 * check-name: fortified calls that are right
 * check-flags: -O2 -g -D_FORTIFY_SOURCE=2
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int main(int argc, char **argv)
{
	char buf[32], other[64], path[] = "/dev/null";
	wchar_t wide[10];
	FILE *f;
	int n = argc + 4;

	(void)argv;
	memset(buf, 'x', (size_t)n);
	memcpy(buf + 3, "hello", (size_t)n + 1);
	memmove(buf, buf + 3, (size_t)n);
	buf[n] = '\0';
	printf("%s\n", buf);
	strcpy(other, buf);
	strcat(other, buf);
	strncat(other, "more", (size_t)n - 3);
	stpcpy(buf, "stp");
	strncpy(buf + 5, "strncpy", (size_t)n + 5);
	printf("%s %s %s\n", other, buf, buf + 5);
	sprintf(buf, "%d-%s", n, "text");
	snprintf(other, sizeof other, "%s|%5.2f", buf, 1.5);
	fprintf(stdout, "%s %s\n", buf, other);
	wmemcpy(wide, L"abc", 4);
	printf("%ls\n", wide);
	f = fopen(path, "r");
	printf("%d %zu\n", fgets(buf, n, f) == NULL, fread(buf, 1, (size_t)n, f));
	fclose(f);
	printf("%zd\n", read(open(path, O_RDONLY), buf, (size_t)n));
	return 0;
}
