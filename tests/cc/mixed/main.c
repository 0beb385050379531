#include <stdio.h>

int plus(int, int);  /* plus.S */
int minus(int, int); /* minus.s */
int times(int, int); /* times.cc */
int over(int, int);  /* over.c, by another compiler */

int main(void)
{
	printf("%d %d %d %d\n", plus(6, 3), minus(6, 3), times(6, 3), over(6, 3));
	return 0;
}
