/*
 * check-name: assumptions about bytes, strings and lengths of inputs hold from the start
 * check-command: heddle explore --sym 'argv[1]:3' --sym stdin:1-4 --assume 'argv[1] == "ab" || argv1[0] == 52' --assume 'stdin.size > 2 && stdin[0] % 10 == 3' -- $exe
 * check-finds: assert text
 */
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char in[4];
	ssize_t n = read(0, in, sizeof in);

	assert(argc == 2);
	assert(n > 2);
	assert((unsigned char)in[0] % 10 == 3);
	assert(!strcmp(argv[1], "ab") || argv[1][0] == '4');
#ifndef CORRECT
	assert(strcmp(argv[1], "ab")); /* BUG: text */
#endif
	return 0;
}
