#include "same_ir.h"

#include <string.h>

struct pair {
	const struct ir_program *p, *q;
	struct strbuf *why;
};

#define SAME(c, cond, ...)                                                                         \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			strbuf_addf((c)->why, __VA_ARGS__);                                        \
			strbuf_addf((c)->why, ": %s", #cond);                                      \
			return false;                                                              \
		}                                                                                  \
	} while (0)

static bool str(const struct pair *c, uint32_t a, uint32_t b)
{
	return !strcmp(ir_str(c->p, a), ir_str(c->q, b));
}

static bool same_ref(const struct ir_func *f, const struct ir_func *g, ir_ref a, ir_ref b)
{
	const struct ir_const *k, *l;

	if (!ir_is_const(a) || !ir_is_const(b))
		return a == b;
	k = ir_const(f, a);
	l = ir_const(g, b);
	return k->kind == l->kind && k->type == l->type &&
		(k->kind == IR_C_UNDEF || (k->id == l->id && k->lo == l->lo && k->hi == l->hi));
}

static bool same_edge(const struct ir_func *f, const struct ir_func *g, uint32_t a, uint32_t b)
{
	const struct ir_edge *e = &f->edges.at[a], *h = &g->edges.at[b];

	if (e->to != h->to || e->ncopies != h->ncopies)
		return false;
	for (uint32_t i = 0; i < e->ncopies; i++)
		if (f->extra.at[e->copies + 2 * i] != g->extra.at[h->copies + 2 * i] ||
			!same_ref(f, g, f->extra.at[e->copies + 2 * i + 1],
				g->extra.at[h->copies + 2 * i + 1]))
			return false;
	return true;
}

/* the words in extra[] that are operands or sizes; edges are compared by themselves */
static bool same_words(const struct ir_func *f, const struct ir_func *g, const struct ir_insn *a,
	const struct ir_insn *b)
{
	enum ir_shape s = ir_ops[a->op].shape;

	if (s != IR_S_CALL && s != IR_S_ASM && s != IR_S_RET && s != IR_S_SWITCH && s != IR_S_IBR)
		return true;
	if (a->arg[2] != b->arg[2])
		return false;
	for (uint32_t i = 0; i < a->arg[2]; i++) {
		uint32_t at = s == IR_S_CALL ? 2 * i : s == IR_S_SWITCH ? 1 + 2 * i : i;

		if (s != IR_S_IBR &&
			!same_ref(f, g, f->extra.at[a->arg[1] + at], g->extra.at[b->arg[1] + at]))
			return false;
		if (s == IR_S_CALL &&
			f->extra.at[a->arg[1] + at + 1] != g->extra.at[b->arg[1] + at + 1])
			return false;
	}
	return true;
}

static bool same_insn(const struct pair *c, const struct ir_func *f, const struct ir_func *g,
	uint32_t i)
{
	const struct ir_insn *a = &f->insns.at[i], *b = &g->insns.at[i];
	enum ir_shape s = ir_ops[a->op].shape;

	SAME(c, a->op == b->op, "%u", i);
	SAME(c, a->type == b->type, "%u", i);
	SAME(c, a->flags == b->flags, "%u", i);
	SAME(c, a->dst == b->dst, "%u", i);
	SAME(c, a->pos == b->pos, "%u", i);
	if (s == IR_S_CMP || s == IR_S_CONV || s == IR_S_STORE || s == IR_S_SWITCH)
		SAME(c, a->type2 == b->type2, "%u", i);
	for (unsigned k = 0; k < 3; k++)
		if (ir_insn_arg_type(a, k))
			SAME(c, same_ref(f, g, a->arg[k], b->arg[k]), "%u, operand %u", i, k);
	switch (s) {
	case IR_S_ALLOCA:
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_LIFE:
	case IR_S_CALL:
	case IR_S_PADD: SAME(c, a->imm == b->imm, "%u", i); break;
	case IR_S_STOP: SAME(c, str(c, (uint32_t)a->imm, (uint32_t)b->imm), "%u", i); break;
	case IR_S_ASM:
		SAME(c, a->imm == b->imm, "%u", i);
		SAME(c, str(c, a->arg[0], b->arg[0]), "%u", i);
		break;
	default: break;
	}
	if (s == IR_S_PADD && a->arg[1] != IR_NONE)
		SAME(c, a->arg[2] == b->arg[2], "%u", i);
	SAME(c, same_words(f, g, a, b), "%u", i);
	SAME(c, ir_insn_nedges(a) == ir_insn_nedges(b), "%u", i);
	for (uint32_t k = 0, n = ir_insn_nedges(a); k < n; k++)
		SAME(c, same_edge(f, g, ir_insn_edge(f, a, k), ir_insn_edge(g, b, k)),
			"%u, edge %u", i, k);
	return true;
}

