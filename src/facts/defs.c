#include "facts/defs.h"

#include "base/base.h"
#include "base/vec.h"
#include "ir/graph.h"

#include <string.h>

bool defs_constant(const struct ir_func *f, ir_ref r, int64_t *k)
{
	const struct ir_const *c;
	uint32_t bits;

	if (!ir_is_const(r))
		return false;
	c = ir_const(f, r);
	if (c->kind != IR_C_BITS)
		return false;
	bits = ir_type_bits(c->type);
	*k = (int64_t)c->lo;
	if (bits && bits < 64)
		*k = (int64_t)(c->lo << (64 - bits)) >> (64 - bits);
	return true;
}

bool defs_adds_constant(const struct ir_func *f, const struct ir_insn *in, ir_ref *base,
	int64_t *bytes)
{
	int64_t k;

	switch (in->op) {
	case IR_PADD:
		*base = in->arg[0];
		*bytes = in->imm;
		if (in->arg[1] == IR_NONE)
			return true;
		if (!defs_constant(f, in->arg[1], &k))
			return false;
		*bytes = (int64_t)((uint64_t)in->imm + (uint64_t)k * in->arg[2]);
		return true;
	case IR_ADD:
	case IR_SUB:
		/* a sum of fewer bits is not a pointer */
		if (in->type != 64)
			return false;
		*base = in->arg[0];
		if (defs_constant(f, in->arg[1], bytes)) {
			if (in->op == IR_SUB)
				*bytes = (int64_t)(0 - (uint64_t)*bytes);
			return true;
		}
		*base = in->arg[1];
		return in->op == IR_ADD && defs_constant(f, in->arg[0], bytes);
	default: return false;
	}
}

const struct ir_insn *defs_insn(const struct defs *d, ir_ref r)
{
	if (r == IR_NONE || !ir_is_reg(r) || d->insn[r] == IR_NONE)
		return NULL;
	return &d->f->insns.at[d->insn[r]];
}

/* ---- slots -------------------------------------------------------------------------------- */

uint32_t defs_slot(const struct defs *d, ir_ref address)
{
	const struct ir_insn *in = defs_insn(d, address);

	return in && in->op == IR_ALLOCA ? d->slot_of[in->imm] : IR_NONE;
}

static void not_a_slot(void *ctx, ir_ref r)
{
	struct defs *d = ctx;
	const struct ir_insn *in = defs_insn(d, r);

	if (in && in->op == IR_ALLOCA)
		d->slot_of[in->imm] = IR_NONE;
}

static void find_slots(struct defs *d)
{
	const struct ir_func *f = d->f;

	d->slot_of = xmalloc((f->locals.n + 1) * sizeof *d->slot_of);
	memset(d->slot_of, 0xff, (f->locals.n + 1) * sizeof *d->slot_of);
	vec_each (&f->insns, i)
		if (f->insns.at[i].op == IR_ALLOCA)
			d->slot_of[f->insns.at[i].imm] = 0;
	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (in->op == IR_STORE)
			not_a_slot(d, in->arg[1]);
		else if (in->op != IR_LOAD && in->op != IR_LIFE_START && in->op != IR_LIFE_END)
			ir_insn_each_use(f, in, not_a_slot, d);
	}
	vec_each (&f->edges, e)
		for (uint32_t i = 0; i < f->edges.at[e].ncopies; i++)
			not_a_slot(d, f->extra.at[f->edges.at[e].copies + 2 * i + 1]);
	vec_each (&f->locals, l)
		if (d->slot_of[l] != IR_NONE)
			d->slot_of[l] = d->f->regs.n + d->nslots++;
	d->n = f->regs.n + d->nslots;
}

/* ---- flows -------------------------------------------------------------------------------- */

typedef void (*flow_fn)(struct defs *d, uint32_t to, struct defs_flow fl);

static void count_flow(struct defs *d, uint32_t to, struct defs_flow fl)
{
	(void)fl;
	d->at[to + 1]++;
}

/* at[v] is the index for the next flow into v; in the end it is the first index of v + 1 */
static void place_flow(struct defs *d, uint32_t to, struct defs_flow fl)
{
	d->flows[d->at[to]++] = fl;
}

