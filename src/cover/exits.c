#include "cover/exits.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct exits {
	const struct sync_ops *so;
	bool *func;      /* by function: a call of it ends the process before it synchronizes */
	uint8_t **block; /* by function: NULL, or by block */
	bool handlers;   /* exit() may synchronize */
};

static bool ends_by_name(const struct exits *x, const char *name)
{
	static const char *const at_once[] = {"abort", "_exit", "_Exit", "quick_exit",
		"__assert_fail", "__assert_perror_fail", "__assert", "__stack_chk_fail",
		"__heddle_user_assert"};

	for (size_t i = 0; i < ARRAY_SIZE(at_once); i++)
		if (!strcmp(name, at_once[i]))
			return true;
	return !x->handlers &&
	       (!strcmp(name, "exit") || !strcmp(name, "err") || !strcmp(name, "errx") ||
		       !strcmp(name, "verr") || !strcmp(name, "verrx"));
}

/* Whether the program registers a function that runs at exit and synchronizes. */
static bool has_handlers(const struct sync_ops *so)
{
	static const char *const names[] = {"atexit", "on_exit", "__cxa_atexit", "at_quick_exit"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (ir_find_func(so->p, names[i]) != IR_NONE)
			return true;
	vec_each (&so->p->dtors, i)
		if (so->classes[so->p->dtors.at[i].func])
			return true;
	return false;
}

/* Whether the block, executed from its start, ends the process, given what is known of its
 * successors. */
static bool block_ends(const struct exits *x, uint32_t func, uint32_t b, const uint8_t *known)
{
	const struct ir_func *f = &x->so->p->funcs.at[func];
	const struct ir_block *bl = &f->blocks.at[b];
	const struct ir_insn *end = ir_terminator(f, b);
	uint32_t n = ir_insn_nedges(end);

	for (uint32_t i = bl->first; i < bl->first + bl->n; i++) {
		uint32_t callee;

		if (ir_ops[f->insns.at[i].op].shape != IR_S_CALL && !sync_classes(x->so, func, i))
			continue;
		callee = ir_callee(f, &f->insns.at[i]);
		if (callee != IR_NONE && x->func[callee])
			return true;
		if (sync_classes(x->so, func, i))
			return false;
	}
	for (uint32_t k = 0; k < n; k++)
		if (!known[f->edges.at[ir_insn_edge(f, end, k)].to])
			return false;
	return n > 0;
}

/* The greatest set would take an endless loop for an end; so this computes the least one. */
static void find_blocks(struct exits *x, uint32_t func)
{
	const struct ir_func *f = &x->so->p->funcs.at[func];
	bool changed = true;

	if (!f->blocks.n || (f->flags & (IR_FN_EXTERN | IR_FN_MODEL)))
		return;
	if (!x->block[func])
		x->block[func] = xcalloc(f->blocks.n, 1);
	while (changed) {
		changed = false;
		for (uint32_t b = f->blocks.n; b-- > 0;)
			if (!x->block[func][b] && block_ends(x, func, b, x->block[func])) {
				x->block[func][b] = true;
				changed = true;
			}
	}
	x->func[func] |= x->block[func][0];
}

struct exits *exits_new(const struct sync_ops *so)
{
	struct exits *x = xcalloc(1, sizeof *x);
	const struct callgraph *g = &so->calls;

	x->so = so;
	x->handlers = has_handlers(so);
	x->func = xcalloc(so->p->funcs.n, sizeof *x->func);
	x->block = xcalloc(so->p->funcs.n, sizeof *x->block);
	vec_each (&so->p->funcs, f)
		if (so->p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL))
			x->func[f] = ends_by_name(x, ir_func_name(so->p, f));
	for (uint32_t s = 0; s < g->nsccs; s++)
		for (uint32_t i = g->scc_at[s]; i < g->scc_at[s + 1]; i++)
			find_blocks(x, g->scc_func[i]);
	return x;
}

void exits_free(struct exits *x)
{
	vec_each (&x->so->p->funcs, f)
		free(x->block[f]);
	free(x->block);
	free(x->func);
	free(x);
}

bool exits_block(const struct exits *x, uint32_t func, uint32_t block)
{
	return x->block[func] && x->block[func][block];
}
