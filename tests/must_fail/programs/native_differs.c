/*
 * check-name: output that differs from run to run
 * must-fail: natively
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("%d\n", (int)getpid());
	return 0;
}
