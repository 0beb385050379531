/*
 * check-name: output that differs in its last line
 * must-fail: output differs
 * check-output:
 * one
 * two
 * check-output-end
 */
#include <stdio.h>

int main(void)
{
	puts("one");
	puts("three");
	return 0;
}
