/*
 * check-name: messages with the program's name
 * check-exit: 5
 * check-output-contains: before
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>

int main(void)
{
	printf("before\n");
	warnx("plain %d", 1);
	errno = ENOENT;
	warn("with %s", "errno");
	error(0, EPERM, "gnu %d", 2);
	printf("%u\n", error_message_count);
	errno = EIO;
	err(5, "the end");
}
