/*
 * check-name: the sizes of a transform: roots of powers of two, rows of threads
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: assert rows
 * check-timeout: 60
 */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64 };

int main(void)
{
	unsigned char in[2];
	long m, p, n, rootn, rowsperproc, pad, mod, pages;

	if (read(0, in, 2) != 2)
		return 1;
	m = in[0];
	p = in[1];
	if (m > 28 || m % 2 || m < 2)
		return 1;
	if (p < 1 || p > 64 || (p & (p - 1)))
		return 1;
	n = 1L << m;
	rootn = 1L << (m / 2);
	if (rootn % p || rootn / p < 1)
		return 2;
	rowsperproc = rootn / p;
	pad = LINE / (2 * (long)sizeof(double)) % (rowsperproc + 1);
	mod = (n * 16 + rootn * 16 * pad) % (rowsperproc * PAGE);
	pages = (2 * pad * rowsperproc) / PAGE;
	if (pages * PAGE > 2 * pad * rowsperproc)
		return 3;
	assert(rowsperproc * p == rootn);
	assert(n / rootn == rootn);
#ifdef CORRECT
	assert(mod >= 0);
#else
	assert(mod != 16 * PAGE || rowsperproc < 64); /* BUG: rows */
#endif
	return 0;
}
