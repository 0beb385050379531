/*
 * check-name: streams on files and memory
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void lines(FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, f)) > 0)
		printf("%zd %ld %s", n, ftell(f), line);
	printf("eof %d\n", feof(f) != 0);
	free(line);
}

int main(void)
{
	char path[] = "/tmp/heddle-stdioXXXXXX", buf[200], *text;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w+"), *m;
	size_t size;
	fpos_t at;

	for (int i = 0; i < 3; i++)
		fprintf(f, "line %d\n", i);
	rewind(f);
	lines(f);
	fseek(f, 5, SEEK_SET);
	printf("%c", fgetc(f));
	ungetc('#', f);
	fgetpos(f, &at);
	printf("%c %ld\n", getc(f), ftell(f));
	fsetpos(f, &at);
	fseek(f, -3, SEEK_END);
	printf("%zu %s", fread(buf, 1, sizeof buf, f), "");
	printf("%.3s", buf);
	fseek(f, 0, SEEK_END);
	for (int i = 0; i < 3000; i++)
		fputs("abc", f);
	printf("%ld %d %d\n", ftell(f), fflush(f), ferror(f));
	fclose(f);
	f = fopen(path, "a+");
	fputs("appended\n", f);
	fseek(f, -9, SEEK_CUR);
	lines(f);
	f = freopen(path, "r", f);
	printf("%s", fgets(buf, 6, f));
	printf("|%d\n", fputc('x', f));
	printf("%d %d\n", ferror(f) != 0, errno == EBADF);
	fclose(f);
	printf("%d %d", remove(path), access(path, F_OK));
	printf(" %d\n", fopen(path, "r") == NULL && errno == ENOENT);

	m = fmemopen(buf, 20, "w");
	fprintf(m, "%d %s", 5, "memory");
	fclose(m);
	puts(buf);
	m = open_memstream(&text, &size);
	for (int i = 0; i < 40; i++)
		fprintf(m, "%d,", i);
	fclose(m);
	printf("%zu %s\n", size, text);
	free(text);
	f = tmpfile();
	setvbuf(f, NULL, _IONBF, 0);
	fwrite("unbuffered", 1, 10, f);
	rewind(f);
	printf("%zu %.10s\n", fread(buf, 5, 2, f), buf);
	fclose(f);
	errno = EPERM;
	perror("perror");
	return 0;
}
