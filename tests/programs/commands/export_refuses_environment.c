/*
 * check-name: floating point that depends on the environment is not exported without it
 * check-command: heddle export $exe -o $tmp/x.bc; a=$?; test ! -e $tmp/x.bc && exit $a
 * check-exit: 1
 * check-error-contains: it depends on the floating-point environment
 */
#include <fenv.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

int main(int argc, char **argv)
{
	(void)argv;
	fesetround(FE_UPWARD);
	printf("%a\n", 1.0 / (argc + 2));
	return 0;
}
