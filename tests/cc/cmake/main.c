#include "count.h"
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %.0f\n", count_to(argc + 2), floor(argc + 0.5));
	return 0;
}
