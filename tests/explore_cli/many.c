/* More ways than anybody follows to the end; 'x' first fails at once. */
#include <assert.h>
#include <unistd.h>

int main(void)
{
	unsigned n = 0;
	char c;

	while (read(0, &c, 1) == 1) {
		assert(n || c != 'x');
		if (c & 1)
			n = n * 3 + 1;
		else if (c == 'e')
			return 1;
		else
			n += 2;
	}
	return (int)(n & 1);
}
