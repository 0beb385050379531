/*
 * check-name: the re-execution says that a private block was read after its free
 * check-command: for k in read library realloc copy reuse; do heddle record -o $tmp/$k -- $exe $k && heddle trace $tmp/$k | grep -o "diverged: .* is read\|main .* exactly" | sed "s|tests[^ ]* in ||; s|main .*exactly|exact|; s|^|$k: |"; done
 * check-exit: 0
 * check-output:
read: diverged: 'main': a freed block is read
library: diverged: 'main': a freed block is read
realloc: diverged: 'main': a freed block is read
copy: diverged: 'main': a freed block is read
reuse: exact
 * check-output-end
 */
#include <stdlib.h>
#include <string.h>

static volatile int copy;
static struct pair {
	long a, b;
} pair;

/* The memory of a freed block may be read again when it belongs to a new one. */
static void reuse(void)
{
	volatile int *block = malloc(64);

	block[3] = 1;
	free((void *)block);
	block = malloc(64);
	block[2] = 2;
	copy = block[2];
	block = realloc((void *)block, 4096);
	copy = block[2];
	free((void *)block);
	block = calloc(8, 8);
	copy = block[3];
	free((void *)block);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "reuse";
	volatile int *block;
	volatile char *text;

	if (!strcmp(what, "read")) {
		block = malloc(64);
		block[3] = 1;
		free((void *)block);
		copy = block[3];
	} else if (!strcmp(what, "library")) {
		text = strdup("block");
		free((void *)text);
		copy = text[3];
	} else if (!strcmp(what, "realloc")) {
		block = malloc(64);
		block[3] = 1;
		text = realloc((void *)block, 1 << 20);
		if (text != (volatile char *)block)
			copy = block[3];
		free((void *)text);
	} else if (!strcmp(what, "copy")) {
		struct pair *p = malloc(sizeof *p);

		p->b = 1;
		free(p);
		pair = *p;
	} else {
		reuse();
	}
	return 0;
}
