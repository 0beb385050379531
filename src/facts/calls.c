#include "facts/calls.h"

static void resolve_call(void *ctx, uint32_t func, uint32_t insn,
	void (*add)(void *, uint32_t callee), void *add_ctx)
{
	points_to_callees(ctx, func, insn, add, add_ctx);
}

void calls_init(struct callgraph *g, const struct ir_program *p, const struct points_to *pt)
{
	callgraph_init(g, p, resolve_call, (void *)pt);
}
