/*
 * check-name: fields of bits
 * check-command: heddle explore -- $exe
 * check-finds: assert bits
 */
#include <assert.h>
#include <heddle/heddle.h>

struct flags {
	unsigned kind : 3;
	signed level : 4;
	unsigned on : 1;
	unsigned rest : 8;
};

int main(void)
{
	struct flags f = {0};
	int level;

	heddle_input(&f, sizeof f, "flags");
	f.level = f.level + 1;
	level = f.level;
#ifdef CORRECT
	if (level == -8)
		return 0;
#endif
	if (f.on && f.kind == 5)
		assert(level > -8); /* BUG: bits */
	return 0;
}
