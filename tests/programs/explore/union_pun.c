/*
 * check-name: one memory, two types
 * check-command: heddle explore -- $exe
 * check-finds: assert pun
 */
#include <assert.h>
#include <heddle/heddle.h>

union both {
	unsigned word;
	unsigned char byte[4];
	unsigned short half[2];
};

int main(void)
{
	union both u = {0};

	heddle_input(&u.word, sizeof u.word, "word");
	u.byte[1] = 0x5a;
	if (u.half[1] != 0x1234)
		return 0;
#ifdef CORRECT
	assert((u.word & 0xffffff00) == 0x12345a00);
#else
	assert((u.word & 0xff) != 0x77); /* BUG: pun */
#endif
	return 0;
}
