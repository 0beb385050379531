#include "base/arena.h"
#include "base/base.h"
#include "machine/extension.h"
#include "machine/translate.h"

#include <string.h>

struct cinsn *tr_emit(struct tr *t, enum cop op, uint32_t ir)
{
	struct cinsn *c = vec_add(&t->out);

	c->op = (uint16_t)op;
	c->ir = ir;
	return c;
}

bool tr_imm(struct tr *t, ir_ref r, uint64_t *v)
{
	const struct ir_const *c;

	if (!ir_is_const(r))
		return false;
	c = ir_const(t->fn, r);
	if (c->kind == IR_C_UNDEF || code_const_is_tls(t->m, c) || ir_type_bits(c->type) > 64)
		return false;
	*v = code_const(t->m, c).lo;
	return true;
}

uint32_t tr_slot(struct tr *t, ir_ref r)
{
	const struct ir_const *c;
	uint32_t *slot;
	struct val v;

	if (ir_is_reg(r))
		return t->code->slot[r];
	slot = &t->const_slot[r & ~IR_CONST_BIT];
	if (*slot)
		return *slot - 1;
	c = ir_const(t->fn, r);
	v = code_const(t->m, c);
	*slot = t->code->const_first + t->const_vals.n + 1;
	if (code_const_is_tls(t->m, c)) {
		vec_push(&t->tls, (struct code_tls){*slot - 1, v.lo});
	}
	vec_push(&t->const_vals, v.lo);
	if (ir_type_bits(c->type) > 64)
		vec_push(&t->const_vals, v.hi);
	return *slot - 1;
}

/* ---- edges ----------------------------------------------------------------------------------- */

struct move {
	uint32_t dst, src;
	uint64_t imm;
	bool is_imm, done;
};

static bool edge_has_undef(const struct tr *t, const struct ir_edge *e)
{
	for (uint32_t i = 0; i < e->ncopies; i++) {
		ir_ref r = t->fn->extra.at[e->copies + 2 * i + 1];

		if (ir_is_const(r) && ir_const(t->fn, r)->kind == IR_C_UNDEF)
			return true;
	}
	return false;
}

static uint32_t collect_moves(struct tr *t, const struct ir_edge *e, struct move *mv)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->ncopies; i++) {
		uint32_t dst = t->fn->extra.at[e->copies + 2 * i];
		ir_ref src = t->fn->extra.at[e->copies + 2 * i + 1];
		uint32_t to = t->code->slot[dst], from;
		bool wide = ir_type_bits(t->fn->regs.at[dst].type) > 64;
		uint64_t imm;

		if (tr_imm(t, src, &imm)) {
			mv[n++] = (struct move){.dst = to, .imm = imm, .is_imm = true};
			continue;
		}
		from = tr_slot(t, src);
		for (uint32_t k = 0; k <= wide; k++)
			if (from != to)
				mv[n++] = (struct move){.dst = to + k, .src = from + k};
	}
	return n;
}

static void emit_move(struct tr *t, const struct move *mv, uint32_t ir)
{
	struct cinsn *c, *last = t->out.n ? &vec_last(&t->out) : NULL;

	if (!mv->is_imm && last && last->op == C_MOV && last->ir == ir && last->aux) {
		last->op = C_MOV2;
		last->b = mv->dst;
		last->c = mv->src;
		return;
	}
	c = tr_emit(t, mv->is_imm ? C_MOVI : C_MOV, ir);
	c->aux = !mv->is_imm; /* may be paired with the next move of this edge */
	c->dst = mv->dst;
	c->a = mv->src;
	c->imm = (int64_t)mv->imm;
}

static bool is_read(const struct move *mv, uint32_t n, uint32_t slot)
{
	for (uint32_t i = 0; i < n; i++)
		if (!mv[i].done && !mv[i].is_imm && mv[i].src == slot)
			return true;
	return false;
}

