/*
 * check-name: strings and memory
 * check-output-contains: strtok [a][b][c]
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void compare(const char *a, const char *b)
{
	printf("%d %d %d %d %d\n", strcmp(a, b) < 0, strncmp(a, b, 3) == 0, strcasecmp(a, b) < 0,
		memcmp(a, b, 2) == 0, strverscmp(a, b) < 0);
}

static size_t (*length)(const char *) = strlen;
static void *(*copy)(void *, const void *, size_t) = memcpy;
static void *(*fill)(void *, int, size_t) = memset;

int main(void)
{
	char buf[64], *save, *rest, *p;
	const char *text = "the quick brown fox";

	printf("%zu %zu\n", length(text), strnlen(text, 7));
	copy(buf, text, 20);
	fill(buf + 4, 'x', 5);
	printf("%s\n", buf);
	memmove(buf + 2, buf, 10);
	printf("%s\n", buf);
	compare("abc", "abd");
	compare("file9", "file10");
	compare("ABC", "abc");
	printf("%s|%s|%s\n", strchr(text, 'q'), strrchr(text, 'o'), strstr(text, "brown"));
	printf("%td %td\n", strchrnul(text, '!') - text, (char *)memchr(text, 'k', 19) - text);
	printf("%zu %zu %s\n", strspn(text, "eht"), strcspn(text, "q"), strpbrk(text, "xyz"));
	strcpy(buf, "a,b;,c");
	printf("strtok ");
	for (p = strtok_r(buf, ",;", &save); p; p = strtok_r(NULL, ",;", &save))
		printf("[%s]", p);
	printf("\n");
	strcpy(buf, "x::y");
	for (rest = buf; (p = strsep(&rest, ":"));)
		printf("<%s>", p);
	printf("\n");
	p = strdup("copy");
	p = realloc(p, 20);
	strcat(p, " and more");
	strncat(p, "xyz", 2);
	printf("%s %s\n", p, stpcpy(buf, "end") == buf + 3 ? buf : "?");
	free(p);
	p = strndup(text, 9);
	for (char *q = p; *q; q++)
		*q = (char)toupper((unsigned char)*q);
	printf("%s %d %d\n", p, isalpha('x'), isdigit('x'));
	free(p);
	memset(buf, 0, sizeof buf);
	strncpy(buf, "padded", 10);
	printf("%d %s %s\n", memcmp(buf, "padded\0\0\0", 10), strerror(2), strsignal(11));
	printf("%p %s\n", memmem("abcdef", 6, "xy", 2), (char *)memmem("abcdef", 7, "cd", 2));
	return 0;
}
