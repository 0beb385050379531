#include "specialize/specialize_internal.h"

#include "base/base.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

/* The copy of a function for one frame: see specialize.h. */

struct param { /* a register that the edges into a block of the copy define */
	uint32_t reg;
	uint32_t old; /* register of the original: the value that reaches the block's start */
	bool phi;     /* the original's edges define it, too: the value is their copy */
};

struct part { /* a block of the copy */
	uint32_t node;
	uint32_t segment;
	VEC(uint32_t) preds;
	VEC(struct param) params;
};

struct origin { /* of an edge of the copy */
	uint32_t part;
	uint32_t edge; /* of the original, or IR_NONE */
};

struct label { /* the k-th label of a computed goto, to be compared */
	uint32_t part, insn, k;
};

struct copy {
	const struct ir_func *f;
	const struct spec_frame *fr;
	const struct nodes *n;
	const struct spec_copy *to;
	struct ir_func *out;
	VEC(struct part) parts;
	VEC(struct origin) origins; /* by edge of the copy */
	VEC(struct label) labels;
	struct map part_of;   /* segment, node -> part + 1 */
	struct map defs;      /* part, old register -> new register + 1: defined in the part */
	struct map at_start;  /* part, old register -> new reference + 1: its value at the start */
	uint32_t *first_edge; /* by block of the original: an edge into it, or IR_NONE */
	bool stuck;           /* some edge leads to the trap */
};

static uint64_t pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static uint32_t part_of(const struct copy *c, uint32_t segment, uint32_t node)
{
	return (uint32_t)map_get_or(&c->part_of, pair(segment, node), 0) - 1;
}

static uint32_t new_reg(struct copy *c, uint32_t old)
{
	vec_push(&c->out->regs, c->f->regs.at[old]);
	return c->out->regs.n - 1;
}

/* ---- parts ------------------------------------------------------------------------------- */

static void add_parts(struct copy *c, uint32_t segment, const struct bitset *in, uint32_t start)
{
	/* the start comes first, so that the entry is block 0 */
	*map_put(&c->part_of, pair(segment, start)) = c->parts.n + 1;
	vec_push(&c->parts, (struct part){.node = start, .segment = segment});
	bitset_each (in, i) {
		if (i == start)
			continue;
		*map_put(&c->part_of, pair(segment, i)) = c->parts.n + 1;
		vec_push(&c->parts, (struct part){.node = i, .segment = segment});
	}
}

/* The segments of the frame; the text of an error, or NULL. */
static char *find_parts(struct copy *c)
{
	uint32_t start = c->n->of_block[0], target;
	struct bitset in = {0};

	for (uint32_t i = 0; i <= c->fr->syncs.n; i++) {
		target = IR_NONE;
		if (i < c->fr->syncs.n) {
			target = nodes_of_sync(c->n, c->fr->syncs.at[i].insn);
			if (target == IR_NONE)
				return xasprintf("instruction %u does not synchronize",
					c->fr->syncs.at[i].insn);
		}
		bitset_clear(&in);
		nodes_segment(c->n, c->f, start, target, c->fr->returns, &in);
		if (!bitset_has(&in, start)) {
			bitset_release(&in);
			return xasprintf("no path from its synchronization %u to the next one", i);
		}
		add_parts(c, i, &in, start);
		start = target + 1; /* the rest of the block is the next node */
	}
	bitset_release(&in);
	return NULL;
}

/* The part to which the edge leads; IR_NONE: the schedule does not go on there. */
static uint32_t target_part(const struct copy *c, const struct part *p, uint32_t edge)
{
	return part_of(c, p->segment, c->n->of_block[c->f->edges.at[edge].to]);
}

/* The part after a synchronization. */
static uint32_t next_part(const struct copy *c, const struct part *p)
{
	return part_of(c, p->segment + 1, p->node + 1);
}

static void find_preds(struct copy *c)
{
	vec_each (&c->parts, i) {
		const struct part *p = &c->parts.at[i];
		const struct node *n = &c->n->at.at[p->node];
		const struct ir_insn *t = &c->f->insns.at[n->end - 1];

		if (n->sync) {
			vec_push(&c->parts.at[next_part(c, p)].preds, i);
			continue;
		}
		for (uint32_t k = 0, m = ir_insn_nedges(t); k < m; k++) {
			uint32_t to = target_part(c, p, ir_insn_edge(c->f, t, k));

			if (to != IR_NONE)
				vec_push(&c->parts.at[to].preds, i);
		}
	}
}