/* Emits a parallel copy as a sequence: first the moves whose target no other move reads. The rest
 * are cycles, broken by a copy of one target to the temporary slot. Constants come last. */
static void emit_moves(struct tr *t, struct move *mv, uint32_t n, uint32_t ir)
{
	uint32_t left = n;

	while (left) {
		bool moved = false;

		for (uint32_t i = 0; i < n; i++) {
			if (mv[i].done || mv[i].is_imm)
				continue;
			mv[i].done = true; /* so that is_read() ignores the move itself */
			if (is_read(mv, n, mv[i].dst)) {
				mv[i].done = false;
				continue;
			}
			emit_move(t, &mv[i], ir);
			moved = true;
			left--;
		}
		if (moved)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			if (mv[i].done || mv[i].is_imm)
				continue;
			struct move save = {.dst = t->temp, .src = mv[i].dst};
			uint32_t slot = mv[i].dst;

			emit_move(t, &save, ir);
			for (uint32_t k = 0; k < n; k++)
				if (!mv[k].done && !mv[k].is_imm && mv[k].src == slot)
					mv[k].src = t->temp;
			moved = true;
			break;
		}
		if (moved)
			continue;
		for (uint32_t i = 0; i < n; i++)
			if (!mv[i].done) {
				emit_move(t, &mv[i], ir);
				mv[i].done = true;
				left--;
			}
	}
}

static void jump_to(struct tr *t, uint32_t at, uint32_t block, bool in_imm)
{
	vec_push(&t->fixups, (struct tr_jump){at, block, in_imm});
}

static void emit_jump(struct tr *t, uint32_t block, uint32_t ir, uint32_t count)
{
	tr_emit(t, C_JMP, ir)->aux = (uint16_t)count;
	jump_to(t, t->out.n - 1, block, false);
}

static bool is_covered(const struct tr *t)
{
	return t->m->opt->cover && t->m->opt->cover->marks[t->code->func];
}

/* Adds a mark of coverage at the next cinsn. */
static void add_mark(struct tr *t, uint32_t mark, uint32_t from, bool in_imm)
{
	if (is_covered(t))
		vec_push(&t->marks,
			(struct code_mark){
				.at = t->out.n, .mark = mark, .from = from, .in_imm = in_imm});
}

/* Emits the code of an edge: its moves and the jump. */
static void emit_edge(struct tr *t, uint32_t edge, uint32_t ir, uint32_t count)
{
	const struct ir_edge *e = &t->fn->edges.at[edge];
	struct move *mv;
	struct cinsn *c;

	if (edge_has_undef(t, e)) { /* the careful mode sets its mark of coverage */
		c = tr_emit(t, C_EDGE_CAREFUL, ir);
		c->c = edge;
		c->aux = (uint16_t)count;
		return;
	}
	add_mark(t, 1 + edge, IR_NONE, false);
	mv = xcalloc(2 * (size_t)e->ncopies + 1, sizeof *mv);
	emit_moves(t, mv, collect_moves(t, e, mv), ir);
	free(mv);
	emit_jump(t, e->to, ir, count);
}

static bool edge_is_plain(const struct tr *t, uint32_t edge)
{
	return !t->fn->edges.at[edge].ncopies;
}

/* Sets a target of the jump at `at`: the block itself, or code appended here. */
static void emit_target(struct tr *t, uint32_t at, uint32_t edge, bool in_imm)
{
	int32_t distance = (int32_t)(t->out.n - at);
	bool plain = edge_is_plain(t, edge);

	if (plain && !is_covered(t)) {
		jump_to(t, at, t->fn->edges.at[edge].to, in_imm);
		return;
	}
	if (in_imm)
		t->out.at[at].imm = (t->out.at[at].imm & ~0xffffffffll) | (uint32_t)distance;
	else
		t->out.at[at].c = (uint32_t)distance;
	if (plain) {
		add_mark(t, 1 + edge, at, in_imm);
		emit_jump(t, t->fn->edges.at[edge].to, t->out.at[at].ir, 0);
		return;
	}
	emit_edge(t, edge, t->out.at[at].ir, 0);
}

