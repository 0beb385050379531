#include "ir/validate_internal.h"

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/text.h"
#include "ir/words.h"

#include <stdarg.h>

/* A linear search: unlike for cfg_block_of(), the blocks may be in any order here. */
static uint32_t find_block(const struct ir_func *f, uint32_t insn)
{
	vec_each (&f->blocks, b)
		if (insn - f->blocks.at[b].first < f->blocks.at[b].n)
			return b;
	return IR_NONE;
}

static struct diag_pos current_place(const struct checker *c)
{
	const struct ir_func *f = c->func == IR_NONE ? NULL : &c->p->funcs.at[c->func];
	uint32_t pos = !f ? 0 : c->insn == IR_NONE ? f->pos : f->insns.at[c->insn].pos;

	if (c->where)
		return c->where(c->ctx, c->func, c->insn);
	return pos < c->p->positions.n ? ir_diag_pos(c->p, pos) : (struct diag_pos){0};
}

int check_fail(struct checker *c, const char *fmt, ...)
{
	const struct ir_func *f = c->func == IR_NONE ? NULL : &c->p->funcs.at[c->func];
	struct strbuf b = {0};
	va_list ap;

	strbuf_adds(&b, "invalid IR");
	if (f && check_str(c, f->name))
		strbuf_addf(&b, " in '%s'", ir_str(c->p, f->name));
	if (f && c->insn != IR_NONE) {
		strbuf_addf(&b, ", b%u, instruction %u", find_block(f, c->insn), c->insn);
		if (c->in_range) {
			strbuf_adds(&b, " '");
			ir_print_insn(&b, c->p, f, &f->insns.at[c->insn]);
			strbuf_addc(&b, '\'');
		}
	}
	strbuf_adds(&b, ": ");
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	error_at(current_place(c), "%s", b.s);
	strbuf_release(&b);
	return -1;
}

int check_address(struct checker *c, uint8_t kind, uint32_t id, int64_t addend)
{
	const struct ir_program *p = c->p;

	switch (kind) {
	case IR_C_GLOBAL: CHECK(c, id < p->globals.n, "no global %u", id); return 0;
	case IR_C_FUNC:
		CHECK(c, id < p->funcs.n, "no function %u", id);
		CHECK(c, !addend, "address inside function %u", id);
		return 0;
	case IR_C_BLOCK:
		CHECK(c, id < p->funcs.n, "no function %u", id);
		CHECK(c, addend >= 0 && addend < p->funcs.at[id].blocks.n,
			"no block %ld in function %u", addend, id);
		return 0;
	default: return check_fail(c, "address of kind %u", kind);
	}
}

static uint32_t known_bits(const struct ir_word *words, size_t n)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < n; i++)
		bits |= words[i].bit;
	return bits;
}

static int check_global(struct checker *c, uint32_t id)
{
	const struct ir_global *g = &c->p->globals.at[id];
	uint32_t known = IR_G_EXTERN | known_bits(ir_global_words, ARRAY_SIZE(ir_global_words));
	const char *name;
	uint64_t end = 0;

	CHECK(c, check_str(c, g->name), "global %u: no string %u", id, g->name);
	name = ir_str(c->p, g->name);
	CHECK(c, !(g->flags & ~known), "global '%s': unknown flags 0x%x", name, g->flags);
	CHECK(c, g->dtype < c->p->dtypes.n, "global '%s': no type $%u", name, g->dtype);
	CHECK(c, g->pos < c->p->positions.n, "global '%s': no position !%u", name, g->pos);
	CHECK(c, check_str(c, g->section), "global '%s': no string %u", name, g->section);
	CHECK(c, !(g->align & (g->align - 1)), "global '%s': alignment %u", name, g->align);
	CHECK(c, !(g->flags & IR_G_EXTERN) || (!g->init && !g->relocs.n),
		"global '%s': extern with an initializer", name);
	vec_each (&g->relocs, i) {
		const struct ir_reloc *r = &g->relocs.at[i];

		CHECK(c, r->offset >= end && g->size >= 8 && r->offset <= g->size - 8,
			"global '%s': address at offset %lu overlaps another or the end", name,
			r->offset);
		end = r->offset + 8;
		if (check_address(c, r->kind, r->id, r->addend))
			return -1;
	}
	return 0;
}

static int check_ctors(struct checker *c, const struct ir_ctor *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		CHECK(c, at[i].func < c->p->funcs.n, "constructor or destructor: no function %u",
			at[i].func);
	return 0;
}

