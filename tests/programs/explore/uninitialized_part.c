/*
 * check-name: parts of locals that one branch alone sets are not taken for that value
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-flags: -Wno-uninitialized
 * check-finds: use-of-uninitialized-value part
 * check-finds: use-of-uninitialized-value element
 */
#include <unistd.h>

struct pair {
	int first;
	struct {
		char text[3];
		short number;
	} second;
};

int main(void)
{
	struct pair v;
	int a[4];
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
#ifdef CORRECT
	v.second.number = 0;
	a[2] = 0;
#endif
	v.first = 1;
	if (c > 100)
		v.second.number = 7;
	if (c > 7)
		a[2] = 1;
	if (c > 50 && v.second.number == 7) /* BUG: part */
		write(1, "part", 4);
	if (c <= 50 && a[2]) /* BUG: element */
		write(1, "element", 7);
	return 0;
}
