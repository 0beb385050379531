/* Random bytes of the host: getrandom, getentropy, arc4random. */
#include "model.h"
#include <stdlib.h>
#include <sys/random.h>

ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	return M_SYS(SYS_getrandom, buf, n, flags);
}

int getentropy(void *buf, size_t n)
{
	if (n > 256)
		return m_fail(EIO);
	return M_SYS(SYS_getrandom, buf, n, 0) < 0 ? -1 : 0;
}

uint32_t __arc4random(void)
{
	uint32_t v = 0;

	M_RAW(SYS_getrandom, &v, sizeof v, 0);
	return v;
}
M_ALIAS(arc4random, __arc4random);

void arc4random_buf(void *buf, size_t n)
{
	char *p = buf;

	while (n) {
		long k = M_RAW(SYS_getrandom, p, n, 0);
		if (k <= 0)
			__heddle_unmodelled("arc4random_buf without random bytes from the host");
		p += k;
		n -= (size_t)k;
	}
}

/* Uniform below bound: values below 2^32 mod bound are rejected. */
uint32_t arc4random_uniform(uint32_t bound)
{
	uint32_t v, least;

	if (bound < 2)
		return 0;
	least = -bound % bound;
	do
		v = __arc4random();
	while (v < least);
	return v % bound;
}
