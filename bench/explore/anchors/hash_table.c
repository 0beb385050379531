/* A hash table with symbolic keys: open addressing, insertions, a deletion, lookups.
 * explore: --sym stdin:4 -- */
#include <assert.h>
#include <unistd.h>

enum { SIZE = 8, KEYS = 4, EMPTY = 0, USED = 1, GONE = 2 };
static struct {
	unsigned char state, key, value;
} table[SIZE];

static int find(unsigned char key)
{
	unsigned h = key * 5u % SIZE;

	for (int i = 0; i < SIZE && table[h].state != EMPTY; i++, h = (h + 1) % SIZE)
		if (table[h].state == USED && table[h].key == key)
			return (int)h;
	return -1;
}

static void put(unsigned char key, unsigned char value)
{
	int at = find(key);
	unsigned h = key * 5u % SIZE;

	if (at < 0) {
		while (table[h].state == USED)
			h = (h + 1) % SIZE;
		at = (int)h;
	}
	table[at].state = USED;
	table[at].key = key;
	table[at].value = value;
}

int main(void)
{
	unsigned char k[KEYS];
	int at;

	if (read(0, k, KEYS) != KEYS)
		return 1;
	for (int i = 0; i < KEYS - 1; i++)
		put(k[i], (unsigned char)i);
	at = find(k[0]);
	assert(at >= 0 && table[at].key == k[0]);
	table[at].state = GONE;
	assert(find(k[0]) < 0);
	return find(k[KEYS - 1]) >= 0 ? 3 : 0;
}
