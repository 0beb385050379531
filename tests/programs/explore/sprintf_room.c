/*
 * check-name: a number has more digits than there is room for
 * check-command: heddle explore -- $exe
 * check-finds: stack-buffer-overflow digits
 */
#include <heddle/heddle.h>
#include <stdio.h>

int main(void)
{
	short n = 0;
	char text[6];

	heddle_input(&n, sizeof n, "n");
#ifdef CORRECT
	if (n < -9999)
		return 1;
#endif
	sprintf(text, "%d", n); /* BUG: digits */
	return text[0] == '-';
}
