/*
 * check-name: a text that is not in the output
 * check-output-contains: weft
 * must-fail: 'weft' is not in the output
 */
#include <stdio.h>

int main(void)
{
	puts("warp");
	return 0;
}
