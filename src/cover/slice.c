#include "cover/slice.h"

#include "base/base.h"
#include "base/map.h"
#include "ir/cfg.h"

#include <stdlib.h>

struct live_site { /* loads of one instruction: what they may read, by the points-to analysis */
	uint32_t func, insn;
	uint32_t bytes; /* live bytes that it read; 0 = none are left */
	bool whole;     /* an object as a whole is live, until the start of the path */
	struct memory_set may;
};

enum { MANY_BYTES = 1 << 16 }; /* larger ranges are not kept byte by byte */

struct slicing {
	const struct cover_facts *facts;
	const struct path *p;
	struct slice *out;
	struct map regs;  /* frame << 32 | register: live */
	struct map bytes; /* address -> 1 + index of the live site that read it */
	VEC(struct live_site) sites;
	struct map site_of;        /* func << 32 | insn -> 1 + index in sites */
	VEC(struct extent) wholes; /* large live ranges, live until the start of the path */
	uint32_t reads;            /* of path.reads, those before the current step */
	uint32_t *head; /* by frame: the block of its next statement in the slice, or IR_NONE */
	uint32_t *next; /* by frame: its next step in the trace, or IR_NONE */
	struct bitset inside; /* frames with a statement in the slice */
};

static uint64_t reg_key(uint32_t frame, uint32_t reg)
{
	return (uint64_t)frame << 32 | reg;
}

static const struct ir_func *func_of(const struct slicing *s, const struct trace_step *st)
{
	return &s->facts->p->funcs.at[st->func];
}

/* ---- registers ----------------------------------------------------------------------------------- */

struct use {
	struct slicing *s;
	uint32_t frame;
};

static void make_live(void *ctx, ir_ref r)
{
	struct use *u = ctx;

	if (r != IR_NONE && ir_is_reg(r))
		*map_put(&u->s->regs, reg_key(u->frame, r)) = 1;
}

static bool kill_reg(struct slicing *s, uint32_t frame, uint32_t reg)
{
	return map_del(&s->regs, reg_key(frame, reg));
}

static bool kill_results(struct slicing *s, const struct trace_step *st, const struct ir_insn *in)
{
	bool was = false;

	for (uint32_t i = 0; in->dst != IR_NONE && i < ir_insn_ndst(in); i++)
		was |= kill_reg(s, st->frame, in->dst + i);
	return was;
}

static void use_operands(struct slicing *s, const struct trace_step *st, const struct ir_insn *in)
{
	struct use u = {s, st->frame};

	ir_insn_each_use(func_of(s, st), in, make_live, &u);
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* The site of the load; `at` is the operand with the address. */
static uint32_t site_of(struct slicing *s, uint32_t func, uint32_t insn, ir_ref at)
{
	uint64_t *v = map_put(&s->site_of, (uint64_t)func << 32 | insn);
	struct live_site *site;

	if (*v)
		return (uint32_t)*v - 1;
	site = vec_add(&s->sites);
	*v = s->sites.n;
	site->func = func;
	site->insn = insn;
	memory_set_add(s->facts->pt, func, at, &site->may);
	return s->sites.n - 1;
}

static void read_memory(
	struct slicing *s, const struct trace_step *st, struct extent at, ir_ref operand)
{
	uint32_t k = site_of(s, st->func, st->insn, operand);

	if (at.size > MANY_BYTES) {
		s->sites.at[k].whole = true;
		vec_push(&s->wholes, at);
		return;
	}
	for (uint64_t i = 0; i < at.size; i++) {
		uint64_t *v = map_put(&s->bytes, at.base + i);

		if (*v)
			s->sites.at[*v - 1].bytes--;
		*v = k + 1;
		s->sites.at[k].bytes++;
	}
}

static bool extents_meet(struct extent a, struct extent b)
{
	return a.size == UINT64_MAX || b.size == UINT64_MAX || a.base - b.base < b.size ||
	       b.base - a.base < a.size;
}

/* Whether a live byte is among many: looks at all live bytes. */
static bool any_live(const struct slicing *s, struct extent at)
{
	map_each (&s->bytes, i)
		if (at.size == UINT64_MAX || s->bytes.slots[i].key - at.base < at.size)
			return true;
	return false;
}

/* Whether the write touches live memory. The bytes that it surely writes are not live before it. */
static bool write_memory(struct slicing *s, struct extent at)
{
	bool was = false;

	vec_each (&s->wholes, i)
		was |= extents_meet(s->wholes.at[i], at);
	if (at.size > s->bytes.n || !at.exact)
		return was || any_live(s, at); /* they stay live */
	for (uint64_t i = 0; i < at.size; i++) {
		uint64_t v = map_get_or(&s->bytes, at.base + i, 0);

		if (!v)
			continue;
		was = true;
		s->sites.at[v - 1].bytes--;
		map_del(&s->bytes, at.base + i);
	}
	return was;
}

/* WritesLiveVarBetween() of Figure 3, for memory. */
static bool may_write_live(const struct slicing *s, const struct memory_set *writes)
{
	vec_each (&s->sites, i)
		if ((s->sites.at[i].bytes || s->sites.at[i].whole) &&
			memory_sets_overlap(s->facts->pt, &s->sites.at[i].may, writes))
			return true;
	return false;
}

/* ---- statements ---------------------------------------------------------------------------------- */

/* Adds the step to the slice: it is the next statement that its frame must reach. */
static void take_step(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];

	if (!bitset_add(&s->out->steps, i))
		return;
	s->out->nsteps++;
	s->head[st->frame] = cfg_block_of(func_of(s, st), st->insn);
	bitset_add(&s->inside, st->frame);
}

