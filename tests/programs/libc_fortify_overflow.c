/*
 * check-name: a fortified call that overflows is found where it happens
 * check-flags: -O2 -g -D_FORTIFY_SOURCE=2
 * check-command: heddle exec -- $exe
 * check-exit: 66
 * check-error-contains: stack buffer overflow
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char buf[8];

	(void)argv;
	memset(buf, 'x', (size_t)argc * 9);
	return buf[0];
}
