#include "gen_ir_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- small pieces ------------------------------------------------------------------------ */

uint32_t gen_str(struct gen *g, const char *prefix)
{
	static const char *const odd[] = {"%s \"%u\"", "%s\\%u", "%s\n\t%u", "7%s.%u", "%s@#%u",
		"\xc3\xa9%s%u", ".%s.%u", "%s$%u", ".%s", "..%s%u"};
	char buf[64];

	if (gen_exotic(g) && rng_chance(&g->r, 15))
		snprintf(buf, sizeof buf, odd[rng_below(&g->r, ARRAY_SIZE(odd))], prefix,
			rng_below(&g->r, 50));
	else
		snprintf(buf, sizeof buf, "%s%u", prefix, rng_below(&g->r, 20));
	return intern_str(&g->p->strs, buf);
}

uint32_t gen_pos(struct gen *g)
{
	struct ir_pos at = {0};

	if (rng_chance(&g->r, 40))
		return 0;
	at.file = intern_str(&g->p->strs, rng_chance(&g->r, 80) ? "made.c" : "a b.h");
	at.line = 1 + rng_below(&g->r, 40);
	at.col = rng_below(&g->r, 3);
	if (rng_chance(&g->r, 70))
		at.func = gen_str(g, "fn");
	if (rng_chance(&g->r, 20))
		at.inlined_at = rng_below(&g->r, g->p->positions.n);
	return ir_add_pos(g->p, at);
}

uint32_t gen_reg(struct gen *g, ir_type t)
{
	struct ir_reg r = {.type = t};

	if (rng_chance(&g->r, 30)) {
		r.name = gen_str(g, "v");
		r.dtype = rng_below(&g->r, g->p->dtypes.n);
	}
	vec_push(&g->f->regs, r);
	return g->f->regs.n - 1;
}

uint32_t gen_block(struct gen *g)
{
	(void)vec_add(&g->blocks);
	return g->blocks.n - 1;
}

struct ir_insn *gen_emit(struct gen *g, struct ir_insn in)
{
	in.pos = gen_pos(g);
	g->budget--;
	vec_push(&g->blocks.at[g->cur].insns, in);
	return &vec_last(&g->blocks.at[g->cur].insns);
}

ir_ref gen_add_const(struct ir_func *f, struct ir_const c)
{
	vec_each (&f->consts, i) {
		const struct ir_const *k = &f->consts.at[i];

		if (k->kind == c.kind && k->type == c.type && k->id == c.id && k->lo == c.lo &&
			k->hi == c.hi)
			return IR_CONST_BIT | i;
	}
	vec_push(&f->consts, c);
	return IR_CONST_BIT | (f->consts.n - 1);
}

ir_ref gen_value(struct gen *g, struct ir_insn in)
{
	in.dst = gen_reg(g, in.type);
	gen_emit(g, in);
	vec_push(&g->pool, in.dst);
	return in.dst;
}

uint32_t gen_edge(struct gen *g, uint32_t to)
{
	vec_push(&g->f->edges, (struct ir_edge){.to = to, .copies = g->f->extra.n});
	return g->f->edges.n - 1;
}

/* only while the edge's copies are the last words of extra */
void gen_copy(struct gen *g, uint32_t edge, uint32_t dst, ir_ref src)
{
	vec_push(&g->f->extra, dst);
	vec_push(&g->f->extra, src);
	g->f->edges.at[edge].ncopies++;
}

static void branch(struct gen *g, uint32_t edge)
{
	gen_emit(g, (struct ir_insn){.op = IR_BR, .dst = IR_NONE, .arg = {edge}});
}

/* ---- control flow ------------------------------------------------------------------------ */

static void statements(struct gen *g, uint32_t n);

/* The current block goes on to `join`, copying some value into each register of the list. */
static void go_on(struct gen *g, uint32_t join, const struct vec_u32 *phis)
{
	struct vec_u32 src = {0};
	uint32_t e;

	vec_each (phis, i) {
		ir_ref r = gen_operand(g, g->f->regs.at[phis->at[i]].type);

		vec_push(&src, r);
	}
	e = gen_edge(g, join);
	vec_each (phis, i)
		gen_copy(g, e, phis->at[i], src.at[i]);
	branch(g, e);
	vec_release(&src);
}

