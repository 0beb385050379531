/* Vector types and SSE2: every lane as the machine would compute it. */
#include "check.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4u __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef short v8hi __attribute__((vector_size(16)));
typedef unsigned char v16qu __attribute__((vector_size(16)));
typedef long v4di __attribute__((vector_size(32)));
typedef int v2si __attribute__((vector_size(8)));
typedef _Bool v8b __attribute__((ext_vector_type(8)));
typedef float v3f __attribute__((ext_vector_type(3)));

static v4si id(v4si x)
{
	volatile v4si y = x;

	return y;
}

static void generic(void)
{
	v4si a = id((v4si){1, -2, 3, -4}), b = id((v4si){5, 6, 7, 8}), c = a * b + 1;
	int i = HIDE(2);

	CHECK(c[0] == 6 && c[1] == -11 && c[2] == 22 && c[3] == -31);
	c = a < b;
	CHECK(c[0] == -1 && c[3] == -1 && (a == a)[2] == -1 && (a > b)[1] == 0);
	CHECK((a >> 1)[3] == -2 && ((v4u)a >> 28)[1] == 15 && (a << b)[0] == 32);
	c = a;
	c[i] = 77;
	CHECK(c[2] == 77 && c[1] == -2 && c[HIDE(3)] == -4);
	c = __builtin_shufflevector(a, b, 0, 4, 1, 5);
	CHECK(c[0] == 1 && c[1] == 5 && c[2] == -2 && c[3] == 6);
	v4sf f = __builtin_convertvector(a, v4sf) / 2;
	CHECK(f[0] == 0.5f && f[3] == -2);
	CHECK(__builtin_reduce_add(b) == 26 && __builtin_reduce_max(a) == 3);
	CHECK(__builtin_reduce_xor(b) == (5 ^ 6 ^ 7 ^ 8) && __builtin_reduce_min((v4u)a) == 1);
	typedef int x4 __attribute__((ext_vector_type(4)));
	x4 xa = (x4)a, xb = (x4)b, pick = xa < 0 ? xa : xb;
	CHECK(pick[0] == 5 && pick[1] == -2);
	v4di w = {1, 2, 3, HIDE(4l)};
	w += w;
	CHECK(w[3] == 8 && sizeof w == 32);
	v3f v = {1, 2, HIDE(3.0f)};
	v = v * v;
	CHECK(v.z == 9 && v.xy.y == 4);
}

static void casts(void)
{
	v4si a = id((v4si){0x04030201, 0x08070605, -1, 0});
	v16qu q = (v16qu)a;
	v8hi h = (v8hi)a;
	uint64_t l;
	v2si s = {HIDE(7), 9};
	double d;
	v8b m = {1, 0, 1, HIDE(1), 0, 0, 0, 1};
	v8b n = m;

	CHECK(q[0] == 1 && q[7] == 8 && q[8] == 255 && q[15] == 0);
	CHECK(h[1] == 0x0403 && h[4] == -1);
	CHECK(((v2df)a)[0] == 5.4477603722809841e-270 || q[3] == 4);
	l = (uint64_t)s;
	CHECK(l == 0x0000000900000007);
	memcpy(&d, &s, sizeof d);
	memcpy(&l, &d, sizeof l);
	CHECK(l >> 32 == 9);
	CHECK(n[0] && !n[1] && n[3] && n[7]);
	unsigned char byte;
	memcpy(&byte, &n, 1);
	CHECK(byte == 0x8d);
}

static void sse(void)
{
	__m128i a = _mm_setr_epi32(HIDE(1), 2, 3, 4), b = _mm_set1_epi32(10);
	__m128i c = _mm_add_epi32(a, b), z = _mm_setzero_si128();
	int32_t out[4];
	uint8_t bytes[16];

	_mm_storeu_si128((__m128i *)out, c);
	CHECK(out[0] == 11 && out[3] == 14);
	_mm_storeu_si128((__m128i *)out, _mm_shuffle_epi32(a, _MM_SHUFFLE(0, 1, 2, 3)));
	CHECK(out[0] == 4 && out[3] == 1);
	_mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi32(a, b));
	CHECK(out[0] == 1 && out[1] == 10 && out[2] == 2);
	_mm_storeu_si128((__m128i *)bytes, _mm_cmpeq_epi8(a, z));
	CHECK(bytes[0] == 0 && bytes[1] == 255);
	CHECK(_mm_movemask_epi8(_mm_cmpeq_epi8(a, z)) == 0xeeee);
	CHECK(_mm_cvtsi128_si32(_mm_srli_si128(a, 4)) == 2);
	__m128 f = _mm_set_ps(4, 3, 2, HIDE(1.0f));
	CHECK(_mm_cvtss_f32(_mm_mul_ps(f, f)) == 1);
	CHECK(_mm_movemask_ps(_mm_sub_ps(_mm_setzero_ps(), f)) == 15);
	__m128d d = _mm_set_pd(2, HIDE(1.5));
	CHECK(_mm_cvtsd_f64(_mm_add_pd(d, d)) == 3);
	_mm_storeu_si128((__m128i *)out, _mm_and_si128(a, _mm_set1_epi32(1)));
	CHECK(out[0] == 1 && out[1] == 0);
	_mm_storeu_si128((__m128i *)out, _mm_slli_epi32(a, 4));
	CHECK(out[2] == 48);
	_mm_storeu_si128((__m128i *)out, _mm_subs_epu8(a, b));
	CHECK(out[0] == 0);
}

__attribute__((noinline)) static v4si pass(v4si a, v2si b, v3f c)
{
	return a + b[1] + (int)c.z;
}

int main(void)
{
	generic();
	casts();
	sse();
	CHECK(pass((v4si){1, 2, 3, 4}, (v2si){5, 6}, (v3f){7, 8, 9})[3] == 19);
	return 0;
}
