/* A loop whose number of iterations comes from the log, and which logs nothing. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	long rounds = strtol("123457", NULL, 10);
	unsigned long sum = 1;

	for (long i = 0; i < rounds; i++)
		sum = sum * 3 + (sum >> 7);
	printf("%lu\n", sum);
	return 0;
}
