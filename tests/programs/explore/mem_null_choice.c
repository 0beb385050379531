/*
 * check-name: a search that finds nothing on one input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: null found
 */
#include <stddef.h>
#include <unistd.h>

struct entry {
	char key;
	int value;
};

static struct entry table[3] = {{'a', 1}, {'b', 2}, {'z', 3}};

int main(void)
{
	struct entry *e = NULL;
	char c;

	if (read(0, &c, 1) != 1)
		return 1;
	for (int i = 0; i < 3; i++)
		e = table[i].key == c ? &table[i] : e;
#ifdef CORRECT
	if (!e)
		return 2;
#endif
	return e->value == 0; /* BUG: found */
}
