/*
 * check-name: records of twelve bytes written at one index and read at another
 * check-command: heddle explore --sym stdin:3 -- $exe
 * check-finds: assert same
 */
#include <assert.h>
#include <unistd.h>

static struct {
	int key, value;
	char tag;
} r[20];

int main(void)
{
	unsigned char c[3];

	if (read(0, c, 3) != 3 || c[0] >= 20 || c[1] >= 20)
		return 1;
	r[c[0]].value = c[2];
	r[c[0]].tag = 'w';
	r[c[1]].value += 1;
	if (c[0] != c[1])
		assert(r[c[0]].value == c[2] && r[c[1]].value == 1);
#ifdef CORRECT
	else
		assert(r[c[1]].value == c[2] + 1 && r[c[1]].tag == 'w');
#else
	else
		assert(r[c[1]].value == c[2]); /* BUG: same */
#endif
	return 0;
}
