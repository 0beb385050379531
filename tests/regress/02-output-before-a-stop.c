/*
 * check-name: what the program printed before heddle stopped it is not lost
 * check-command: heddle exec -- $exe | cat
 * check-native: no
 * check-output-contains: said before
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("said before\n");
	return (int)gethostid();
}
