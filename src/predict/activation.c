#include "predict/activation.h"

#include "base/base.h"
#include "base/bitset.h"
#include "ir/cdep.h"
#include "ir/cfg.h"
#include "trace/collect.h"

#include <stdlib.h>

struct control { /* of one function */
	struct cfg cfg;
	struct dom postdom;
	struct cdep cdep;
};

void activations_init(struct activations *ac, const struct ctp *c)
{
	*ac = (struct activations){.c = c};
	if (!c->trace || !c->sync)
		return;
	vec_each (&c->threads, t) {
		uint32_t at = CTP_NONE;

		for (uint32_t i = 0; i < trace_nthreads(c->trace); i++)
			if (trace_thread(c->trace, i)->id == c->threads.at[t].id)
				at = i;
		vec_push(&ac->stream, at);
	}
}

void activations_release(struct activations *ac)
{
	map_each (&ac->control, i) {
		struct control *k = (struct control *)(uintptr_t)ac->control.slots[i].val;

		cdep_release(&k->cdep);
		dom_release(&k->postdom);
		cfg_release(&k->cfg);
		free(k);
	}
	map_release(&ac->control);
	vec_release(&ac->stream);
}

/* ---- meeting -------------------------------------------------------------------------------- */

/* innermost first; 0 if it is not known */
static uint32_t call_frames(
	const struct activations *ac, const struct ctp_event *e, const struct stack_entry **out)
{
	uint32_t s = e->thread < ac->stream.n ? ac->stream.at[e->thread] : CTP_NONE;

	if (s == CTP_NONE || !e->stack || s >= ac->c->sync->h.threads.n)
		return 0;
	return stacks_get(&ac->c->sync->h.threads.at[s].stacks, (stack_id){e->stack}, out);
}

bool activations_meet(struct activations *ac, uint32_t a, uint32_t b, struct meeting *out)
{
	const struct ctp_event *x = ctp_at(ac->c, a), *y = ctp_at(ac->c, b);
	const struct stack_entry *p = NULL, *q = NULL;
	uint32_t n = call_frames(ac, x, &p), m = call_frames(ac, y, &q), i = 1;

	if (!n || !m) {
		*out = (struct meeting){x->func, x->insn, y->insn, 0, 0};
		return x->func == y->func;
	}
	if (p[n - 1].func != q[m - 1].func)
		return false;
	while (i < n && i < m && p[n - i].insn == q[m - i].insn &&
		p[n - i - 1].func == q[m - i - 1].func)
		i++;
	*out = (struct meeting){p[n - i].func, p[n - i].insn, q[m - i].insn, n - i, m - i};
	return true;
}

/* ---- control dependence ---------------------------------------------------------------------- */

static const struct control *control_of(
	struct activations *ac, const struct ir_func *f, uint32_t id)
{
	uint64_t *at = map_get(&ac->control, id);
	struct control *k;

	if (at)
		return (const struct control *)(uintptr_t)*at;
	k = xcalloc(1, sizeof *k);
	cfg_init(&k->cfg, f);
	postdom_init(&k->postdom, &k->cfg);
	cdep_init(&k->cdep, &k->cfg, &k->postdom);
	*map_put(&ac->control, id) = map_ptr(k);
	return k;
}

static bool depends_on(const struct control *k, uint32_t block, uint32_t on)
{
	struct vec_u32 work = {0}, edges = {0};
	struct bitset seen = {0};
	bool found = false;

	vec_push(&work, block);
	bitset_add(&seen, block);
	while (work.n && !found) {
		vec_clear(&edges);
		cdep_get(&k->cdep, vec_pop(&work), &edges);
		vec_each (&edges, i) {
			uint32_t from = cfg_source(&k->cfg, edges.at[i]);

			found |= from == on;
			if (bitset_add(&seen, from))
				vec_push(&work, from);
		}
	}
	vec_release(&work);
	vec_release(&edges);
	bitset_release(&seen);
	return found;
}

static bool meeting_decides(struct activations *ac, const struct meeting *m)
{
	const struct ir_program *p = ac->c->trace ? trace_program(ac->c->trace) : NULL;
	const struct ir_func *f;

	if (!p || m->func >= p->funcs.n)
		return !p;
	f = &p->funcs.at[m->func];
	if (m->insn_a >= f->insns.n || m->insn_b >= f->insns.n)
		return false;
	return depends_on(control_of(ac, f, m->func), cfg_block_of(f, m->insn_b),
		cfg_block_of(f, m->insn_a));
}

