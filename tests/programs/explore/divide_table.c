/*
 * check-name: a table with a signed size that is a power of two, and a hash of 64 bits
 * check-command: heddle explore --solver-seconds 5 -- $exe
 * check-finds: assert slot
 */
#include <assert.h>
#include <heddle/heddle.h>

static unsigned long key;
static int size;
static int slots[4096];

int main(void)
{
	unsigned long h;
	unsigned slot;

	heddle_input(&size, sizeof size, "size");
	heddle_input(&key, sizeof key, "key");
	if (size <= 0 || size > 4096 || (size & (size - 1)))
		return 1;
	h = key * 0x9e3779b97f4a7c15ul;
	slot = h % size;
#ifdef CORRECT
	assert(slot == (h & (size - 1)) && slot < 4096);
#else
	assert(slot != 5 || h / size != 99); /* BUG: slot */
#endif
	return slots[slot];
}
