/* The functions that the CPU_* macros of <sched.h> call. */
#include "model.h"
#include <sched.h>
#include <stdlib.h>

int __sched_cpucount(size_t size, const cpu_set_t *set)
{
	int n = 0;

	for (size_t i = 0; i < size / sizeof(__cpu_mask); i++)
		n += __builtin_popcountl(set->__bits[i]);
	return n;
}

cpu_set_t *__sched_cpualloc(size_t count)
{
	return malloc(CPU_ALLOC_SIZE(count));
}

void __sched_cpufree(cpu_set_t *set)
{
	free(set);
}
