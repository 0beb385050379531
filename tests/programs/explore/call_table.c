/*
 * check-name: a function pointer chosen by the input
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: null-call table
 */
#include <stddef.h>
#include <unistd.h>

static int add(int a) { return a + 1; }
static int sub(int a) { return a - 1; }
static int neg(int a) { return -a; }
#ifdef CORRECT
static int (*const table[4])(int) = {add, sub, neg, add};
#else
static int (*const table[4])(int) = {add, sub, NULL, neg};
#endif

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1 || c < '0' || c > '3')
		return 1;
	return table[c - '0'](1) > 2; /* BUG: table */
}
