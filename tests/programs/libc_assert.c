/*
 * check-name: a failed assertion prints glibc's message and is a finding
 * check-command: heddle exec -- $exe
 * check-exit: 66
 * check-error-contains: libc_assert.c:17: int main(void): Assertion `one == 2' failed.
 * check-output-contains: flushed
 */
#include <assert.h>
#include <stdio.h>

int main(void)
{
	int one = 1;

	puts("flushed");
	fflush(stdout);
	assert(one == 2);
	return 0;
}
