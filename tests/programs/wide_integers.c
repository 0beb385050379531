/*
 * check-name: integers over 128 bits: packed bit fields and _BitInt
 */
#include <stdio.h>
#include <string.h>

#pragma pack(push, 1)
struct fields {
	unsigned a : 3;
	signed b : 31;
	unsigned long c : 61;
	long d : 55;
	unsigned e : 7;
	signed f : 20;
	unsigned g : 9;
};
#pragma pack(pop)

typedef unsigned _BitInt(200) wide;
typedef _BitInt(200) swide;

static void show(const void *p, int n)
{
	const unsigned char *c = p;

	for (int i = 0; i < n; i++)
		printf("%02x", c[i]);
	putchar('\n');
}

static void bit_fields(void)
{
	struct fields s, t[3];

	memset(&s, 0, sizeof s);
	s.a = 5;
	s.b = -77;
	s.c = 0x123456789abcdefUL;
	s.d = -99999999;
	s.e = 100;
	s.f = -5;
	s.g = 300;
	show(&s, sizeof s);
	printf("%u %d %lu %ld %u %d %u\n", s.a, s.b, (unsigned long)s.c, (long)s.d, s.e, s.f, s.g);
	t[0] = t[1] = t[2] = s;
	t[1].d += 5;
	t[2].f = t[1].f * 3;
	t[1].c ^= t[2].g;
	for (int i = 0; i < 3; i++)
		show(&t[i], sizeof s);
}

static void bit_ints(void)
{
	volatile unsigned long v = 12345678901234567UL;
	wide x = v, y = (wide)v << 130;
	swide z = -(swide)v;
	unsigned __int128 q;

	x = x + y - 3;
	show(&x, 25);
	printf("%d %d %d %d\n", x < y, x > y, z < 0, (swide)x < z);
	z >>= 3;
	x <<= 65;
	show(&x, 25);
	show(&z, 25);
	x = (x | y) & ~(wide)255;
	printf("%lu %d\n", (unsigned long)(x >> 70), x == y);
	q = (unsigned __int128)x;
	printf("%lx %lx\n", (unsigned long)(q >> 64), (unsigned long)q);
}

int main(void)
{
	bit_fields();
	bit_ints();
	return 0;
}
