#include "base/vec.h"

void *vec_grow_(void *at, uint32_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;

	while (n < want)
		n *= 2;
	if (n > UINT32_MAX)
		oom_die();
	*cap = (uint32_t)n;
	return xrealloc(at, n * size);
}