bool activations_controls(struct activations *ac, uint32_t g, uint32_t e)
{
	struct meeting m;

	return activations_meet(ac, g, e, &m) && !m.depth_a && meeting_decides(ac, &m);
}

bool activations_leads(struct activations *ac, uint32_t g, uint32_t e, uint32_t *at)
{
	const struct ctp_event *x = ctp_at(ac->c, g), *y = ctp_at(ac->c, e);
	const struct stack_entry *q = NULL;
	uint32_t n = call_frames(ac, y, &q);
	struct meeting m = {.func = x->func, .insn_a = x->insn, .insn_b = IR_NONE};

	for (uint32_t i = n; i-- > 0;)
		if (q[i].func == x->func)
			m.insn_b = q[i].insn;
	if (y->func == x->func)
		m.insn_b = y->insn;
	*at = m.insn_b;
	return m.insn_b != IR_NONE && meeting_decides(ac, &m);
}

/* ---- functions that answer a question --------------------------------------------------------- */

static bool ends_with_constant(const struct ir_func *f, uint32_t block)
{
	const struct ir_insn *t = ir_terminator(f, block);

	if (t->op == IR_RET)
		return true;
	for (uint32_t k = 0; k < ir_insn_nedges(t); k++) {
		const struct ir_edge *e = &f->edges.at[ir_insn_edge(f, t, k)];

		for (uint32_t i = 0; i < e->ncopies; i++)
			if (ir_is_const(f->extra.at[e->copies + 2 * i + 1]))
				return true;
	}
	return false;
}

/* What the function returns, or the constant that it carries on, depends on the branch. */
static bool decides_result(struct activations *ac, uint32_t func, uint32_t branch)
{
	const struct ir_func *f = &trace_program(ac->c->trace)->funcs.at[func];
	const struct control *k = control_of(ac, f, func);
	uint32_t on = cfg_block_of(f, branch);

	if (ends_with_constant(f, on))
		return true;
	vec_each (&f->blocks, b)
		if (depends_on(k, b, on) && ends_with_constant(f, b))
			return true;
	return false;
}

struct uses {
	uint32_t reg;
	bool found;
};

static void use_of_register(void *ctx, ir_ref r)
{
	struct uses *u = ctx;

	u->found |= r == u->reg;
}

/* The branch uses the result of the call, directly or by one comparison or conversion. */
static bool branches_on(const struct ir_func *f, const struct ir_insn *branch, uint32_t result)
{
	for (uint32_t steps = 0, reg = result; steps < 4; steps++) {
		struct uses u = {reg, false};
		uint32_t next = IR_NONE;

		ir_insn_each_use(f, branch, use_of_register, &u);
		if (u.found)
			return true;
		vec_each (&f->insns, i) {
			const struct ir_insn *in = &f->insns.at[i];
			enum ir_shape s = ir_ops[in->op].shape;
			struct uses v = {reg, false};

			if (s != IR_S_CMP && s != IR_S_CONV && s != IR_S_BIN && s != IR_S_UN)
				continue;
			ir_insn_each_use(f, in, use_of_register, &v);
			if (v.found)
				next = in->dst;
		}
		if (next == IR_NONE)
			return false;
		reg = next;
	}
	return false;
}

bool activations_answers(struct activations *ac, uint32_t first, uint32_t g, uint32_t e)
{
	const struct ir_program *p = ac->c->trace ? trace_program(ac->c->trace) : NULL;
	uint32_t func = ctp_at(ac->c, g)->func;
	const struct ir_insn *call;
	const struct ir_func *f;
	struct meeting m;

	if (!p || func >= p->funcs.n || !activations_meet(ac, first, e, &m) || !m.depth_a ||
		m.func >= p->funcs.n)
		return false;
	f = &p->funcs.at[m.func];
	if (m.insn_a >= f->insns.n || m.insn_b >= f->insns.n)
		return false;
	call = &f->insns.at[m.insn_a];
	if (call->op != IR_CALL || !ir_insn_ndst(call) || !ir_is_const(call->arg[0]) ||
		ir_const(f, call->arg[0])->kind != IR_C_FUNC ||
		ir_const(f, call->arg[0])->id != func ||
		!decides_result(ac, func, ctp_at(ac->c, g)->insn))
		return false;
	vec_each (&f->blocks, b) {
		const struct ir_insn *t = ir_terminator(f, b);

		if ((t->op == IR_CBR || t->op == IR_SWITCH) && branches_on(f, t, call->dst) &&
			depends_on(control_of(ac, f, m.func), cfg_block_of(f, m.insn_b), b))
			return true;
	}
	return false;
}
