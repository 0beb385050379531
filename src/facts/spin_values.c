/* The values that a global variable can have, from all writes to it. */
#include "facts/spin_internal.h"

#include "base/vec.h"

#include <string.h>

struct writers {
	const struct ir_func *fn;
	uint32_t global;
	uint64_t size; /* bytes of the global */
	uint64_t value;
	bool other;
};

/* The operand if it is an address in the global, or NULL. */
static const struct ir_const *address_in_global(const struct writers *ws, ir_ref ref)
{
	const struct ir_const *k = ir_is_const(ref) ? ir_const(ws->fn, ref) : NULL;

	return k && k->kind == IR_C_GLOBAL && k->id == ws->global ? k : NULL;
}

static void other_use(void *ctx, ir_ref ref)
{
	struct writers *ws = ctx;

	ws->other |= address_in_global(ws, ref) != NULL;
}

static void check_value(struct writers *ws, ir_ref ref)
{
	const struct ir_const *k = ir_is_const(ref) ? ir_const(ws->fn, ref) : NULL;

	ws->other |= !k || k->kind != IR_C_BITS || k->hi || (k->lo && k->lo != ws->value);
}

static void check_writer(struct writers *ws, const struct ir_insn *in)
{
	enum ir_shape shape = ir_ops[in->op].shape;
	bool writes = shape == IR_S_STORE || in->op == IR_RMW_XCHG || shape == IR_S_CAS;
	const struct ir_const *at =
		writes || shape == IR_S_LOAD ? address_in_global(ws, in->arg[0]) : NULL;
	ir_type type = shape == IR_S_STORE ? in->type2 : in->type;

	if (!at)
		ir_insn_each_use(ws->fn, in, other_use, ws);
	else if (writes && (at->lo || ir_type_bytes(type) != ws->size))
		ws->other = true;
	else if (writes)
		check_value(ws, in->arg[shape == IR_S_CAS ? 2 : 1]);
}

bool spin_only_value(const struct ir_program *p, uint32_t global, uint64_t value)
{
	const struct ir_global *g = &p->globals.at[global];
	struct writers ws = {.global = global, .size = g->size, .value = value};
	uint64_t first = 0;

	if (!(g->flags & IR_G_LOCAL) || g->size > 8)
		return false;
	if (g->init)
		memcpy(&first, g->init, g->size);
	if (g->relocs.n || (first && first != value))
		return false;
	vec_each (&p->aliases, i)
		if (p->aliases.at[i].kind == IR_C_GLOBAL && p->aliases.at[i].id == global)
			return false;
	vec_each (&p->globals, i)
		vec_each (&p->globals.at[i].relocs, k)
			if (p->globals.at[i].relocs.at[k].kind == IR_C_GLOBAL &&
				p->globals.at[i].relocs.at[k].id == global)
				return false;
	vec_each (&p->funcs, f) {
		ws.fn = &p->funcs.at[f];
		vec_each (&ws.fn->insns, i)
			check_writer(&ws, &ws.fn->insns.at[i]);
		vec_each (&ws.fn->edges, i)
			for (uint32_t k = 0; k < ws.fn->edges.at[i].ncopies; k++)
				other_use(&ws, ws.fn->extra.at[ws.fn->edges.at[i].copies + 2 * k + 1]);
	}
	return !ws.other;
}
