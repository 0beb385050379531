/* A checksum of blocks as xz makes it: folded with multiplications without carry, and reduced. */
#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 2, BLOCK = 48 };
static uint8_t data[BLOCKS][BLOCK];

__attribute__((target("ssse3,sse4.1,pclmul"))) static uint64_t checksum(const uint8_t *p, size_t n)
{
	const __m128i fold = _mm_set_epi64x((long long)0xe05dd497ca393ae4, (long long)0xdabe95afc7875f40);
	const __m128i swap = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m128i v = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), swap);

	for (size_t i = 16; i + 16 <= n; i += 16) {
		__m128i low = _mm_clmulepi64_si128(v, fold, 0x00);
		__m128i high = _mm_clmulepi64_si128(v, fold, 0x11);

		v = _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128((const __m128i *)(p + i)));
	}
	return (uint64_t)_mm_extract_epi64(v, 0) ^ (uint64_t)_mm_extract_epi64(v, 1);
}