/* ---- terminators ----------------------------------------------------------------------------- */

static uint16_t take_count(struct tr *t)
{
	uint16_t n = (uint16_t)t->counted;

	t->counted = 0;
	return n;
}

static void emit_branch_targets(struct tr *t, uint32_t at, const struct ir_insn *cbr)
{
	emit_target(t, at, cbr->arg[1], false);
	emit_target(t, at, cbr->arg[2], true);
}

struct arm {
	uint64_t value;
	uint32_t edge;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = ((const struct arm *)a)->value, y = ((const struct arm *)b)->value;

	return x < y ? -1 : x > y;
}

static void emit_switch(struct tr *t, const struct ir_insn *in, uint32_t ir)
{
	struct arena *ar = &t->m->arena;
	struct code_switch *sw = arena_new(ar, struct code_switch);
	const uint32_t *x = t->fn->extra.at + in->arg[1];
	uint32_t n = in->arg[2], at;
	struct arm *arms = xcalloc(n + 1, sizeof *arms);
	struct cinsn *c = tr_emit(t, C_SWITCH, ir);

	at = t->out.n - 1;
	c->a = tr_slot(t, in->arg[0]);
	c->aux = take_count(t);
	c->imm = (int64_t)(uintptr_t)sw;
	for (uint32_t i = 0; i < n; i++)
		arms[i] = (struct arm){ir_const(t->fn, x[1 + 2 * i])->lo, x[2 + 2 * i]};
	qsort(arms, n, sizeof *arms, by_value);
	sw->low = n ? arms[0].value : 0;
	sw->dense = n && arms[n - 1].value - sw->low < 4ull * n + 8;
	sw->n = sw->dense ? arms[n - 1].value - sw->low + 1 : n;
	sw->target = arena_array(ar, uint32_t, sw->n + 1);
	sw->value = sw->dense ? NULL : arena_array(ar, uint64_t, sw->n + 1);
	sw->otherwise = t->out.n - at;
	emit_edge(t, x[0], ir, 0);
	for (uint64_t i = 0; i < sw->n; i++)
		sw->target[i] = sw->otherwise;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t k = sw->dense ? arms[i].value - sw->low : i;

		sw->target[k] = t->out.n - at;
		if (!sw->dense)
			sw->value[k] = arms[i].value;
		emit_edge(t, arms[i].edge, ir, 0);
	}
	free(arms);
}

static void emit_ret(struct tr *t, const struct ir_insn *in, uint32_t ir)
{
	ir_ref r = in->arg[2] == 1 ? t->fn->extra.at[in->arg[1]] : IR_NONE;
	bool simple = r != IR_NONE && ir_type_bits(ir_ref_type(t->fn, r)) <= 64 &&
		      !(ir_is_const(r) && ir_const(t->fn, r)->kind == IR_C_UNDEF);
	struct cinsn *c;
	uint32_t a = simple ? tr_slot(t, r) : 0;

	c = tr_emit(t, !in->arg[2] ? C_RET0 : simple ? C_RET1 : C_RETG, ir);
	c->a = a;
	c->aux = take_count(t);
}

static bool uses_undef(const struct tr *t, const struct ir_insn *in);

