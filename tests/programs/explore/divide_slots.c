/*
 * check-name: a table whose size is a power of two, indexed by the remainder of a hash
 * check-command: heddle explore -- $exe
 * check-finds: assert same
 * check-timeout: 60
 */
#include <assert.h>
#include <heddle/heddle.h>

static unsigned slots[64];
static unsigned size, key[3];

static unsigned hash(unsigned k)
{
	k ^= k >> 16;
	return k * 2654435761u;
}

int main(void)
{
	heddle_input(&size, sizeof size, "size");
	heddle_input(key, sizeof key, "key");
	if (size == 0 || size > 64 || (size & (size - 1)))
		return 1;
	for (unsigned i = 0; i < 3; i++)
		slots[hash(key[i]) % size] += 1;
#ifdef CORRECT
	assert(hash(key[0]) % size == (hash(key[0]) & (size - 1)));
#else
	assert(hash(key[0]) % size != 5 || hash(key[1]) / size != 9); /* BUG: same */
#endif
	return 0;
}