static void each_insn_flow(struct defs *d, const struct ir_insn *in, flow_fn fn)
{
	uint32_t slot;
	int64_t bytes;
	ir_ref base;

	switch (in->op) {
	case IR_COPY:
	case IR_FREEZE:
	case IR_BITCAST:
	case IR_PTRTOINT:
	case IR_INTTOPTR: fn(d, in->dst, (struct defs_flow){in->arg[0], false}); break;
	case IR_SELECT:
		fn(d, in->dst, (struct defs_flow){in->arg[1], false});
		fn(d, in->dst, (struct defs_flow){in->arg[2], false});
		break;
	case IR_LOAD:
		slot = defs_slot(d, in->arg[0]);
		if (slot != IR_NONE)
			fn(d, in->dst, (struct defs_flow){slot, false});
		break;
	case IR_STORE:
		slot = defs_slot(d, in->arg[0]);
		if (slot != IR_NONE)
			fn(d, slot, (struct defs_flow){in->arg[1], false});
		break;
	case IR_PADD: fn(d, in->dst, (struct defs_flow){in->arg[0], true}); break;
	default:
		if (defs_adds_constant(d->f, in, &base, &bytes))
			fn(d, in->dst, (struct defs_flow){base, true});
	}
}

static void each_flow(struct defs *d, flow_fn fn)
{
	const struct ir_func *f = d->f;

	vec_each (&f->insns, i)
		each_insn_flow(d, &f->insns.at[i], fn);
	vec_each (&f->edges, e)
		for (uint32_t i = 0; i < f->edges.at[e].ncopies; i++) {
			const uint32_t *copy = &f->extra.at[f->edges.at[e].copies + 2 * i];

			fn(d, copy[0], (struct defs_flow){copy[1], false});
		}
}

static void find_cycles(struct defs *d)
{
	uint32_t *at = xcalloc(d->n + 1, sizeof *at);
	uint32_t *from = xmalloc((d->at[d->n] + 1) * sizeof *from), n = 0;

	for (uint32_t v = 0; v < d->n; v++) {
		for (uint32_t i = d->at[v]; i < d->at[v + 1]; i++)
			if (ir_is_reg(d->flows[i].from))
				from[n++] = d->flows[i].from;
		at[v + 1] = n;
	}
	d->cycle = xmalloc((d->n + 1) * sizeof *d->cycle);
	graph_scc(&(struct graph){d->n, at, from}, d->cycle);
	free(at);
	free(from);
}

/* the same address by its form, without the values of memory */
static bool same_address(const struct defs *d, ir_ref a, ir_ref b)
{
	const struct ir_insn *x = defs_insn(d, a), *y = defs_insn(d, b);

	if (a == b)
		return true;
	return x && y && x->op == IR_PADD && y->op == IR_PADD && x->arg[0] == y->arg[0] &&
	       x->arg[1] == y->arg[1] && x->arg[2] == y->arg[2] && x->imm == y->imm;
}

/* Finds pointers that advance: p = p + c in a loop, or s->p = s->p + c. */
static void find_steps(struct defs *d)
{
	const struct ir_func *f = d->f;
	const struct ir_insn *sum, *load;
	int64_t bytes;
	ir_ref base;

	d->steps = xcalloc(f->regs.n + 1, sizeof *d->steps);
	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (defs_adds_constant(f, in, &base, &bytes) && ir_is_reg(base) &&
			d->cycle[base] == d->cycle[in->dst])
			d->steps[in->dst] = true;
		if (in->op != IR_STORE)
			continue;
		sum = defs_insn(d, in->arg[1]);
		if (!sum || !defs_adds_constant(f, sum, &base, &bytes))
			continue;
		load = defs_insn(d, base);
		if (load && load->op == IR_LOAD && same_address(d, load->arg[0], in->arg[0]))
			d->steps[sum->dst] = true;
	}
}

void defs_init(struct defs *d, const struct ir_func *f)
{
	*d = (struct defs){.f = f};
	d->insn = xmalloc((f->regs.n + 1) * sizeof *d->insn);
	memset(d->insn, 0xff, (f->regs.n + 1) * sizeof *d->insn);
	vec_each (&f->insns, i)
		for (uint32_t k = 0; k < ir_insn_ndst(&f->insns.at[i]); k++)
			d->insn[f->insns.at[i].dst + k] = i;
	find_slots(d);
	d->at = xcalloc(d->n + 2, sizeof *d->at);
	each_flow(d, count_flow);
	for (uint32_t v = 0; v < d->n; v++)
		d->at[v + 1] += d->at[v];
	d->flows = xmalloc((d->at[d->n] + 1) * sizeof *d->flows);
	each_flow(d, place_flow);
	memmove(d->at + 1, d->at, d->n * sizeof *d->at);
	d->at[0] = 0;
	find_cycles(d);
	find_steps(d);
}

void defs_release(struct defs *d)
{
	free(d->insn);
	free(d->slot_of);
	free(d->at);
	free(d->flows);
	free(d->cycle);
	free(d->steps);
	*d = (struct defs){0};
}
