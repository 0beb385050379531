/* Four bytes, two ways each, with 64 KB that differ: states that are large. */
#include <heddle/heddle.h>
#include <string.h>

static unsigned char room[65536];

int main(void)
{
	unsigned char c[5];
	int n = 0;

	heddle_input(c, sizeof c, "c");
	for (int i = 0; i < 5; i++) {
		if (c[i] > 100) {
			memset(room, i + 1, sizeof room);
			n++;
		} else {
			memset(room, 0x80 + i, sizeof room);
		}
	}
	return n;
}
