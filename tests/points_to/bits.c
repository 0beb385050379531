/* addresses through integers, unions, memcpy in pieces, bytes, atomics */
#include "expect.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

int x, y, z;
union u {
	int *p;
	uint64_t bits;
	unsigned char bytes[8];
	uint32_t half[2];
	double d;
} u, v, w;
struct pair {
	int *a, *b;
} from, to, part;
_Atomic(int *) shared;
_Atomic uintptr_t word;
int *_Atomic swapped;
uint64_t gathered;

int main(void)
{
	uint64_t n;
	int *p;
	int *expected = &z;

	u.p = &x;
	expect((void *)u.bits, "x");
	for (int i = 0; i < 8; i++)
		v.bytes[i] = u.bytes[i];
	expect(v.p, "x");
	w.half[0] = u.half[0];
	w.half[1] = u.half[1];
	expect(w.p, "x");

	from.a = &x;
	from.b = &y;
	memcpy(&to, &from, sizeof to);
	expect(to.a, "x");
	expect(to.b, "y");
	memcpy(&part.b, &from, 8);
	expect(part.a, "-");
	expect(part.b, "x");
	memcpy(&gathered, &from.b, 4);
	memcpy((char *)&gathered + 4, (char *)&from.b + 4, 4);
	expect((void *)gathered, "y");

	n = (uintptr_t)&x ^ (uintptr_t)&y;
	p = (int *)(n ^ (uintptr_t)&y);
	expect(p, "x? y?");
	n = (uintptr_t)&z * 2;
	expect((void *)(n >> 1), "z?");
	expect((char *)0 + (((uintptr_t)&z + 7) & ~(uintptr_t)7), "z?");

	shared = &x;
	expect(shared, "x y");
	expect(atomic_exchange(&shared, &y), "x y");
	expect(shared, "x y");
	word = (uintptr_t)&z;
	atomic_fetch_or(&word, 1);
	expect((void *)(uintptr_t)word, "z z+1");
	atomic_compare_exchange_strong(&swapped, &expected, &x);
	expect(swapped, "x");
	expect(expected, "z x");
	return 0;
}