/* The ways that the branch did not take matter (Figure 3). */
static bool branch_matters(struct slicing *s, const struct trace_step *st, uint32_t edge)
{
	uint32_t block = cfg_block_of(func_of(s, st), st->insn);
	const struct between_ways *w = between_ways(s->facts->between, st->func, block, edge);

	if (s->p->frames.at[st->frame].primitive)
		return true;
	if (s->head[st->frame] != IR_NONE &&
		!between_must(s->facts->between, st->func, block, s->head[st->frame]))
		return true;
	if (w->syncs)
		return true;
	vec_each (&w->copies, i)
		if (map_get(&s->regs, reg_key(st->frame, w->copies.at[i])))
			return true;
	return may_write_live(s, &w->writes);
}

/* The edge that the step took; the first one if several lead to the same block. */
static uint32_t edge_of(const struct slicing *s, const struct trace_step *st, uint32_t next)
{
	const struct ir_func *f = func_of(s, st);
	const struct ir_insn *in = &f->insns.at[st->insn];
	uint32_t insn =
		next == IR_NONE ? s->p->frames.at[st->frame].stop : s->p->steps.at[next].insn;
	uint32_t to = insn == IR_NONE ? IR_NONE : cfg_block_of(f, insn);

	for (uint32_t k = 0; k < ir_insn_nedges(in); k++)
		if (f->edges.at[ir_insn_edge(f, in, k)].to == to)
			return ir_insn_edge(f, in, k);
	return IR_NONE;
}

/* The copies of all edges of the step to the block of its next step. */
static bool take_copies(struct slicing *s, const struct trace_step *st, uint32_t edge)
{
	const struct ir_func *f = func_of(s, st);
	const struct ir_insn *in = &f->insns.at[st->insn];
	struct use u = {s, st->frame};
	struct vec_u32 sources = {0};
	bool any = false;

	for (uint32_t k = 0; k < ir_insn_nedges(in); k++) {
		const struct ir_edge *e = &f->edges.at[ir_insn_edge(f, in, k)];

		for (uint32_t i = 0; e->to == f->edges.at[edge].to && i < e->ncopies; i++)
			if (map_get(&s->regs, reg_key(st->frame, f->extra.at[e->copies + 2 * i])))
				vec_push(&sources, f->extra.at[e->copies + 2 * i + 1]);
	}
	for (uint32_t i = 0; i < f->edges.at[edge].ncopies; i++)
		any |= kill_reg(s, st->frame, f->extra.at[f->edges.at[edge].copies + 2 * i]);
	vec_each (&sources, i)
		make_live(&u, sources.at[i]);
	vec_release(&sources);
	return any;
}