static int check_symbols(struct checker *c)
{
	const struct ir_program *p = c->p;

	vec_each (&p->globals, i)
		if (check_global(c, i))
			return -1;
	vec_each (&p->aliases, i) {
		const struct ir_alias *a = &p->aliases.at[i];

		CHECK(c, check_str(c, a->name), "alias %u: no string %u", i, a->name);
		CHECK(c, a->kind != IR_C_BLOCK, "alias %u: of a block", i);
		if (check_address(c, a->kind, a->id, a->addend))
			return -1;
	}
	vec_each (&p->asms, i)
		CHECK(c, check_str(c, p->asms.at[i]), "asm %u: no string %u", i, p->asms.at[i]);
	if (check_ctors(c, p->ctors.at, p->ctors.n) || check_ctors(c, p->dtors.at, p->dtors.n))
		return -1;
	map_each (&p->func_by_name, i)
		CHECK(c, p->func_by_name.slots[i].val < p->funcs.n, "name table: no function %lu",
			p->func_by_name.slots[i].val);
	map_each (&p->global_by_name, i)
		CHECK(c, p->global_by_name.slots[i].val < p->globals.n, "name table: no global %lu",
			p->global_by_name.slots[i].val);
	return 0;
}

static int check_positions(struct checker *c)
{
	vec_each (&c->p->positions, i) {
		const struct ir_pos *at = &c->p->positions.at[i];

		CHECK(c, check_str(c, at->file) && check_str(c, at->func),
			"position !%u: no string", i);
		CHECK(c, !at->inlined_at || at->inlined_at < i,
			"position !%u: inlined at !%u, which is not older", i, at->inlined_at);
	}
	return 0;
}

/* the number of types that this one may contain by value; part_at() gives the k-th */
static uint32_t count_parts(const struct ir_dtype *d)
{
	switch (d->kind) {
	case IR_D_STRUCT:
	case IR_D_UNION: return d->fields.n;
	case IR_D_ARRAY:
	case IR_D_ENUM:
	case IR_D_TYPEDEF:
	case IR_D_CV: return 1;
	default: return 0;
	}
}

static uint32_t part_at(const struct ir_dtype *d, uint32_t k)
{
	return d->kind == IR_D_STRUCT || d->kind == IR_D_UNION ? d->fields.at[k].dtype : d->elem;
}

/* Depth-first search over containment; a type that is reached while it is open contains itself. */
static int check_containment(struct checker *c)
{
	enum { NEW, OPEN, DONE };
	const struct ir_program *p = c->p;
	uint8_t *state = xcalloc(p->dtypes.n + 1, 1);
	struct frame {
		uint32_t type, next;
	};
	VEC(struct frame) stack = {0};
	uint32_t bad = 0;

	for (uint32_t root = 1; root < p->dtypes.n && !bad; root++) {
		if (state[root] != NEW)
			continue;
		state[root] = OPEN;
		vec_push(&stack, (struct frame){root, 0});
		while (stack.n && !bad) {
			struct frame *f = &vec_last(&stack);
			const struct ir_dtype *d = &p->dtypes.at[f->type];
			uint32_t t;

			if (f->next == count_parts(d)) {
				state[f->type] = DONE;
				stack.n--;
				continue;
			}
			t = part_at(d, f->next++);
			if (state[t] == OPEN && t)
				bad = t;
			else if (state[t] == NEW && t) {
				state[t] = OPEN;
				vec_push(&stack, (struct frame){t, 0});
			}
		}
	}
	vec_release(&stack);
	free(state);
	CHECK(c, !bad, "type $%u contains itself", bad);
	return 0;
}

static int check_dtypes(struct checker *c)
{
	const struct ir_program *p = c->p;

	vec_each (&p->dtypes, i) {
		const struct ir_dtype *d = &p->dtypes.at[i];

		CHECK(c, d->kind < ARRAY_SIZE(ir_dkind_words), "type $%u: unknown kind %u", i,
			d->kind);
		CHECK(c, check_str(c, d->name), "type $%u: no string %u", i, d->name);
		CHECK(c, d->elem < p->dtypes.n, "type $%u: no type $%u", i, d->elem);
		vec_each (&d->fields, k) {
			const struct ir_field *f = &d->fields.at[k];

			CHECK(c, check_str(c, f->name), "type $%u: no string %u", i, f->name);
			CHECK(c, f->dtype < p->dtypes.n, "type $%u: no type $%u", i, f->dtype);
		}
	}
	return check_containment(c);
}

int ir_validate_at(const struct ir_program *p, ir_where_fn where, void *ctx)
{
	struct checker c = {.p = p, .where = where, .ctx = ctx, .func = IR_NONE, .insn = IR_NONE};

	CHECK(&c, p->positions.n && p->dtypes.n, "no entry for the unknown position or type");
	if (check_positions(&c) || check_dtypes(&c) || check_symbols(&c))
		return -1;
	vec_each (&p->funcs, i)
		if (check_func(&c, i))
			return -1;
	return 0;
}

int ir_validate(const struct ir_program *p)
{
	return ir_validate_at(p, NULL, NULL);
}

