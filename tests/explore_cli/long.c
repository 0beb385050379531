/* One way is short, the other runs for a while. */
#include <heddle/heddle.h>

int main(void)
{
	volatile unsigned n = 0;
	char c;

	heddle_input(&c, sizeof c, "c");
	if (c == 'l')
		while (n < 100000)
			n++;
	return 0;
}