static struct vec_u32 new_phis(struct gen *g)
{
	struct vec_u32 phis = {0};

	for (uint32_t n = rng_below(&g->r, 4); n > 0; n--)
		vec_push(&phis, gen_reg(g, gen_type(g)));
	return phis;
}

static void start_block(struct gen *g, uint32_t b, const struct vec_u32 *phis)
{
	g->cur = b;
	for (uint32_t i = 0; phis && i < phis->n; i++)
		vec_push(&g->pool, phis->at[i]);
}

/* one arm of a branch: a block of its own that ends in the join */
static void arm(struct gen *g, uint32_t block, uint32_t join, const struct vec_u32 *phis)
{
	uint32_t pool = g->pool.n, objects = g->objects.n;

	start_block(g, block, NULL);
	statements(g, rng_below(&g->r, 4));
	go_on(g, join, phis);
	g->pool.n = pool;
	g->objects.n = objects;
}

static void gen_if(struct gen *g)
{
	struct vec_u32 phis = new_phis(g);
	ir_ref cond = gen_operand(g, 1);
	uint32_t yes = gen_block(g), no = gen_block(g), join = gen_block(g);
	uint32_t e1 = gen_edge(g, yes), e2 = gen_edge(g, no);

	gen_emit(g, (struct ir_insn){.op = IR_CBR, .dst = IR_NONE, .arg = {cond, e1, e2}});
	arm(g, yes, join, &phis);
	arm(g, no, join, &phis);
	start_block(g, join, &phis);
	vec_release(&phis);
}

static void gen_switch(struct gen *g)
{
	struct vec_u32 phis = new_phis(g), list = {0};
	ir_type t = 3 + (ir_type)rng_below(&g->r, 62);
	ir_ref on = gen_operand(g, t);
	uint32_t n = rng_below(&g->r, 5), join = gen_block(g), step = 1 + rng_below(&g->r, 100),
		 first;

	for (uint32_t i = 0; i <= n; i++) {
		uint32_t b = gen_block(g);

		if (i)
			vec_push(&list, gen_int(g, t, t < 9 ? i : (uint64_t)i * step - 2));
		vec_push(&list, gen_edge(g, b));
	}
	first = g->f->extra.n;
	vec_each (&list, i)
		vec_push(&g->f->extra, list.at[i]);
	gen_emit(g, (struct ir_insn){.op = IR_SWITCH, .type2 = t, .dst = IR_NONE,
		.arg = {on, first, n}});
	for (uint32_t i = 0; i <= n; i++)
		arm(g, g->f->edges.at[list.at[2 * i]].to, join, &phis);
	start_block(g, join, &phis);
	vec_release(&list);
	vec_release(&phis);
}

/* a computed goto: one of two blocks, by a condition */
static void gen_ibr(struct gen *g)
{
	struct vec_u32 phis = new_phis(g);
	uint32_t a = gen_block(g), b = gen_block(g), join = gen_block(g), first;
	ir_ref cond = gen_operand(g, 1), pick;
	uint32_t e1 = gen_edge(g, a), e2 = gen_edge(g, b);

	pick = gen_value(g, (struct ir_insn){.op = IR_SELECT, .type = IR_PTR,
		.arg = {cond, gen_address(g, IR_C_BLOCK, g->func, a),
			gen_address(g, IR_C_BLOCK, g->func, b)}});
	g->pool.n--; /* its address is nobody's business */
	first = g->f->extra.n;
	vec_push(&g->f->extra, e1);
	vec_push(&g->f->extra, e2);
	gen_emit(g, (struct ir_insn){.op = IR_IBR, .dst = IR_NONE, .arg = {pick, first, 2}});
	arm(g, a, join, &phis);
	arm(g, b, join, &phis);
	start_block(g, join, &phis);
	vec_release(&phis);
}

