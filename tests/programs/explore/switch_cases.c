/*
 * check-name: a case that was forgotten
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: division cases
 */
#include <unistd.h>

int main(void)
{
	unsigned char c;
	int weight;
	volatile int rest;

	if (read(0, &c, 1) != 1)
		return 1;
	switch (c & 7) {
	case 0: weight = 4; break;
	case 1: weight = 7; break;
	case 2: weight = 1; break;
	case 3: weight = 9; break;
	case 4: weight = 2; break;
#ifdef CORRECT
	case 5: weight = 1; break;
#endif
	case 6: weight = 3; break;
	case 7: weight = 5; break;
	default: weight = 0; break;
	}
	rest = 100 % weight; /* BUG: cases */
	return rest == 50;
}
