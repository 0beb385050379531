/*
 * check-name: a text that must not be in the output
 * check-output-excludes: warp
 * must-fail: 'warp' is in the output
 */
#include <stdio.h>

int main(void)
{
	puts("warp");
	return 0;
}