/* for (i = 0; i < k; i++), tested at the top or at the bottom; the phis come round */
static void gen_loop(struct gen *g)
{
	struct vec_u32 phis = new_phis(g);
	uint32_t i = gen_reg(g, 32), head = gen_block(g), body = gen_block(g), exit = gen_block(g);
	uint32_t pool, objects, e1, e2;
	ir_ref next, more;
	struct vec_u32 src = {0};

	vec_each (&phis, k) {
		ir_ref r = gen_operand(g, g->f->regs.at[phis.at[k]].type);

		vec_push(&src, r);
	}
	more = gen_int(g, 32, 0);
	e1 = gen_edge(g, head);
	gen_copy(g, e1, i, more);
	vec_each (&phis, k)
		gen_copy(g, e1, phis.at[k], src.at[k]);
	branch(g, e1);
	start_block(g, head, &phis);
	vec_push(&g->pool, i);
	more = gen_value(g, (struct ir_insn){.op = IR_ULT, .type = 1, .type2 = 32,
		.arg = {i, gen_int(g, 32, 1 + rng_below(&g->r, 4))}});
	e1 = gen_edge(g, body);
	e2 = gen_edge(g, exit);
	gen_emit(g, (struct ir_insn){.op = IR_CBR, .dst = IR_NONE, .arg = {more, e1, e2}});
	pool = g->pool.n;
	objects = g->objects.n;
	g->loop_depth++;
	start_block(g, body, NULL);
	statements(g, 1 + rng_below(&g->r, 3));
	next = gen_value(
		g, (struct ir_insn){.op = IR_ADD, .type = 32, .arg = {i, gen_int(g, 32, 1)}});
	vec_each (&phis, k)
		src.at[k] = gen_operand(g, g->f->regs.at[phis.at[k]].type);
	e1 = gen_edge(g, head);
	for (uint32_t k = phis.n; k-- > 0;)
		gen_copy(g, e1, phis.at[k], src.at[k]);
	gen_copy(g, e1, i, next);
	branch(g, e1);
	g->loop_depth--;
	g->pool.n = pool;
	g->objects.n = objects;
	start_block(g, exit, NULL);
	vec_release(&src);
	vec_release(&phis);
}

static void statements(struct gen *g, uint32_t n)
{
	for (; n > 0; n--) {
		uint32_t kind = rng_below(&g->r, 12);

		if (g->budget < 0 || kind < 7 || g->loop_depth > 2) {
			for (uint32_t k = 1 + rng_below(&g->r, 5); k > 0; k--) {
				gen_step(g);
				if (gen_exotic(g))
					gen_exotic_step(g);
			}
		} else if (kind < 9) {
			gen_if(g);
		} else if (kind < 10) {
			gen_switch(g);
		} else if (kind < 11) {
			gen_loop(g);
		} else {
			gen_ibr(g);
		}
	}
}

/* ---- functions --------------------------------------------------------------------------- */

/* an object of GEN_OBJECT bytes, zeroed, since the function's start */
static void add_local(struct gen *g)
{
	struct ir_local l = {.size = GEN_OBJECT, .align = 16, .pos = gen_pos(g)};
	ir_ref at, count = gen_int(g, 64, 1), len = gen_int(g, 64, GEN_OBJECT);
	bool in_bytes = rng_chance(&g->r, 30);

	if (rng_chance(&g->r, 60)) {
		l.name = gen_str(g, "local");
		l.dtype = rng_below(&g->r, g->p->dtypes.n);
	}
	if (in_bytes) {
		l.size = 1;
		count = gen_int(g, rng_chance(&g->r, 50) ? 32 : 64, GEN_OBJECT);
	}
	vec_push(&g->f->locals, l);
	at = gen_value(g, (struct ir_insn){.op = IR_ALLOCA, .type = IR_PTR, .arg = {count},
		.imm = g->f->locals.n - 1});
	g->pool.n--;
	vec_push(&g->objects, at);
	gen_emit(g, (struct ir_insn){.op = IR_MEMSET, .dst = IR_NONE,
		.arg = {at, gen_int(g, 8, rng_below(&g->r, 256)), len}});
}

static void flatten(struct gen *g)
{
	vec_each (&g->blocks, b) {
		struct gen_block *blk = &g->blocks.at[b];

		vec_push(&g->f->blocks, (struct ir_block){g->f->insns.n, blk->insns.n});
		vec_each (&blk->insns, i)
			vec_push(&g->f->insns, blk->insns.at[i]);
		vec_release(&blk->insns);
	}
	vec_clear(&g->blocks);
}

