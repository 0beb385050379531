#include "facts/plan_memory.h"

#include <stdlib.h>

struct plan_memory {
	const struct plan *pl;
	const struct native *natives;
};

struct plan_memory *plan_memory_new(const struct plan *pl, const struct native *natives)
{
	struct plan_memory *pm = xcalloc(1, sizeof *pm);

	pm->pl = pl;
	pm->natives = natives;
	return pm;
}

void plan_memory_free(struct plan_memory *pm)
{
	free(pm);
}

unsigned plan_memory_read(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width)
{
	(void)pm, (void)func, (void)insn, (void)at, (void)width;
	return ACCESS_LOG | ACCESS_EVENT;
}

unsigned plan_memory_write(struct plan_memory *pm, uint32_t func, uint32_t insn, ir_ref at,
	uint32_t width)
{
	(void)pm, (void)func, (void)insn, (void)at, (void)width;
	return ACCESS_EVENT;
}
