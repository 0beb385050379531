/*
 * check-name: a stop at a call names the call's own place, not the next instruction's
 * check-command: heddle exec -- $exe
 * check-native: no
 * check-exit: 3
 * check-error-contains: 01-call-position.c:17:
 * check-error-contains: unmodelled function 'gethostid'
 */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long id;

	(void)argv;
	id = gethostid();
	argc++;
	printf("%ld %d\n", id, argc);
	return 0;
}