static void emit_ret(struct gen *g)
{
	struct vec_u32 vals = {0};
	uint32_t first;

	for (uint32_t i = 0; i < g->f->nret; i++) {
		ir_ref r = gen_operand(g, g->f->ret[i]);

		vec_push(&vals, r);
	}
	first = g->f->extra.n;
	vec_each (&vals, i)
		vec_push(&g->f->extra, vals.at[i]);
	gen_emit(
		g, (struct ir_insn){.op = IR_RET, .dst = IR_NONE, .arg = {IR_NONE, first, vals.n}});
	vec_release(&vals);
}

/* main: the checksum of the pool into @checksum and out */
static void emit_checksum(struct gen *g)
{
	uint32_t n = g->pool.n, first;
	ir_ref sum = gen_int(g, 64, 17), out;

	for (uint32_t i = n - MIN(n, 40u); i < n; i++) {
		ir_ref v = gen_to_i64(g, g->pool.at[i]);

		sum = gen_value(g, (struct ir_insn){.op = IR_MUL, .type = 64,
			.arg = {sum, gen_int(g, 64, 0x9e3779b97f4a7c15u)}});
		sum = gen_value(g, (struct ir_insn){.op = IR_XOR, .type = 64, .arg = {sum, v}});
	}
	gen_emit(g, (struct ir_insn){.op = IR_STORE, .type2 = 64, .dst = IR_NONE,
		.arg = {gen_address(g, IR_C_GLOBAL, g->checksum, 0), sum}, .imm = 8});
	sum = gen_value(
		g, (struct ir_insn){.op = IR_LSHR, .type = 64, .arg = {sum, gen_int(g, 64, 57)}});
	out = gen_value(g, (struct ir_insn){.op = IR_TRUNC, .type = 32, .type2 = 64, .arg = {sum}});
	first = g->f->extra.n;
	vec_push(&g->f->extra, out);
	gen_emit(g, (struct ir_insn){.op = IR_RET, .dst = IR_NONE, .arg = {IR_NONE, first, 1}});
}

static void make_body(struct gen *g, uint32_t func, uint32_t size)
{
	g->func = func;
	g->f = &g->p->funcs.at[func];
	g->budget = (int)size;
	g->calls = g->loop_depth = 0;
	vec_clear(&g->pool);
	vec_clear(&g->objects);
	for (uint32_t i = 0; i < g->f->nparams; i++) {
		uint32_t r = gen_reg(g, g->f->params[i].type);

		if (g->f->params[i].type != IR_PTR)
			vec_push(&g->pool, r);
		else if (func)
			vec_push(&g->objects, r);
	}
	g->cur = gen_block(g);
	add_local(g);
	add_local(g);
	do
		statements(g, 2 + rng_below(&g->r, 4));
	while (g->budget > 0);
	if (func)
		emit_ret(g);
	else
		emit_checksum(g);
	flatten(g);
}

/* main, then functions of any signature, then two leafs of (i64) -> i64 */
static void declare(struct gen *g, uint32_t func, uint32_t n)
{
	struct ir_func *f = vec_add(&g->p->funcs);
	struct ir_param params[5] = {{.type = 32}, {.type = IR_PTR}};
	ir_type ret[3] = {32};
	bool leaf = func + 2 >= n && func;
	char name[24];

	snprintf(name, sizeof name, func ? "work%u" : "main", func);
	f->name = intern_str(&g->p->strs, name);
	f->pos = gen_pos(g);
	f->nparams = func ? rng_below(&g->r, 5) : 2;
	f->nret = func ? rng_below(&g->r, 3) : 1;
	if (func && !leaf && rng_chance(&g->r, 50))
		f->flags |= IR_FN_LOCAL;
	if (leaf) {
		f->nparams = f->nret = 1;
		params[0].type = ret[0] = 64;
	} else if (func) {
		for (uint32_t i = 0; i < f->nparams; i++) {
			params[i] = (struct ir_param){
				.type = rng_chance(&g->r, 25) ? IR_PTR : gen_type(g)};
			if (params[i].type == IR_PTR && rng_chance(&g->r, 50))
				params[i].byval = GEN_OBJECT;
		}
		for (uint32_t i = 0; i < f->nret; i++)
			ret[i] = gen_type(g);
	}
	f->params = arena_memdup(&g->p->arena, params, f->nparams * sizeof *params);
	f->ret = arena_memdup(&g->p->arena, ret, f->nret * sizeof *ret);
	if (!(f->flags & IR_FN_LOCAL))
		*map_put(&g->p->func_by_name, f->name) = func;
}

