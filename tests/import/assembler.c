/* Inline assembler that the importer understands. */
#include "check.h"

#include <stdint.h>

static int xadd(int *p, int v)
{
	asm volatile("lock; xaddl %0,%1" : "+r"(v), "+m"(*p) : : "memory", "cc");
	return v;
}

static int cas(int *p, int old, int new)
{
	int r;

	asm volatile("lock; cmpxchgl %2,%1" : "=a"(r), "+m"(*p) : "r"(new), "0"(old) : "memory");
	return r;
}

static int cas_set(int *p, int old, int new)
{
	char z;

	asm volatile("lock cmpxchg %3,%1\n\tsete %0" : "=q"(z), "+m"(*p), "+a"(old) : "r"(new) : "memory");
	return z;
}

static int cas_flag(long *p, long old, long new)
{
	int z;

	asm volatile("lock cmpxchgq %[n],%[p]" : "=@ccz"(z), [p] "+m"(*p), "+a"(old) : [n] "r"(new) : "memory");
	return z;
}

static int dec_and_test(int *p)
{
	unsigned char c;

	asm volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(c) : : "memory");
	return c != 0;
}

static int indirect(int *p, int v)
{
	asm volatile("lock xaddl %0, 4(%1)" : "+r"(v) : "r"(p) : "memory");
	return v;
}

static void locked(void)
{
	int x = 5, pair[2] = {1, 2};
	long l = 7;
	char c = 3, one = 1;

	CHECK(xadd(&x, 3) == 5 && x == 8);
	CHECK(cas(&x, 8, 9) == 8 && x == 9 && cas(&x, 8, 1) == 9 && x == 9);
	CHECK(cas_set(&x, 9, 2) == 1 && x == 2 && cas_set(&x, 9, 3) == 0 && x == 2);
	CHECK(cas_flag(&l, 7, 8) == 1 && l == 8 && cas_flag(&l, 7, 9) == 0);
	CHECK(!dec_and_test(&x) && dec_and_test(&x));
	asm volatile("lock incl %0" : "+m"(x));
	asm volatile("lock; addl %1,%0" : "+m"(x) : "ir"(41));
	asm volatile("lock; orq %1,%0" : "+m"(l) : "r"(1l));
	asm volatile("lock; andb %b1,%0" : "+m"(c) : "q"(one));
	asm volatile("lock; subl $2,%0" : "+m"(x));
	CHECK(x == 40 && l == 9 && c == 1);
	asm volatile("xchgq %0,%1" : "=r"(l) : "m"(l), "0"(5l) : "memory");
	CHECK(l == 9);
	CHECK(indirect(pair, 5) == 2 && pair[1] == 7);
}

static void plain(void)
{
	uint64_t lo = 1ull << 63, hi = 0, p, q;
	unsigned x = HIDE(0x12345678u);
	uint16_t h = HIDE((uint16_t)0x1234);
	long bit;
	int same = HIDE(11);
	int *ptr = &same;

	asm("" : "+r"(same));
	asm("" : "+r"(ptr));
	CHECK(same == 11 && *ptr == 11);
	asm("bswap %0" : "+r"(x));
	asm("rorw $8,%w0" : "+r"(h) : : "cc");
	CHECK(x == 0x78563412 && h == 0x3412);
	asm("mulq %3" : "=a"(p), "=d"(q) : "%0"(~0ull), "rm"(~0ull));
	CHECK(p == 1 && q == ~1ull);
	asm("addq %3,%1\n\tadcq %2,%0" : "+r"(hi), "+r"(lo) : "r"(5ull), "r"(1ull << 63));
	CHECK(lo == 0 && hi == 6);
	asm("bsfq %1,%0" : "=r"(bit) : "rm"(HIDE(0x100ul)));
	CHECK(bit == 8);
	asm("bsrq %1,%0" : "=r"(bit) : "rm"(HIDE(0x1ffful)));
	CHECK(bit == 12);
	asm("incl %0" : "+r"(x));
	CHECK(x == 0x78563413);
}

static uint64_t cycles(void)
{
	uint64_t a;

	asm volatile("rdtsc; shlq $32,%%rdx; orq %%rdx,%%rax" : "=a"(a) : : "rdx");
	return a;
}

int main(void)
{
	uint64_t t = cycles();

	locked();
	plain();
	asm volatile("mfence" ::: "memory");
	asm volatile("lfence" ::: "memory");
	asm volatile("sfence" ::: "memory");
	asm volatile("" ::: "memory");
	asm volatile("pause");
	asm volatile("rep; nop" ::: "memory");
	asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
	asm volatile(".p2align 4");
	asm volatile("nop # a comment; cpuid\n");
	CHECK(cycles() >= t);
	return 0;
}
