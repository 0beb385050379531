/*
 * check-name: a file says how long its records are
 * check-command: heddle explore --sym file:records.bin:6 -- $exe
 * check-finds: stack-buffer-overflow record
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
	unsigned char head[2], body[4] = {0};
	FILE *f = fopen("records.bin", "rb");
	long size;

	if (!f)
		return 1;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	if (size != 6 || fread(head, 1, 2, f) != 2 || memcmp(head, "R", 1))
		return 2;
#ifdef CORRECT
	if (head[1] > sizeof body)
		return 3;
#else
	if (head[1] > sizeof body + 1)
		return 3;
#endif
	for (int i = 0; i < head[1]; i++)
		body[i] = (unsigned char)fgetc(f); /* BUG: record */
	fclose(f);
	return body[0] == 'x';
}