/* ---- registers --------------------------------------------------------------------------- */

/* Gives each definition of each part its register. */
static void define_registers(struct copy *c)
{
	for (uint32_t i = 0; i < c->f->nparams; i++)
		new_reg(c, i);
	vec_each (&c->parts, i) {
		const struct node *n = &c->n->at.at[c->parts.at[i].node];
		uint32_t e = c->n->of_block[n->block] == c->parts.at[i].node
				     ? c->first_edge[n->block]
				     : IR_NONE;

		for (uint32_t k = 0; e != IR_NONE && k < c->f->edges.at[e].ncopies; k++) {
			uint32_t old = c->f->extra.at[c->f->edges.at[e].copies + 2 * k];
			uint32_t reg = new_reg(c, old);

			*map_put(&c->defs, pair(i, old)) = reg + 1;
			vec_push(&c->parts.at[i].params, (struct param){reg, old, true});
		}
		for (uint32_t k = n->first; k < n->end; k++) {
			const struct ir_insn *in = &c->f->insns.at[k];
			uint32_t m = in->dst == IR_NONE ? 0 : ir_insn_ndst(in);

			for (uint32_t d = 0; d < m; d++)
				*map_put(&c->defs, pair(i, in->dst + d)) =
					new_reg(c, in->dst + d) + 1;
		}
	}
}

static ir_ref add_undef(struct copy *c, ir_type t)
{
	vec_push(&c->out->consts, (struct ir_const){.kind = IR_C_UNDEF, .type = t});
	return IR_CONST_BIT | (c->out->consts.n - 1);
}

/* The value at the start of a part that does not have exactly one predecessor. */
static ir_ref merge_value(struct copy *c, uint32_t part, uint32_t old)
{
	uint32_t reg;

	if (part == 0)
		return old < c->f->nparams ? old : add_undef(c, c->f->regs.at[old].type);
	reg = new_reg(c, old);
	vec_push(&c->parts.at[part].params, (struct param){reg, old, false});
	return reg;
}

/* The value of an original's register at the end of a part. It follows single predecessors, which
 * are long chains in a long schedule, without recursion. */
static ir_ref value_at_end(struct copy *c, uint32_t part, uint32_t old)
{
	VEC(uint32_t) path = {0};
	ir_ref r;

	for (;;) {
		uint64_t def = map_get_or(&c->defs, pair(part, old), 0);

		if (!def)
			def = map_get_or(&c->at_start, pair(part, old), 0);
		if (def) {
			r = (ir_ref)(def - 1);
			break;
		}
		vec_push(&path, part);
		if (part == 0 || c->parts.at[part].preds.n != 1) {
			r = merge_value(c, part, old);
			break;
		}
		part = c->parts.at[part].preds.at[0];
	}
	vec_each (&path, i)
		*map_put(&c->at_start, pair(path.at[i], old)) = (uint64_t)r + 1;
	vec_release(&path);
	return r;
}

/* The operand in the copy. Constants have the same numbers. */
static ir_ref use(struct copy *c, uint32_t part, ir_ref r)
{
	return r == IR_NONE || !ir_is_reg(r) ? r : value_at_end(c, part, r);
}

/* ---- instructions ------------------------------------------------------------------------ */

/* Copies words of extra[]; every step-th is a reference. */
static uint32_t copy_words(struct copy *c, uint32_t part, uint32_t first, uint32_t n, uint32_t step)
{
	VEC(uint32_t) words = {0};
	uint32_t at;

	for (uint32_t i = 0; i < n * step; i++) {
		uint32_t w = c->f->extra.at[first + i];

		vec_push(&words, i % step ? w : use(c, part, w));
	}
	at = c->out->extra.n;
	vec_each (&words, i)
		vec_push(&c->out->extra, words.at[i]);
	vec_release(&words);
	return at;
}

