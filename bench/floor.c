/*
 * The floor of interpretation: a loop of four register operations in threaded code of the machine's
 * own format (32-byte instructions, 64-bit slots, computed goto), with nothing else: no memory of
 * the program, no calls, no counting. What a machine of this kind cannot beat.
 * Prints nanoseconds of CPU time for one dispatched operation.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct op {
	uint16_t code, aux;
	uint32_t dst, a, b, c, ir;
	int64_t imm;
};

static uint64_t run(const struct op *ip, uint64_t *r)
{
	static const void *const labels[] = {&&add, &&xor, &&addi, &&branch, &&halt};

#define NEXT goto *labels[(++ip)->code]
	goto *labels[ip->code];
add:
	r[ip->dst] = (uint32_t)(r[ip->a] + r[ip->b]);
	NEXT;
xor:
	r[ip->dst] = (uint32_t)(r[ip->a] ^ r[ip->b]);
	NEXT;
addi:
	r[ip->dst] = r[ip->a] + (uint64_t)ip->imm;
	NEXT;
branch:
	ip += r[ip->a] < r[ip->b] ? (int32_t)ip->c : 1;
	goto *labels[ip->code];
halt:
	return r[0];
}

int main(void)
{
	enum { ROUNDS = 50000000 };
	const struct op loop[] = {
		{.code = 0, .dst = 0, .a = 0, .b = 1},
		{.code = 1, .dst = 2, .a = 0, .b = 2},
		{.code = 2, .dst = 1, .a = 1, .imm = 1},
		{.code = 3, .a = 1, .b = 3, .c = (uint32_t)-3},
		{.code = 4},
	};
	uint64_t r[4] = {0, 0, 0, ROUNDS};
	clock_t start = clock();
	uint64_t sum = run(loop, r);
	double ns = (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (4.0 * ROUNDS);

	printf("%.3f %llu\n", ns, (unsigned long long)sum);
	return 0;
}
