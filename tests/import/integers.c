/* Integers of every width: arithmetic, bit operations, overflow, conversions. */
#include "check.h"

#include <limits.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void widths(void)
{
	unsigned _BitInt(7) a = HIDE((unsigned _BitInt(7))127);
	_BitInt(33) b = HIDE((_BitInt(33)) - 1);
	unsigned _BitInt(97) c = HIDE((unsigned _BitInt(97))1);

	a += 1;
	CHECK(a == 0);
	CHECK(b >> 32 == -1);
	c <<= 96;
	CHECK(c >> 96 == 1 && c << 1 == 0);
	struct { unsigned a : 3, b : 5; signed c : 4; long d : 40; } f = {5, 17, -3, -123456789012};
	f.a += HIDE(4);
	f.c *= HIDE(2);
	f.d -= 1;
	CHECK(f.a == 1 && f.b == 17 && f.c == -6 && f.d == -123456789013);
}

static void wide(void)
{
	u128 a = (u128)HIDE(0x0123456789abcdefull) << 64 | HIDE(0xfedcba9876543210ull);
	i128 b = -(i128)HIDE(5);
	const u128 k = (u128)0xdeadbeefcafef00d << 64 | 0x123456789abcdef0;
	static const u128 table[2] = {(u128)1 << 127, ~(u128)0 - 5};

	CHECK((uint64_t)(a >> 32) == 0x89abcdeffedcba98);
	CHECK(a * 3 / 3 == a - 0 || a * 3 < a);
	CHECK(b / 2 == -2 && b % 2 == -1 && b >> 1 == -3);
	CHECK((uint64_t)(k >> 64) == 0xdeadbeefcafef00d && (uint64_t)k == 0x123456789abcdef0);
	CHECK(table[HIDE(0)] >> 127 == 1 && table[HIDE(1)] + 6 == 0);
	CHECK((a ^ k ^ a) == k);
	CHECK(a % 1000000007 == (uint64_t)(a % 1000000007));
}

/* more than any register: limbs */
static void wider(void)
{
	unsigned _BitInt(200) a = HIDE((unsigned _BitInt(200))1), b;
	_BitInt(150) c = HIDE((_BitInt(150))-3), d;
	struct __attribute__((packed)) { unsigned long x : 60, y : 50, z : 61; } f = {1, 2, 3};

	a <<= 190;
	a -= 1;
	CHECK((uint64_t)(a >> 126) == ~0ull && (uint64_t)(a >> 127) == ~0ull >> 1);
	b = a + 2;
	CHECK(b > a && a < b && a != b && (uint64_t)b == 1 && (int)(b >> 190) == 1);
	CHECK((a & ~b) + 1 == 1 || (uint64_t)(a ^ b) == ~1ull);
	d = c << 100;
	CHECK(c < 0 && d < c && (int)(d >> 100) == -3 && (long)c == -3);
	CHECK((int)((_BitInt(300))c >> 250) == -1 && c <= c && c >= d && c == -3);
	f.y += HIDE(5);
	f.z -= HIDE(4);
	CHECK(f.x == 1 && f.y == 7 && f.z == (1ull << 61) - 1);
}

static void bits(void)
{
	uint32_t x = HIDE(0x00f0c000u);
	uint64_t y = HIDE(0x0000000100000000ull);

	CHECK(__builtin_popcount(x) == 6 && __builtin_popcountll(y) == 1);
	CHECK(__builtin_clz(x) == 8 && __builtin_ctz(x) == 14);
	CHECK(__builtin_clzll(y) == 31 && __builtin_ctzll(y) == 32);
	CHECK(__builtin_ffs(HIDE(0)) == 0 && __builtin_ffs(x) == 15);
	CHECK(__builtin_parity(x) == 0 && __builtin_parity(HIDE(7)) == 1);
	CHECK(__builtin_bswap16(HIDE((uint16_t)0x1234)) == 0x3412);
	CHECK(__builtin_bswap32(x) == 0x00c0f000u);
	CHECK(__builtin_bswap64(y) == 0x0000000001000000ull);
	CHECK(__builtin_bitreverse8(HIDE((uint8_t)0x13)) == 0xc8);
	CHECK(__builtin_bitreverse32(HIDE(1u)) == 0x80000000u);
	CHECK(__builtin_rotateleft32(x, HIDE(12)) == (x << 12 | x >> 20));
	CHECK(__builtin_rotateright64(y, HIDE(33)) == 0x8000000000000000ull);
	CHECK(__builtin_abs(HIDE(-7)) == 7 && __builtin_llabs(HIDE(-7ll)) == 7);
	CHECK(__builtin_clrsb(HIDE(-1)) == 31);
}

