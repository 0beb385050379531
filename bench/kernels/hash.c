/* Open-addressing hash table with a function pointer for the hash: mixed code. */
#include <stdio.h>
#include <string.h>

enum { CAP = 1 << 16, KEYS = 40000 };
struct slot {
	unsigned long key, value;
	char used;
};
static struct slot slots[CAP];

static unsigned long mix(unsigned long x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdul;
	x ^= x >> 33;
	return x;
}

static struct slot *find(unsigned long key, unsigned long (*hash)(unsigned long))
{
	unsigned long i = hash(key) % CAP;

	while (slots[i].used && slots[i].key != key)
		i = (i + 1) % CAP;
	return &slots[i];
}

int main(void)
{
	unsigned long sum = 0;

	for (int round = 0; round < 18; round++)
		for (unsigned long k = 0; k < KEYS; k++) {
			struct slot *s = find(k * 2654435761ul, mix);

			s->used = 1;
			s->key = k * 2654435761ul;
			s->value += k;
		}
	for (int i = 0; i < CAP; i++)
		sum += slots[i].value;
	printf("%d\n", (int)(sum % 1000003));
	return 0;
}
