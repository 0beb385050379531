/*
 * check-name: scanf from text and from standard input
 * check-stdin: 12 0x1f word 3.25\nsecond line\n  7,8 ,9\nabc123xyz\nlast
 * check-output-contains: line: last
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	int a, b, c, n = -1;
	char word[40], letters[40], *allocated;
	double d;
	float f;
	long l;
	unsigned char h;

	printf("%d", scanf("%d %x %39s %lf", &a, (unsigned *)&b, word, &d));
	printf(" %d %d %s %g\n", a, b, word, d);
	printf("%d", scanf(" %39[^\n]%n", word, &n));
	printf(" [%s] %d\n", word, n);
	printf("%d", scanf("%d,%d ,%d", &a, &b, &c));
	printf(" %d %d %d\n", a, b, c);
	printf("%d", scanf(" %[a-z]%d%ms", letters, &a, &allocated));
	printf(" %s %d %s\n", letters, a, allocated);
	free(allocated);
	getchar();
	while (fgets(word, sizeof word, stdin))
		printf("line: %s\n", word);
	printf("%d %d\n", feof(stdin) != 0, ferror(stdin));
	printf("%d\n", scanf("%d", &a));
	printf("%d %d\n", sscanf("99 bottles", "%hhu %*s%n", &h, &n), n);
	printf("%d %ld %g\n", sscanf("-5e1 010", "%f %li", &f, &l), l, f);
	printf("%d %d\n", sscanf("x", "%d", &a), sscanf("", "%d", &a));
	printf("%d %s\n", sscanf("key=value", "%9[^=]=%s", letters, word), word);
	return 0;
}