static void slice_branch(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct ir_insn *in = &func_of(s, st)->insns.at[st->insn];
	uint32_t edge = edge_of(s, st, s->next[st->frame]);
	bool copies;

	if (edge == IR_NONE) /* the trace ends at the branch, by its own fault */
		return;
	copies = take_copies(s, st, edge); /* its edge sets something live: it must be reached */
	if (!copies && (ir_insn_nedges(in) < 2 || !branch_matters(s, st, edge)))
		return;
	take_step(s, i);
	use_operands(s, st, in);
}

/* The function returned: what it gives to a live result of its call becomes live. */
static void slice_return(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct trace_frame *fr = &s->p->frames.at[st->frame];
	const struct ir_func *f = func_of(s, st);
	const struct ir_insn *in = &f->insns.at[st->insn], *at;
	struct use u = {s, st->frame};

	if (fr->parent == IR_NONE)
		return;
	at = &s->facts->p->funcs.at[s->p->frames.at[fr->parent].func].insns.at[fr->site];
	for (uint32_t k = 0; at->dst != IR_NONE && k < ir_insn_ndst(at); k++)
		if (kill_reg(s, fr->parent, at->dst + k) && k < in->arg[2]) {
			take_step(s, i);
			make_live(&u, f->extra.at[in->arg[1] + k]);
		}
}

/* The step is in the slice: what it reads beside its own access becomes live. */
static void use_reads(struct slicing *s, uint32_t i)
{
	for (uint32_t k = s->reads; k < s->p->reads.n && s->p->reads.at[k].step == i; k++)
		read_memory(s, &s->p->steps.at[i], s->p->reads.at[k].at, s->p->reads.at[k].operand);
}

/* Arguments that are passed in memory: the copies are made by the call, not by a step. */
static void use_memory_arguments(
	struct slicing *s, const struct trace_step *st, const struct ir_insn *in, uint32_t callee)
{
	const struct ir_func *f = func_of(s, st);
	struct use u = {s, st->frame};

	for (uint32_t k = 0; k < in->arg[2]; k++) {
		ir_ref r = f->extra.at[in->arg[1] + 2 * k];
		bool copied = f->extra.at[in->arg[1] + 2 * k + 1];

		if (copied || k >= s->facts->p->funcs.at[callee].nparams)
			make_live(&u, r);
		if (copied)
			read_memory(s, st, (struct extent){0, UINT64_MAX, false}, r);
	}
}

static void slice_call(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct ir_func *f = func_of(s, st);
	const struct ir_insn *in = &f->insns.at[st->insn];
	const struct trace_step *after = i + 1 < s->p->steps.n ? &s->p->steps.at[i + 1] : NULL;
	uint32_t inner = after && s->p->frames.at[after->frame].call == i ? after->frame : IR_NONE;
	struct use u = {s, st->frame};
	bool live = kill_results(s, st, in);

	if (sync_op(s->facts->so, st->func, st->insn, NULL) != SYNC_OP_NONE) {
		take_step(s, i);
		use_operands(s, st, in);
	}
	if (inner == IR_NONE) {
		if (live) { /* by a builtin, a summary or a stub: it depends on all that it is given */
			take_step(s, i);
			use_operands(s, st, in);
			use_reads(s, i);
		}
		return;
	}
	if (bitset_has(&s->inside, inner)) {
		take_step(s, i);
		make_live(&u, in->arg[0]);
		use_memory_arguments(s, st, in, s->p->frames.at[inner].func);
	}
	for (uint32_t k = 0; k < in->arg[2]; k++)
		if (kill_reg(s, inner, k)) {
			take_step(s, i);
			make_live(&u, f->extra.at[in->arg[1] + 2 * k]);
		}
}

/* A step that writes memory, and may read it: an atomic operation, a store, a block operation. */
static void slice_write(struct slicing *s, uint32_t i, bool reads)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct ir_insn *in = &func_of(s, st)->insns.at[st->insn];
	bool sync = sync_op(s->facts->so, st->func, st->insn, NULL) != SYNC_OP_NONE;
	bool live = kill_results(s, st, in);

	live |= write_memory(s, st->at);
	if (!live && !sync)
		return;
	take_step(s, i);
	use_operands(s, st, in);
	use_reads(s, i);
	if (reads)
		read_memory(s, st, st->at, in->arg[0]);
}