/* ---- data -------------------------------------------------------------------------------- */

static struct ir_global *add_global(struct gen *g, const char *name, uint64_t size, uint32_t flags)
{
	struct ir_global *gl = vec_add(&g->p->globals);

	gl->name = intern_str(&g->p->strs, name);
	gl->size = size;
	gl->align = 16;
	gl->flags = flags;
	gl->pos = gen_pos(g);
	gl->dtype = rng_below(&g->r, g->p->dtypes.n);
	if (!(flags & IR_G_LOCAL))
		*map_put(&g->p->global_by_name, gl->name) = g->p->globals.n - 1;
	return gl;
}

static void add_data(struct gen *g, uint32_t nfuncs)
{
	struct ir_global *gl;
	char name[24];

	g->checksum = g->p->globals.n;
	add_global(g, "checksum", 8, 0);
	g->data = g->p->globals.n;
	g->ndata = 2 + rng_below(&g->r, 3);
	for (uint32_t i = 0; i < g->ndata; i++) {
		snprintf(name, sizeof name, "data%u", i);
		gl = add_global(g, name, GEN_OBJECT,
			(rng_chance(&g->r, 30) ? IR_G_LOCAL : 0) | (i == 1 ? IR_G_TLS : 0));
		if (rng_chance(&g->r, 40))
			continue;
		gl->init = arena_alloc(&g->p->arena, GEN_OBJECT);
		for (uint32_t k = rng_below(&g->r, 30); k < GEN_OBJECT; k++)
			gl->init[k] = (uint8_t)(rng_chance(&g->r, 50) ? 'a' + rng_below(&g->r, 26)
								      : rng_below(&g->r, 256));
	}
	g->table = g->p->globals.n;
	gl = add_global(g, "table", 32, IR_G_CONST | IR_G_LOCAL);
	for (uint32_t i = 0; i < 4; i++)
		vec_push(&gl->relocs, (struct ir_reloc){.offset = 8 * i, .kind = IR_C_GLOBAL,
			/* not the thread-local one */
			.id = g->data + (rng_chance(&g->r, 50) || g->ndata == 2 ? 0 : 2)});
	g->leafs = nfuncs - 2;
	g->leaf_table = g->p->globals.n;
	gl = add_global(g, "leaf_table", 16, IR_G_CONST);
	for (uint32_t i = 0; i < 2; i++)
		vec_push(&gl->relocs, (struct ir_reloc){.offset = 8 * i, .kind = IR_C_FUNC,
			.id = g->leafs + i});
}

struct ir_program *gen_ir(uint64_t seed, uint32_t size, unsigned flags)
{
	struct gen g = {.r = rng_seed(seed), .p = ir_program_new(), .flags = flags};
	uint32_t nfuncs = 3 + rng_below(&g.r, 4);
	struct ir_program *p = g.p;

	for (uint32_t i = rng_below(&g.r, 4); i > 0; i--) {
		struct ir_dtype d = {.kind = IR_D_BASE, .name = gen_str(&g, "type"), .size = 4};

		vec_push(&p->dtypes, d);
	}
	if (flags & GEN_IR_EXOTIC)
		gen_exotic_types(&g);
	for (uint32_t i = 0; i < nfuncs; i++)
		declare(&g, i, nfuncs);
	add_data(&g, nfuncs);
	if (flags & GEN_IR_EXOTIC)
		gen_exotic_symbols(&g);
	for (uint32_t i = 0; i < nfuncs; i++)
		make_body(&g, i, size);
	if (flags & GEN_IR_EXOTIC)
		gen_exotic_notes(&g);
	vec_release(&g.blocks);
	vec_release(&g.pool);
	vec_release(&g.objects);
	return p;
}