static void copy_insn(struct copy *c, uint32_t part, uint32_t insn)
{
	const struct ir_note *n = ir_note(c->f, insn);
	struct ir_insn in = c->f->insns.at[insn];

	for (unsigned i = 0; i < 3; i++)
		if (ir_insn_arg_type(&in, i))
			in.arg[i] = use(c, part, in.arg[i]);
	if (in.op == IR_CALL)
		in.arg[1] = copy_words(c, part, in.arg[1], in.arg[2], 2);
	else if (in.op == IR_ASM || in.op == IR_RET)
		in.arg[1] = copy_words(c, part, in.arg[1], in.arg[2], 1);
	if (in.dst != IR_NONE)
		in.dst = (uint32_t)*map_get(&c->defs, pair(part, in.dst)) - 1;
	if (n) {
		struct ir_note copy = *n;

		copy.insn = c->out->insns.n;
		vec_push(&c->out->notes, copy);
	}
	vec_push(&c->out->insns, in);
}

/* ---- edges ------------------------------------------------------------------------------- */

/* An edge without copies: fill_edges() adds them when all parameters of the parts are known. `to` is
 * a part or IR_NONE; old is the edge of the original, IR_NONE behind a synchronization. */
static uint32_t add_edge(struct copy *c, uint32_t part, uint32_t to, uint32_t old)
{
	if (to == IR_NONE) {
		c->stuck = true;
		to = c->parts.n; /* the trap */
	}
	vec_push(&c->out->edges, (struct ir_edge){.to = to});
	vec_push(&c->origins, (struct origin){part, old});
	return c->out->edges.n - 1;
}

static struct ir_insn *add_insn(struct copy *c, enum ir_op op, uint32_t pos)
{
	vec_push(&c->out->insns, (struct ir_insn){.op = (uint8_t)op,
					 .dst = IR_NONE,
					 .arg = {IR_NONE, IR_NONE, IR_NONE},
					 .pos = pos});
	return &vec_last(&c->out->insns);
}

static void end_block(struct copy *c, uint32_t begin)
{
	vec_push(&c->out->blocks, (struct ir_block){begin, c->out->insns.n - begin});
}

/* The k-th comparison of a computed goto: labels are those of the original, whose addresses the
 * program has. The next comparison has a block of its own behind the trap. */
static void compare_label(struct copy *c, struct label l)
{
	const struct ir_insn *in = &c->f->insns.at[l.insn];
	uint32_t old = ir_insn_edge(c->f, in, l.k), then, other, reg;
	struct ir_const k = {.kind = IR_C_BLOCK, .type = IR_PTR, .id = c->fr->func};
	ir_ref address = use(c, l.part, in->arg[0]);
	struct ir_insn *cmp, *br;

	k.lo = c->f->edges.at[old].to;
	vec_push(&c->out->consts, k);
	vec_push(&c->out->regs, (struct ir_reg){.type = 1});
	reg = c->out->regs.n - 1;
	then = add_edge(c, l.part, target_part(c, &c->parts.at[l.part], old), old);
	other = add_edge(c, l.part, IR_NONE, IR_NONE);
	if (++l.k < in->arg[2]) {
		c->out->edges.at[other].to = c->parts.n + 1 + c->labels.n;
		vec_push(&c->labels, l);
	}
	cmp = add_insn(c, IR_EQ, in->pos);
	cmp->type = 1;
	cmp->type2 = IR_PTR;
	cmp->dst = reg;
	cmp->arg[0] = address;
	cmp->arg[1] = IR_CONST_BIT | (c->out->consts.n - 1);
	br = add_insn(c, IR_CBR, in->pos);
	br->arg[0] = reg;
	br->arg[1] = then;
	br->arg[2] = other;
}

static void copy_switch(struct copy *c, uint32_t part, uint32_t insn, uint32_t first)
{
	struct ir_insn in = c->f->insns.at[insn];
	uint32_t from = in.arg[1];

	in.arg[0] = use(c, part, in.arg[0]);
	in.arg[1] = c->out->extra.n;
	vec_push(&c->out->extra, first);
	for (uint32_t k = 1; k <= in.arg[2]; k++) {
		vec_push(&c->out->extra, c->f->extra.at[from + 2 * k - 1]);
		vec_push(&c->out->extra, first + k);
	}
	vec_push(&c->out->insns, in);
}

