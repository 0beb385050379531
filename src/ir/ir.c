#include "ir/ir.h"

#include "base/base.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

const struct ir_op_info ir_ops[IR_NOPS] = {
#define OP(id, text, shape) [IR_##id] = {text, IR_S_##shape},
#include "ir/ops.def"
#undef OP
};

uint32_t ir_type_bits(ir_type t)
{
	static const uint8_t bits[IR_NTYPES - IR_PTR] = {64, 32, 64, 80, 16, 128};

	return t < IR_PTR ? t : bits[t - IR_PTR];
}

static const char *const type_names[IR_NTYPES] = {
	"void",
#define I1(n) "i" #n
#define I10(n)                                                                                     \
	I1(n##0), I1(n##1), I1(n##2), I1(n##3), I1(n##4), I1(n##5), I1(n##6), I1(n##7), I1(n##8),  \
		I1(n##9)
	"i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9",
	I10(1), I10(2), I10(3), I10(4), I10(5), I10(6), I10(7), I10(8), I10(9), I10(10), I10(11),
	"i120", "i121", "i122", "i123", "i124", "i125", "i126", "i127", "i128",
	"ptr", "f32", "f64", "f80", "f16", "f128",
#undef I1
#undef I10
};

const char *ir_type_name(ir_type t)
{
	return t < IR_NTYPES ? type_names[t] : "?";
}

int ir_type_parse(const char *s, size_t n)
{
	int bits = 0;

	if (n >= 2 && n <= 4 && s[0] == 'i' && s[1] != '0') {
		for (size_t i = 1; i < n; i++)
			bits = s[i] >= '0' && s[i] <= '9' ? bits * 10 + s[i] - '0' : IR_PTR;
		return bits < IR_PTR ? bits : -1;
	}
	for (int t = 0; t < IR_NTYPES; t = t ? t + 1 : IR_PTR)
		if (strlen(type_names[t]) == n && !memcmp(type_names[t], s, n))
			return t;
	return -1;
}

struct ir_program *ir_program_new(void)
{
	struct ir_program *p = xcalloc(1, sizeof *p);

	arena_init(&p->arena);
	intern_init(&p->strs);
	(void)vec_add(&p->positions);
	(void)vec_add(&p->dtypes);
	return p;
}

void ir_func_drop_body(struct ir_func *f)
{
	vec_release(&f->regs);
	vec_release(&f->consts);
	vec_release(&f->insns);
	vec_release(&f->blocks);
	vec_release(&f->edges);
	vec_release(&f->locals);
	vec_release(&f->extra);
	vec_release(&f->notes);
}

void ir_program_free(struct ir_program *p)
{
	if (!p)
		return;
	vec_each (&p->funcs, i)
		ir_func_drop_body(&p->funcs.at[i]);
	vec_each (&p->globals, i)
		vec_release(&p->globals.at[i].relocs);
	vec_each (&p->dtypes, i)
		vec_release(&p->dtypes.at[i].fields);
	vec_release(&p->funcs);
	vec_release(&p->globals);
	vec_release(&p->aliases);
	vec_release(&p->ctors);
	vec_release(&p->dtors);
	vec_release(&p->asms);
	vec_release(&p->positions);
	vec_release(&p->dtypes);
	map_release(&p->func_by_name);
	map_release(&p->global_by_name);
	map_release(&p->pos_by_hash);
	intern_release(&p->strs);
	arena_release(&p->arena);
	free(p);
}

static uint32_t find_name(const struct ir_program *p, const struct map *by_name, const char *name)
{
	uint32_t id;

	return intern_lookup(&p->strs, name, &id) ? (uint32_t)map_get_or(by_name, id, IR_NONE)
						  : IR_NONE;
}

uint32_t ir_find_func(const struct ir_program *p, const char *name)
{
	return find_name(p, &p->func_by_name, name);
}

uint32_t ir_find_global(const struct ir_program *p, const char *name)
{
	return find_name(p, &p->global_by_name, name);
}

bool ir_reads_cycles(const struct ir_program *p)
{
	vec_each (&p->funcs, f)
		vec_each (&p->funcs.at[f].insns, i)
			if (p->funcs.at[f].insns.at[i].op == IR_CYCLES)
				return true;
	return false;
}

uint32_t ir_add_pos(struct ir_program *p, struct ir_pos pos)
{
	uint64_t h = hash_bytes(&pos, sizeof pos);
	uint64_t *slot;

	/* on a hash collision a position may get a second id, which is harmless */
	slot = map_put(&p->pos_by_hash, h);
	if (*slot && !memcmp(&p->positions.at[*slot], &pos, sizeof pos))
		return (uint32_t)*slot;
	vec_push(&p->positions, pos);
	return (uint32_t)(*slot = p->positions.n - 1);
}

struct diag_pos ir_diag_pos(const struct ir_program *p, uint32_t pos)
{
	const struct ir_pos *at = &p->positions.at[pos];

	return (struct diag_pos){
		.file = at->file ? ir_str(p, at->file) : NULL, .line = at->line, .col = at->col};
}

const struct ir_note *ir_note(const struct ir_func *f, uint32_t i)
{
	uint32_t lo = 0, hi = f->notes.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->notes.at[mid].insn < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->notes.n && f->notes.at[lo].insn == i ? &f->notes.at[lo] : NULL;
}

uint32_t ir_insn_ndst(const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_CALL:
	case IR_S_ASM: return (uint32_t)in->imm;
	case IR_S_OVF:
	case IR_S_CAS: return 2;
	default: return in->dst != IR_NONE;
	}
}

/* a bit mask: bit i is set if arg[i] is a reference */
static unsigned arg_refs(enum ir_shape s)
{
	switch (s) {
	case IR_S_BIN:
	case IR_S_CMP:
	case IR_S_OVF:
	case IR_S_PADD:
	case IR_S_STORE:
	case IR_S_VA:
	case IR_S_RMW: return 3;
	case IR_S_TERN:
	case IR_S_SELECT:
	case IR_S_CAS:
	case IR_S_BULK: return 7;
	case IR_S_UN:
	case IR_S_CONV:
	case IR_S_ALLOCA:
	case IR_S_LOAD:
	case IR_S_PTR1:
	case IR_S_LIFE:
	case IR_S_CALL:
	case IR_S_CBR:
	case IR_S_SWITCH:
	case IR_S_IBR: return 1;
	default: return 0;
	}
}

ir_type ir_insn_arg_type(const struct ir_insn *in, unsigned i)
{
	enum ir_shape s = ir_ops[in->op].shape;

	if (!(arg_refs(s) >> i & 1))
		return IR_VOID;
	switch (s) {
	case IR_S_BIN:
	case IR_S_UN:
	case IR_S_TERN:
	case IR_S_OVF: return in->type;
	case IR_S_CMP:
	case IR_S_CONV:
	case IR_S_SWITCH: return in->type2;
	case IR_S_SELECT: return i ? in->type : 1;
	case IR_S_STORE: return i ? in->type2 : IR_PTR;
	case IR_S_RMW:
	case IR_S_CAS: return i ? in->type : IR_PTR;
	case IR_S_ALLOCA: return 64;
	case IR_S_PADD: return i ? 64 : IR_PTR;
	case IR_S_BULK: return i == 2 ? 64 : i == 1 && in->op == IR_MEMSET ? 8 : IR_PTR;
	case IR_S_CBR: return 1;
	default: return IR_PTR;
	}
}

void ir_insn_each_use(const struct ir_func *f, const struct ir_insn *in, ir_ref_fn fn, void *ctx)
{
	enum ir_shape s = ir_ops[in->op].shape;
	unsigned refs = arg_refs(s);

	for (int i = 0; i < 3; i++)
		if (refs >> i & 1 && in->arg[i] != IR_NONE)
			fn(ctx, in->arg[i]);
	if (s == IR_S_CALL)
		for (uint32_t i = 0; i < in->arg[2]; i++)
			fn(ctx, f->extra.at[in->arg[1] + 2 * i]);
	else if (s == IR_S_ASM || s == IR_S_RET)
		for (uint32_t i = 0; i < in->arg[2]; i++)
			fn(ctx, f->extra.at[in->arg[1] + i]);
}

uint32_t ir_insn_nedges(const struct ir_insn *in)
{
	switch (in->op) {
	case IR_BR: return 1;
	case IR_CBR: return 2;
	case IR_SWITCH: return in->arg[2] + 1;
	case IR_IBR: return in->arg[2];
	default: return 0;
	}
}

uint32_t ir_insn_edge(const struct ir_func *f, const struct ir_insn *in, uint32_t k)
{
	switch (in->op) {
	case IR_BR: return in->arg[0];
	case IR_CBR: return in->arg[1 + k];
	case IR_SWITCH: return f->extra.at[in->arg[1] + 2 * k];
	case IR_IBR: return f->extra.at[in->arg[1] + k];
	default: BUG("'%s' has no edges", ir_ops[in->op].name);
	}
}
