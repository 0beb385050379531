/*
 * check-name: instructions of several extensions on values of one thread, then a locked sum
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum;

__attribute__((target("sse4.2,aes,pclmul"))) static uint64_t narrow(uint64_t x)
{
	__m128i v = _mm_set_epi64x((long long)x, (long long)~x), w;
	unsigned cpu;

	w = _mm_aesenc_si128(v, _mm_set1_epi8(3));
	w = _mm_clmulepi64_si128(w, v, 0x10);
	w = _mm_maddubs_epi16(w, _mm_hadd_epi32(v, w));
	w = _mm_sign_epi8(w, _mm_mulhrs_epi16(v, w));
	w = _mm_mpsadbw_epu8(w, v, 2);
	if (_mm_testz_si128(w, v))
		x++;
	x ^= _mm_crc32_u64(x, (uint64_t)_mm_extract_epi64(w, 1));
	x += (uint64_t)_mm_cmpistri(v, w, _SIDD_CMP_EQUAL_EACH);
	return x + (__rdtscp(&cpu) == 0);
}

__attribute__((target("avx2"))) static uint64_t wide(uint64_t x)
{
	__m256i v = _mm256_set1_epi64x((long long)x);

	v = _mm256_shuffle_epi8(v, _mm256_set1_epi8(5));
	v = _mm256_permutevar8x32_epi32(v, _mm256_srlv_epi32(v, _mm256_set1_epi32(3)));
	v = _mm256_packus_epi32(v, _mm256_sad_epu8(v, _mm256_setzero_si256()));
	return (uint64_t)_mm256_movemask_epi8(v) + (uint64_t)_mm256_extract_epi64(v, 2);
}

static void *worker(void *arg)
{
	uint64_t x = wide(narrow((uintptr_t)arg));

	pthread_mutex_lock(&lock);
	sum += x;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
