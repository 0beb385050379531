/*
 * check-name: a word on the command line
 * check-command: heddle explore --sym argv[1]:4 -- $exe word
 * check-finds: assert word
 */
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "bug!")) {
#ifndef CORRECT
		assert(argc == 1); /* BUG: word */
#endif
	}
	return 0;
}