static bool same_head(const struct pair *c, const struct ir_func *f, const struct ir_func *g)
{
	SAME(c, str(c, f->name, g->name), "function");
	SAME(c, f->flags == g->flags, "%s", ir_str(c->p, f->name));
	SAME(c, f->pos == g->pos, "%s", ir_str(c->p, f->name));
	SAME(c, str(c, f->abi, g->abi) && str(c, f->attrs, g->attrs), "%s", ir_str(c->p, f->name));
	SAME(c, str(c, f->section, g->section), "%s", ir_str(c->p, f->name));
	SAME(c, f->nparams == g->nparams, "%s", ir_str(c->p, f->name));
	SAME(c, f->nret == g->nret, "%s", ir_str(c->p, f->name));
	for (uint32_t i = 0; i < f->nparams; i++) {
		SAME(c, f->params[i].type == g->params[i].type, "parameter %u", i);
		SAME(c, f->params[i].byval == g->params[i].byval, "parameter %u", i);
	}
	for (uint32_t i = 0; i < f->nret; i++)
		SAME(c, f->ret[i] == g->ret[i], "result %u", i);
	return true;
}

static bool same_func(const struct pair *c, const struct ir_func *f, const struct ir_func *g)
{
	if (!same_head(c, f, g))
		return false;
	SAME(c, f->regs.n == g->regs.n, "%s", ir_str(c->p, f->name));
	SAME(c, f->insns.n == g->insns.n, "%s", ir_str(c->p, f->name));
	SAME(c, f->blocks.n == g->blocks.n, "%s", ir_str(c->p, f->name));
	SAME(c, f->locals.n == g->locals.n, "%s", ir_str(c->p, f->name));
	vec_each (&f->regs, i) {
		SAME(c, f->regs.at[i].type == g->regs.at[i].type, "register %u", i);
		SAME(c, str(c, f->regs.at[i].name, g->regs.at[i].name), "register %u", i);
		SAME(c, f->regs.at[i].dtype == g->regs.at[i].dtype, "register %u", i);
	}
	vec_each (&f->locals, i) {
		const struct ir_local *a = &f->locals.at[i], *b = &g->locals.at[i];

		SAME(c, str(c, a->name, b->name), "local %u", i);
		SAME(c, a->dtype == b->dtype && a->size == b->size, "local %u", i);
		SAME(c, a->align == b->align && a->pos == b->pos, "local %u", i);
	}
	SAME(c, f->notes.n == g->notes.n, "notes of %s", ir_str(c->p, f->name));
	vec_each (&f->notes, i) {
		const struct ir_note *a = &f->notes.at[i], *b = &g->notes.at[i];

		SAME(c, a->insn == b->insn && str(c, a->abi, b->abi), "note %u", i);
		SAME(c, str(c, a->constraints, b->constraints), "note %u", i);
		SAME(c, str(c, a->inexact, b->inexact), "note %u", i);
	}
	vec_each (&f->blocks, i) {
		SAME(c, f->blocks.at[i].first == g->blocks.at[i].first, "block %u", i);
		SAME(c, f->blocks.at[i].n == g->blocks.at[i].n, "block %u", i);
	}
	vec_each (&f->insns, i)
		if (!same_insn(c, f, g, i))
			return false;
	return true;
}

static uint8_t init_byte(const struct ir_global *g, uint64_t i)
{
	return g->init ? g->init[i] : 0;
}

