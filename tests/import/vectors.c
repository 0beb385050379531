/* Vector types and SSE2: every lane as the machine would compute it. */
#include "check.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#define NAN_ __builtin_nan("")

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

static void sse_more(void)
{
	__m128i a = _mm_setr_epi16(HIDE((short)1000), -1000, 300, -300, 5, -5, 32767, -32768);
	__m128i b = _mm_set1_epi16(3), n = _mm_cvtsi32_si128(HIDE(2));
	__m128d d = _mm_set_pd(-1.5, HIDE(2.5)), e = _mm_set_pd(7, NAN_);
	__m128 f = _mm_setr_ps(HIDE(1.5f), -2.5f, 3e9f, 0);
	int32_t out[4];
	int16_t w[8];
	int8_t c[16];
	uint64_t q[2];
	double g[2];

	_mm_storeu_si128((__m128i *)c, _mm_packs_epi16(a, a));
	CHECK(c[0] == 127 && c[1] == -128 && c[4] == 5 && c[13] == -5);
	_mm_storeu_si128((__m128i *)c, _mm_packus_epi16(a, b));
	CHECK(c[0] == -1 && c[1] == 0 && c[4] == 5 && c[8] == 3);
	_mm_storeu_si128((__m128i *)out, _mm_madd_epi16(a, b));
	CHECK(out[0] == 0 && out[1] == 0 && out[3] == -3);
	_mm_storeu_si128((__m128i *)w, _mm_mulhi_epi16(a, a));
	CHECK(w[0] == 15 && w[7] == 16384);
	_mm_storeu_si128((__m128i *)w, _mm_sra_epi16(a, n));
	CHECK(w[0] == 250 && w[7] == -8192);
	_mm_storeu_si128((__m128i *)w, _mm_srai_epi16(a, 15));
	CHECK(w[0] == 0 && w[1] == -1);
	_mm_storeu_si128((__m128i *)w, _mm_slli_epi16(a, HIDE(16)));
	CHECK(w[0] == 0 && w[7] == 0);
	_mm_storeu_si128((__m128i *)w, _mm_srl_epi16(a, n));
	CHECK(w[7] == 8192);
	_mm_storeu_si128((__m128i *)q, _mm_sad_epu8(a, b));
	CHECK(q[0] == 0xe8 - 3 + 3 + 0x18 - 3 + 0xfc + 0x2c - 3 + 1 + 0xd4 - 3 + 0xfe);
	_mm_storeu_si128((__m128i *)c, _mm_avg_epu8(a, b));
	CHECK((uint8_t)c[0] == (0xe8 + 3 + 1) / 2);
	_mm_storeu_pd(g, _mm_min_pd(d, e));
	CHECK(g[0] != g[0] && g[1] == -1.5);
	_mm_storeu_pd(g, _mm_max_sd(d, _mm_set_sd(4)));
	CHECK(g[0] == 4 && g[1] == -1.5);
	CHECK(_mm_comilt_sd(d, e) == 0 && _mm_comigt_ss(f, _mm_setzero_ps()) == 1);
	CHECK(_mm_movemask_pd(_mm_cmpnlt_pd(d, e)) == 1 && _mm_movemask_pd(_mm_cmpord_sd(d, e)) == 2);
	CHECK(_mm_cvttsd_si32(d) == 2 && _mm_cvtsd_si32(d) == 2 && _mm_cvttsd_si32(e) == -2147483647 - 1);
	_mm_storeu_si128((__m128i *)out, _mm_cvttps_epi32(f));
	CHECK(out[0] == 1 && out[1] == -2 && out[2] == -2147483647 - 1);
	_mm_storeu_si128((__m128i *)out, _mm_cvtps_epi32(f));
	CHECK(out[0] == 2 && out[1] == -2);
	_mm_pause();
	_mm_mfence();
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
	sse_more();
	CHECK(pass((v4si){1, 2, 3, 4}, (v2si){5, 6}, (v3f){7, 8, 9})[3] == 19);
	return 0;
}
