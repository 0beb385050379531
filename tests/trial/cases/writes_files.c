/*
 * check-name: files that a program changes are its own copies
 * files: kept.txt=one
 * test: {"argv": ["x", "kept.txt", "new.txt"], "outcome": {"fate": "exited", "status": 0, "output": "one two\nnew\ngone\n"}}
 * says: same: exited with 0
 * files-after: kept.txt=one
 * options: --write-files
 * files-after: moved.txt=one two
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void show(const char *path)
{
	char text[32] = "";
	FILE *f = fopen(path, "r");

	if (!f) {
		puts("gone");
		return;
	}
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	puts(text);
	fclose(f);
}

int main(int argc, char **argv)
{
	FILE *f;

	if (argc < 3)
		return 1;
	f = fopen(argv[1], "a");
	if (!f)
		return 2;
	fputs(" two", f);
	fclose(f);
	show(argv[1]);
	f = fopen(argv[2], "w");
	if (!f)
		return 3;
	fputs("new", f);
	fclose(f);
	show(argv[2]);
	if (rename(argv[1], "moved.txt") || unlink(argv[2]))
		return 4;
	show(argv[1]);
	return 0;
}
