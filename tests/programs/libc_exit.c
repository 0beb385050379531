/*
 * check-name: handlers, destructors and buffers at the end of a program
 * check-exit: 7
 * check-output:
 * constructor
 * main
 * second
 * first 7
 * destructor
 * buffered to the end
 * check-output-end
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static FILE *kept;

static void __attribute__((constructor)) begin(void)
{
	puts("constructor");
}

static void __attribute__((destructor)) end(void)
{
	puts("destructor");
	fputs("buffered to the end\n", stdout);
}

static void first(int status, void *arg)
{
	printf("%s %d\n", (char *)arg, status);
}

static void second(void)
{
	puts("second");
}

int main(void)
{
	on_exit(first, "first");
	atexit(second);
	puts("main");
	kept = stdout;
	exit(7);
}