static void emit_terminator(struct tr *t, uint32_t i)
{
	const struct ir_insn *in = &t->fn->insns.at[i];
	uint32_t at = t->out.n, a;
	struct cinsn *c;

	if (in->op != IR_RET && uses_undef(t, in)) {
		tr_emit(t, C_ENTER_CAREFUL, i)->aux = (uint16_t)(t->counted - 1);
		return;
	}
	switch (in->op) {
	case IR_BR: emit_edge(t, in->arg[0], i, take_count(t)); return;
	case IR_CBR:
		a = tr_slot(t, in->arg[0]);
		c = tr_emit(t, C_CBR, i);
		c->a = a;
		c->aux = take_count(t);
		emit_branch_targets(t, at, in);
		return;
	case IR_SWITCH:
		if (ir_type_bits(in->type2) <= 64) {
			emit_switch(t, in, i);
			return;
		}
		break;
	case IR_RET: emit_ret(t, in, i); return;
	case IR_UNREACHABLE: tr_emit(t, C_GENERIC, i); return;
	default: break;
	}
	/* rare terminators: the careful mode executes and counts them */
	tr_emit(t, C_ENTER_CAREFUL, i)->aux = (uint16_t)(t->counted - 1);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct undef_search {
	const struct ir_func *fn;
	bool found;
};

static void check_undef(void *ctx, ir_ref r)
{
	struct undef_search *x = ctx;

	if (ir_is_const(r) && ir_const(x->fn, r)->kind == IR_C_UNDEF)
		x->found = true;
}

static bool uses_undef(const struct tr *t, const struct ir_insn *in)
{
	struct undef_search x = {t->fn, false};

	ir_insn_each_use(t->fn, in, check_undef, &x);
	return x.found;
}

static bool is_switch_point(const struct tr *t, const struct ir_insn *in)
{
	enum ir_shape s = ir_ops[in->op].shape;

	if (t->code->model || t->m->follow)
		return false;
	if (s == IR_S_RMW || s == IR_S_CAS)
		return true;
	if (s != IR_S_LOAD && s != IR_S_STORE)
		return false;
	return t->m->opt->switches == EXEC_SWITCH_ACCESS || ir_order(in->flags) ||
	       (in->flags & IR_F_VOLATILE);
}

/* Whether the instruction may begin or end variables of the stack that other threads access. */
static bool is_stack_point(const struct tr *t, const struct ir_insn *in)
{
	if (!t->m->opt->lent || t->code->model)
		return false;
	return ir_ops[in->op].shape == IR_S_ALLOCA || in->op == IR_STACKRESTORE ||
	       in->op == IR_LIFE_START || (in->op == IR_RET && t->fn->locals.n);
}

static void emit_block(struct tr *t, uint32_t b)
{
	const struct ir_block *bl = &t->fn->blocks.at[b];
	uint32_t i = bl->first, end = bl->first + bl->n - 1, at, k, hash;

	t->code->block_ip[b] = t->out.n;
	t->counted = 0;
	hash = t->m->follow ? t->m->follow_ops->block_hash(t->m, t->code->func, b) : 0;
	if (hash)
		tr_emit(t, C_FHASH, i)->imm = hash;
	while (i < end) {
		const struct ir_insn *in = &t->fn->insns.at[i];

		if (t->counted > 60000)
			tr_emit(t, C_COUNT, i)->aux = take_count(t);
		if (i + 1 == end && !uses_undef(t, in) && t->fn->insns.at[end].op == IR_CBR &&
			!(t->m->follow && t->m->follow_ops->wants_branches(t->m))) {
			at = t->out.n;
			t->counted += 2;
			if (select_cmp_branch(t, i)) {
				t->out.at[at].aux = take_count(t);
				emit_branch_targets(t, at, &t->fn->insns.at[end]);
				return;
			}
			t->counted -= 2;
		}
		if (is_switch_point(t, in)) {
			uint32_t a = tr_slot(t, in->arg[0]);

			tr_emit(t, C_SWITCH_POINT, i)->a = a;
		}
		if (is_stack_point(t, in))
			tr_emit(t, C_STACK_POINT, i);
		k = 1;
		if (uses_undef(t, in))
			tr_emit(t, C_ENTER_CAREFUL, i)->aux = (uint16_t)t->counted;
		else
			k = select_insn(t, i);
		i += k;
		t->counted += k;
	}
	t->counted++;
	if (t->m->follow && t->m->follow_ops->wants_branches(t->m) &&
		ir_insn_nedges(&t->fn->insns.at[end]) > 1)
		tr_emit(t, C_FBRANCH, end);
	if (is_stack_point(t, &t->fn->insns.at[end]))
		tr_emit(t, C_STACK_POINT, end);
	emit_terminator(t, end);
}

static void patch_jumps(struct tr *t)
{
	vec_each (&t->fixups, i) {
		uint32_t at = t->fixups.at[i].at;
		int32_t d = (int32_t)(t->code->block_ip[t->fixups.at[i].block] - at);

		if (t->fixups.at[i].in_imm)
			t->out.at[at].imm = (t->out.at[at].imm & ~0xffffffffll) | (uint32_t)d;
		else
			t->out.at[at].c = (uint32_t)d;
	}
}

static void place_marks(struct tr *t)
{
	vec_each (&t->marks, i) {
		struct code_mark *k = &t->marks.at[i];

		k->op = t->out.at[k->at].op;
		t->out.at[k->at].op = C_COVER;
	}
	t->code->nmarks = t->marks.n;
	t->code->marks = arena_memdup(&t->m->arena, t->marks.at, t->marks.n * sizeof *t->marks.at);
	vec_release(&t->marks);
}

static void count_use(void *ctx, ir_ref r)
{
	if (ir_is_reg(r))
		((uint32_t *)ctx)[r]++;
}

static void count_uses(struct tr *t)
{
	t->uses = xcalloc(t->fn->regs.n + 1, sizeof *t->uses);
	vec_each (&t->fn->insns, i)
		ir_insn_each_use(t->fn, &t->fn->insns.at[i], count_use, t->uses);
	vec_each (&t->fn->edges, i)
		for (uint32_t k = 0; k < t->fn->edges.at[i].ncopies; k++)
			count_use(t->uses, t->fn->extra.at[t->fn->edges.at[i].copies + 2 * k + 1]);
}

static void assign_slots(struct tr *t)
{
	uint32_t n = 0;

	t->code->slot = arena_array(&t->m->arena, uint32_t, t->fn->regs.n + 1);
	vec_each (&t->fn->regs, r) {
		t->code->slot[r] = n;
		n += ir_type_bits(t->fn->regs.at[r].type) > 64 ? 2 : 1;
	}
	t->temp = n;
	t->code->const_first = n + 1;
}

struct code *translate(struct machine *m, uint32_t func)
{
	struct code *code = arena_new(&m->arena, struct code);
	struct tr t = {.m = m, .fn = &m->p->funcs.at[func], .code = code};
	uint32_t nblocks = t.fn->blocks.n;

	code->func = func;
	code->model = t.fn->flags & IR_FN_MODEL;
	code->block_ip = arena_array(&m->arena, uint32_t, nblocks);
	t.const_slot = xcalloc(t.fn->consts.n + 1, sizeof *t.const_slot);
	assign_slots(&t);
	count_uses(&t);
	add_mark(&t, 0, IR_NONE, false);
	for (uint32_t b = 0; b < nblocks; b++)
		emit_block(&t, b);
	patch_jumps(&t);
	place_marks(&t);
	code->nconst = t.const_vals.n;
	code->const_vals = arena_memdup(&m->arena, t.const_vals.at, t.const_vals.n * 8);
	code->ntls = t.tls.n;
	code->tls = arena_memdup(&m->arena, t.tls.at, t.tls.n * sizeof *t.tls.at);
	code->nslots = code->const_first + code->nconst;
	code->ins = arena_memdup(&m->arena, t.out.at, t.out.n * sizeof *t.out.at);
	code->nins = t.out.n;
	vec_release(&t.out);
	vec_release(&t.fixups);
	vec_release(&t.const_vals);
	vec_release(&t.tls);
	free(t.const_slot);
	free(t.uses);
	return code;
}