static void copy_terminator(struct copy *c, uint32_t part, uint32_t insn)
{
	struct ir_insn in = c->f->insns.at[insn];
	uint32_t n = ir_insn_nedges(&in), first = c->out->edges.n;

	if (!n && in.op != IR_IBR) {
		copy_insn(c, part, insn);
		return;
	}
	if (in.op == IR_IBR && n) {
		compare_label(c, (struct label){part, insn, 0});
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t old = ir_insn_edge(c->f, &in, k);

		add_edge(c, part, target_part(c, &c->parts.at[part], old), old);
	}
	if (in.op == IR_SWITCH) {
		copy_switch(c, part, insn, first);
		return;
	}
	if (in.op == IR_CBR) {
		in.arg[0] = use(c, part, in.arg[0]);
		in.arg[1] = first;
		in.arg[2] = first + 1;
	} else if (in.op == IR_BR) {
		in.arg[0] = first;
	} else { /* a computed goto without labels */
		in = (struct ir_insn){.op = IR_UNREACHABLE, .dst = IR_NONE, .pos = in.pos};
	}
	vec_push(&c->out->insns, in);
}

static ir_ref add_func(struct copy *c, uint32_t func)
{
	vec_push(&c->out->consts, (struct ir_const){.kind = IR_C_FUNC, .type = IR_PTR, .id = func});
	return IR_CONST_BIT | (c->out->consts.n - 1);
}

/* The copy `to` instead of the function `from`, which the reference should be. A pointer is compared:
 * for another input it may lead elsewhere. */
static ir_ref choose_copy(struct copy *c, ir_ref r, uint32_t from, uint32_t to, uint32_t pos)
{
	ir_ref old = add_func(c, from), new = add_func(c, to);
	struct ir_insn *in;
	uint32_t cond;

	if (ir_is_const(r))
		return ir_func_of(c->out, r) == from ? new : r;
	vec_push(&c->out->regs, (struct ir_reg){.type = 1});
	cond = c->out->regs.n - 1;
	in = add_insn(c, IR_EQ, pos);
	in->type = 1;
	in->type2 = IR_PTR;
	in->dst = cond;
	in->arg[0] = r;
	in->arg[1] = old;
	vec_push(&c->out->regs, (struct ir_reg){.type = IR_PTR});
	in = add_insn(c, IR_SELECT, pos);
	in->type = IR_PTR;
	in->dst = c->out->regs.n - 1;
	in->arg[0] = cond;
	in->arg[1] = new;
	in->arg[2] = r;
	return in->dst;
}

/* The synchronization at the end of a part, with the function that it calls or starts. */
static void copy_sync(struct copy *c, uint32_t part, uint32_t insn)
{
	uint32_t sync = c->parts.at[part].segment;
	const struct spec_sync *s = &c->fr->syncs.at[sync];
	const struct ir_insn *in = &c->f->insns.at[insn];
	bool call = s->frame != IR_NONE;
	ir_ref r;

	if (c->to[sync].func == IR_NONE || in->op != IR_CALL || (!call && s->start >= in->arg[2])) {
		copy_insn(c, part, insn);
		return;
	}
	r = use(c, part, call ? in->arg[0] : c->f->extra.at[in->arg[1] + 2 * s->start]);
	r = choose_copy(c, r, c->to[sync].original, c->to[sync].func, in->pos);
	copy_insn(c, part, insn);
	if (call)
		vec_last(&c->out->insns).arg[0] = r;
	else
		c->out->extra.at[vec_last(&c->out->insns).arg[1] + 2 * s->start] = r;
}

static void copy_part(struct copy *c, uint32_t part)
{
	const struct node *n = &c->n->at.at[c->parts.at[part].node];
	uint32_t begin = c->out->insns.n, pos = c->f->insns.at[n->end - 1].pos, edge;

	for (uint32_t i = n->first; i + 1 < n->end; i++)
		copy_insn(c, part, i);
	if (n->sync) {
		copy_sync(c, part, n->end - 1);
		edge = add_edge(c, part, next_part(c, &c->parts.at[part]), IR_NONE);
		add_insn(c, IR_BR, pos)->arg[0] = edge;
	} else {
		copy_terminator(c, part, n->end - 1);
	}
	end_block(c, begin);
}

/* The trap, if an edge leads to it, and the comparisons of computed gotos. */
static void add_other_blocks(struct copy *c)
{
	uint32_t begin = c->out->insns.n;

	if (!c->stuck)
		return;
	add_insn(c, IR_TRAP, 0);
	add_insn(c, IR_UNREACHABLE, 0);
	end_block(c, begin);
	for (uint32_t i = 0; i < c->labels.n; i++) {
		begin = c->out->insns.n;
		compare_label(c, c->labels.at[i]);
		end_block(c, begin);
	}
}