static void overflow(void)
{
	int r;
	unsigned u;
	long long ll;
	unsigned long long ull;
	i128 w;

	CHECK(__builtin_add_overflow(HIDE(INT_MAX), 1, &r) && r == INT_MIN);
	CHECK(!__builtin_add_overflow(HIDE(5), 1, &r) && r == 6);
	CHECK(__builtin_sub_overflow(HIDE(0u), 1u, &u) && u == UINT_MAX);
	CHECK(__builtin_mul_overflow(HIDE(1 << 20), 1 << 12, &r) && r == 0);
	CHECK(__builtin_mul_overflow(HIDE(LLONG_MIN), -1ll, &ll));
	CHECK(!__builtin_mul_overflow(HIDE(1ull << 32), (1ull << 31), &ull) && ull == 1ull << 63);
	CHECK(__builtin_umulll_overflow(HIDE(1ull << 32), 1ull << 32, &ull) && ull == 0);
	CHECK(__builtin_add_overflow((i128)HIDE(LLONG_MAX) << 64, (i128)1 << 126, &w));
	CHECK(__builtin_add_overflow(HIDE((unsigned char)200), HIDE((signed char)100), &r) == 0 &&
		r == 300);
	CHECK(__builtin_elementwise_add_sat(HIDE(INT_MAX), HIDE(5)) == INT_MAX);
	CHECK(__builtin_elementwise_sub_sat(HIDE(3u), HIDE(5u)) == 0);
	CHECK(__builtin_elementwise_max(HIDE(-3), HIDE(2)) == 2);
	CHECK(__builtin_elementwise_min(HIDE(3u), HIDE(~0u)) == 3);
	CHECK(__builtin_elementwise_abs(HIDE(-4)) == 4);
}

static int classify(long x)
{
	switch (x) {
	case -1: return 1;
	case 0 ... 4: return 2;
	case 100:
	case 200: return 3;
	case 0x100000000: return 4;
	default: return 5;
	}
}

static void conversions(void)
{
	CHECK((int8_t)HIDE(0x180) == -128 && (uint8_t)HIDE(-1) == 255);
	CHECK((int64_t)HIDE(-5) == -5 && (uint64_t)HIDE(-5) == 0xfffffffffffffffbull);
	CHECK((_Bool)HIDE(256) == 1 && (_Bool)HIDE(0.5) == 1);
	CHECK((u128)HIDE(-1) == ~(u128)0);
	CHECK(HIDE(-7) / 2 == -3 && HIDE(-7) % 2 == -1 && HIDE(7u) / 2 == 3);
	CHECK(HIDE(-8) >> 1 == -4 && HIDE(0x80000000u) >> 31 == 1);
	CHECK(HIDE(-1) < 0 && HIDE(-1) < 1u == 0);
	CHECK(classify(HIDE(-1l)) == 1 && classify(HIDE(3l)) == 2 && classify(HIDE(200l)) == 3);
	CHECK(classify(HIDE(1l << 32)) == 4 && classify(HIDE(5l)) == 5);
	CHECK((int)(intptr_t)(void *)(intptr_t)HIDE(77) == 77);
}

int main(void)
{
	widths();
	wide();
	wider();
	bits();
	overflow();
	conversions();
	return 0;
}
