/*
 * check-name: a function pointer that depends on the input and is kept in memory
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert call
 */
#include <assert.h>
#include <unistd.h>

struct object {
	int (*get)(const struct object *);
	int value;
};

static int plain(const struct object *o) { return o->value; }
static int twice(const struct object *o) { return 2 * o->value; }

int main(void)
{
	unsigned char c[2];
	struct object o[2];

	if (read(0, c, 2) != 2)
		return 1;
	o[0].get = c[0] & 1 ? twice : plain;
	o[1].get = plain;
	o[0].value = c[1];
	o[1].value = c[1];
#ifdef CORRECT
	assert(o[0].get(&o[0]) >= o[1].get(&o[1]));
#else
	assert(o[0].get(&o[0]) == o[1].get(&o[1])); /* BUG: call */
#endif
	return 0;
}