/* The source that the original's edge copies into the register. */
static ir_ref source_of(const struct copy *c, uint32_t edge, uint32_t old)
{
	const struct ir_edge *e = &c->f->edges.at[edge];

	for (uint32_t i = 0; i < e->ncopies; i++)
		if (c->f->extra.at[e->copies + 2 * i] == old)
			return c->f->extra.at[e->copies + 2 * i + 1];
	BUG("an edge without a copy into register %u", old);
}

/* What the edge copies into the parameter of its target. */
static ir_ref source(struct copy *c, struct origin from, struct param pm)
{
	return pm.phi ? use(c, from.part, source_of(c, from.edge, pm.old))
		      : value_at_end(c, from.part, pm.old);
}

/* Looks up the sources of the copies of all edges; a source that several definitions reach gives
 * its part a parameter, whose sources are looked up, too. */
static void find_sources(struct copy *c)
{
	uint32_t before;

	do {
		before = c->out->regs.n;
		vec_each (&c->origins, e) {
			struct origin from = c->origins.at[e];
			uint32_t to = c->out->edges.at[e].to;

			for (uint32_t i = 0; to < c->parts.n && i < c->parts.at[to].params.n; i++)
				source(c, from, c->parts.at[to].params.at[i]);
		}
	} while (before != c->out->regs.n);
}

static void fill_edges(struct copy *c)
{
	find_sources(c);
	vec_each (&c->out->edges, e) {
		struct ir_edge *edge = &c->out->edges.at[e];

		edge->copies = c->out->extra.n;
		edge->ncopies = edge->to < c->parts.n ? c->parts.at[edge->to].params.n : 0;
		for (uint32_t i = 0; i < edge->ncopies; i++) {
			struct param pm = c->parts.at[edge->to].params.at[i];

			vec_push(&c->out->extra, pm.reg);
			vec_push(&c->out->extra, source(c, c->origins.at[e], pm));
		}
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

static void find_first_edges(struct copy *c)
{
	c->first_edge = xmalloc((c->f->blocks.n + 1) * sizeof *c->first_edge);
	memset(c->first_edge, 0xff, (c->f->blocks.n + 1) * sizeof *c->first_edge);
	vec_each (&c->f->edges, e)
		if (c->first_edge[c->f->edges.at[e].to] == IR_NONE)
			c->first_edge[c->f->edges.at[e].to] = e;
}

static void copy_tables(struct copy *c)
{
	*c->out = *c->f;
	memset(&c->out->regs, 0, sizeof c->out->regs);
	memset(&c->out->consts, 0, sizeof c->out->consts);
	memset(&c->out->insns, 0, sizeof c->out->insns);
	memset(&c->out->blocks, 0, sizeof c->out->blocks);
	memset(&c->out->edges, 0, sizeof c->out->edges);
	memset(&c->out->locals, 0, sizeof c->out->locals);
	memset(&c->out->extra, 0, sizeof c->out->extra);
	memset(&c->out->notes, 0, sizeof c->out->notes);
	vec_each (&c->f->consts, i)
		vec_push(&c->out->consts, c->f->consts.at[i]);
	vec_each (&c->f->locals, i)
		vec_push(&c->out->locals, c->f->locals.at[i]);
}

char *copy_frame(const struct ir_program *p, const struct spec_frame *fr, const struct nodes *n,
	const struct spec_copy *to, struct ir_func *out)
{
	struct copy c = {.f = &p->funcs.at[fr->func], .fr = fr, .n = n, .to = to, .out = out};
	char *why;

	copy_tables(&c);
	why = find_parts(&c);
	if (!why) {
		find_first_edges(&c);
		find_preds(&c);
		define_registers(&c);
		vec_each (&c.parts, i)
			copy_part(&c, i);
		add_other_blocks(&c);
		fill_edges(&c);
	}
	vec_each (&c.parts, i) {
		vec_release(&c.parts.at[i].preds);
		vec_release(&c.parts.at[i].params);
	}
	vec_release(&c.parts);
	vec_release(&c.origins);
	vec_release(&c.labels);
	map_release(&c.part_of);
	map_release(&c.defs);
	map_release(&c.at_start);
	free(c.first_edge);
	return why;
}
