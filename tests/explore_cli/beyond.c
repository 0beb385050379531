/* Reads one byte beyond an array when its input says so: the real program shows no sign of it. */
#include <unistd.h>

int main(void)
{
	char digits[8] = "1234567";
	unsigned char i;

	if (read(0, &i, 1) != 1 || i > 8)
		return 1;
	return digits[i] == 'x';
}
