/*
 * check-name: a finding from the middle says so, with values instead of inputs, and is no test
 * check-command: heddle explore -o $tmp/out --from work:22@T0 -- $exe; heddle test $tmp/out/*-assert.json 2>&1; echo "status $?"
 * check-output-contains: It begins at work:22@T0, in a state that may not be reachable:
 * check-output-contains: main.argc = 77
 * check-output-contains: level = -3
 * check-output-contains: cannot be run: it begins in the middle of the program, at 'work:22@T0'
 * check-output-contains: status 1
 * check-output-excludes: Again:
 * check-output-excludes: Inputs:
 * check-output-excludes: run them with: heddle test
 */
#include <assert.h>
#include <stdlib.h>

static int level;

static int work(int n)
{
	int k = n * 2;

	if (n == 77 && level + 3 == 0)
		assert(k != 154);
	return k;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		level = atoi(argv[1]);
	return work(argc);
}
