/*
 * check-name: two keys in one bucket
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert lookup
 */
#include <assert.h>
#include <unistd.h>

enum { SIZE = 4 };
static struct entry {
	unsigned char key, value, used;
} table[SIZE];

static struct entry *find(unsigned char key)
{
	unsigned h = key % SIZE;

#ifdef CORRECT
	for (int i = 0; i < SIZE && table[h].used && table[h].key != key; i++)
		h = (h + 1) % SIZE;
#endif
	return &table[h];
}

static void put(unsigned char key, unsigned char value)
{
	struct entry *e = find(key);

	*e = (struct entry){key, value, 1};
}

int main(void)
{
	unsigned char k[2];

	if (read(0, k, 2) != 2 || k[0] == k[1])
		return 1;
	put(k[0], 10);
	put(k[1], 20);
	assert(find(k[0])->value == 10); /* BUG: lookup */
	return 0;
}
