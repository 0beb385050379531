/*
 * check-name: a return address is not exported as the 0 that the machine has
 * check-command: heddle export $exe -o $tmp/x.bc; a=$?; test ! -e $tmp/x.bc && exit $a
 * check-exit: 1
 * check-error-contains: export_refuses_return_address.c:13:10: error: cannot export 'remember': return address
 */
#include <stdio.h>

static void *volatile place;

__attribute__((noinline)) static void remember(void)
{
	place = __builtin_return_address(0);
}

int main(void)
{
	remember();
	return !place;
}
