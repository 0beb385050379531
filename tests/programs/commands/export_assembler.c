/*
 * check-name: assembler, intrinsics and sections that the IR does not know are exported
 * check-command: heddle export $exe -o $tmp/x.bc && $clang -O1 $tmp/x.bc -o $tmp/x && $tmp/x
 * check-flags: -maes -msse4.2
 * check-output:
 * vendor
 * 14 crc c3e468ed aes 63636363
 * from the module
 * section 11
 * check-output-end
 */
#include <stdio.h>
#include <wmmintrin.h>
#include <nmmintrin.h>

__asm__(".pushsection .rodata\n"
	".globl module_text\n"
	"module_text: .asciz \"from the module\"\n"
	".popsection");
extern const char module_text[];
__attribute__((section("numbers"), used)) static int first = 5;
__attribute__((section("numbers"), used)) static int second = 6;
extern int __start_numbers[], __stop_numbers[];

static int has_vendor(void)
{
	unsigned a = 0, b, c, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	return (b | c | d) != 0;
}

static int add_through_memory(int x)
{
	int y = x;

	__asm__("imull $2, %0, %%ecx\n\tmovl %%ecx, %0" : "+m"(y) : : "ecx", "cc");
	return y;
}

int main(void)
{
	__m128i zero = _mm_setzero_si128();
	int total = 0;

	puts(has_vendor() ? "vendor" : "no vendor");
	printf("%d crc %x aes %x\n", add_through_memory(7), _mm_crc32_u32(1, 99),
		_mm_cvtsi128_si32(_mm_aesenc_si128(zero, zero)));
	puts(module_text);
	for (int *p = __start_numbers; p < __stop_numbers; p++)
		total += *p;
	printf("section %d\n", total);
	return 0;
}