static bool same_global(const struct pair *c, const struct ir_global *a, const struct ir_global *b)
{
	SAME(c, str(c, a->name, b->name), "global");
	SAME(c, a->flags == b->flags && a->dtype == b->dtype, "%s", ir_str(c->p, a->name));
	SAME(c, a->pos == b->pos && a->size == b->size, "%s", ir_str(c->p, a->name));
	SAME(c, a->align == b->align, "%s", ir_str(c->p, a->name));
	SAME(c, str(c, a->section, b->section), "%s", ir_str(c->p, a->name));
	SAME(c, a->relocs.n == b->relocs.n, "%s", ir_str(c->p, a->name));
	for (uint64_t i = 0; (a->init || b->init) && i < a->size; i++)
		SAME(c, init_byte(a, i) == init_byte(b, i), "%s, byte %lu", ir_str(c->p, a->name),
			i);
	vec_each (&a->relocs, i) {
		const struct ir_reloc *r = &a->relocs.at[i], *s = &b->relocs.at[i];

		SAME(c, r->offset == s->offset && r->kind == s->kind, "relocation %u", i);
		SAME(c, r->id == s->id && r->addend == s->addend, "relocation %u", i);
	}
	return true;
}

static bool same_dtype(const struct pair *c, const struct ir_dtype *a, const struct ir_dtype *b)
{
	SAME(c, a->kind == b->kind && a->elem == b->elem, "type");
	SAME(c, str(c, a->name, b->name), "type");
	SAME(c, a->size == b->size && a->count == b->count, "type");
	SAME(c, a->fields.n == b->fields.n, "type");
	vec_each (&a->fields, i) {
		const struct ir_field *f = &a->fields.at[i], *g = &b->fields.at[i];

		SAME(c, str(c, f->name, g->name), "field %u", i);
		SAME(c, f->dtype == g->dtype && f->bit_offset == g->bit_offset, "field %u", i);
	}
	return true;
}

static bool same_ctors(const struct pair *c, const struct ir_ctor *a, uint32_t n,
	const struct ir_ctor *b, uint32_t m)
{
	SAME(c, n == m, "constructors");
	for (uint32_t i = 0; i < n; i++)
		SAME(c, a[i].func == b[i].func && a[i].priority == b[i].priority, "constructor %u",
			i);
	return true;
}

static bool same_tables(const struct pair *c)
{
	const struct ir_program *p = c->p, *q = c->q;

	SAME(c, p->funcs.n == q->funcs.n, "program");
	SAME(c, p->globals.n == q->globals.n, "program");
	SAME(c, p->aliases.n == q->aliases.n, "program");
	SAME(c, p->positions.n == q->positions.n, "program");
	SAME(c, p->asms.n == q->asms.n, "program");
	vec_each (&p->asms, i)
		SAME(c, str(c, p->asms.at[i], q->asms.at[i]), "asm %u", i);
	SAME(c, p->dtypes.n == q->dtypes.n, "program");
	vec_each (&p->aliases, i) {
		const struct ir_alias *a = &p->aliases.at[i], *b = &q->aliases.at[i];

		SAME(c, str(c, a->name, b->name) && a->kind == b->kind, "alias %u", i);
		SAME(c, a->id == b->id && a->addend == b->addend, "alias %u", i);
	}
	vec_each (&p->positions, i) {
		const struct ir_pos *a = &p->positions.at[i], *b = &q->positions.at[i];

		SAME(c, str(c, a->file, b->file) && str(c, a->func, b->func), "position %u", i);
		SAME(c, a->line == b->line && a->col == b->col, "position %u", i);
		SAME(c, a->inlined_at == b->inlined_at, "position %u", i);
	}
	return same_ctors(c, p->ctors.at, p->ctors.n, q->ctors.at, q->ctors.n) &&
		same_ctors(c, p->dtors.at, p->dtors.n, q->dtors.at, q->dtors.n);
}

bool same_ir(const struct ir_program *p, const struct ir_program *q, struct strbuf *why)
{
	struct pair c = {p, q, why};

	if (!same_tables(&c))
		return false;
	vec_each (&p->dtypes, i)
		if (!same_dtype(&c, &p->dtypes.at[i], &q->dtypes.at[i]))
			return false;
	vec_each (&p->globals, i)
		if (!same_global(&c, &p->globals.at[i], &q->globals.at[i]))
			return false;
	vec_each (&p->funcs, i)
		if (!same_func(&c, &p->funcs.at[i], &q->funcs.at[i]))
			return false;
	return true;
}