static void slice_load(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct ir_insn *in = &func_of(s, st)->insns.at[st->insn];
	bool sync = sync_op(s->facts->so, st->func, st->insn, NULL) != SYNC_OP_NONE;

	if (!kill_results(s, st, in) && !sync)
		return;
	take_step(s, i);
	use_operands(s, st, in);
	read_memory(s, st, st->at, in->arg[0]);
}

static void slice_step(struct slicing *s, uint32_t i)
{
	const struct trace_step *st = &s->p->steps.at[i];
	const struct ir_insn *in = &func_of(s, st)->insns.at[st->insn];

	while (s->reads && s->p->reads.at[s->reads - 1].step >= i)
		s->reads--;
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: slice_load(s, i); break;
	case IR_S_STORE: slice_write(s, i, false); break;
	case IR_S_RMW:
	case IR_S_CAS: slice_write(s, i, true); break;
	case IR_S_BULK: slice_write(s, i, false); break;
	case IR_S_CALL: slice_call(s, i); break;
	case IR_S_RET: slice_return(s, i); break;
	case IR_S_BR:
	case IR_S_CBR:
	case IR_S_SWITCH:
	case IR_S_IBR: slice_branch(s, i); break;
	default:
		if (kill_results(s, st, in)) {
			take_step(s, i);
			use_operands(s, st, in);
		}
	}
	s->next[st->frame] = i;
}

static bool is_own(const struct slicing *s, const struct trace_step *st)
{
	return !(func_of(s, st)->flags & IR_FN_MODEL);
}

/* The statement that ended the process or stopped the path, if one did, is in the slice: other inputs
 * do not end there. */
static void take_end(struct slicing *s)
{
	const struct path *p = s->p;

	if (p->end == PATH_EPOCH || p->end == PATH_DEADLOCK)
		return;
	for (uint32_t i = p->steps.n; i-- > 0;)
		if (p->steps.at[i].thread == p->last_thread &&
			(p->end != PATH_EXIT || is_own(s, &p->steps.at[i]))) {
			take_step(s, i);
			use_operands(s, &p->steps.at[i],
				&func_of(s, &p->steps.at[i])->insns.at[p->steps.at[i].insn]);
			return;
		}
}

/* A frame that is at a marker or blocked at the end of the epoch must get there. */
static void take_stop(struct slicing *s, uint32_t frame)
{
	const struct trace_frame *f = &s->p->frames.at[frame];

	if (f->stop == IR_NONE)
		return;
	s->head[frame] = cfg_block_of(&s->facts->p->funcs.at[f->func], f->stop);
	bitset_add(&s->inside, frame);
}

bool slice_has_decision(const struct slice *s, const struct path *p, const struct trace_decision *d)
{
	return bitset_has(&s->steps, d->step) || p->frames.at[p->steps.at[d->step].frame].primitive;
}

static void take_conditions(struct slicing *s)
{
	vec_each (&s->p->decisions, i)
		if (slice_has_decision(s->out, s->p, &s->p->decisions.at[i]))
			vec_push(&s->out->conditions, s->p->decisions.at[i].holds);
}

void slice_compute(const struct cover_facts *facts, const struct path *p, struct slice *out)
{
	struct slicing s = {.facts = facts, .p = p, .out = out};

	*out = (struct slice){0};
	s.head = xmalloc((p->frames.n + 1) * sizeof *s.head);
	s.next = xmalloc((p->frames.n + 1) * sizeof *s.next);
	vec_each (&p->frames, i) {
		s.head[i] = s.next[i] = IR_NONE;
		if (p->end == PATH_EPOCH)
			take_stop(&s, i);
	}
	s.reads = p->reads.n;
	take_end(&s);
	for (uint32_t i = p->steps.n; i-- > 0;)
		slice_step(&s, i);
	take_conditions(&s);
	vec_each (&s.sites, i)
		memory_set_release(&s.sites.at[i].may);
	vec_release(&s.sites);
	vec_release(&s.wholes);
	map_release(&s.regs);
	map_release(&s.bytes);
	map_release(&s.site_of);
	bitset_release(&s.inside);
	free(s.head);
	free(s.next);
}

void slice_release(struct slice *s)
{
	bitset_release(&s->steps);
	vec_release(&s->conditions);
}
