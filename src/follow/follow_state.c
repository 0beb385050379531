/* Re-execution from the middle of a log: frames are made from their logged registers. */
#include "machine/code.h"
#include "follow/follow_internal.h"

/* Reads the head of a LOG_STATE after its tag. False after follow_end(). */
static bool take_head(struct follow *f, struct log_frame *r)
{
	const struct ir_program *p = f->pl->p;

	if (!follow_take(f, (uint8_t *)r + 1, sizeof *r - 1))
		return false;
	if (r->func < p->funcs.n && f->pl->funcs[r->func].traced &&
		(r->insn == LOG_NONE || r->insn < p->funcs.at[r->func].insns.n) &&
		r->nwords <= 2 * p->funcs.at[r->func].regs.n)
		return true;
	follow_end(f, FOLLOW_BAD, "the log has the state of function %u, instruction %u", r->func,
		r->insn);
	return false;
}

/* Skips the state of a frame that exists. */
static bool skip_frame(struct follow *f, const struct frame *fr)
{
	struct log_frame r;
	uint64_t word;
	uint8_t tag;

	if (!follow_take(f, &tag, 1))
		return false;
	if (tag != LOG_STATE) {
		follow_end(
			f, FOLLOW_DIVERGED, "the log has record %u, not the state of a frame", tag);
		return false;
	}
	if (!take_head(f, &r))
		return false;
	/* a segment's state has the hash at its start, without addresses before its first value */
	if (r.func != fr->func || (r.after && r.hash != f->m.log.hash)) {
		follow_end(f, FOLLOW_DIVERGED,
			"the log has the state of another frame (function %u, instruction %u)",
			r.func, r.insn);
		return false;
	}
	for (uint32_t i = 0; i < r.nwords; i++)
		if (!follow_take(f, &word, 8))
			return false;
	return true;
}

enum step follow_skip_state(struct follow *f, const struct frame *fr)
{
	if (!f->whole || fr->pieces == f->pieces)
		return STEP_NEXT;
	return skip_frame(f, fr) ? STEP_NEXT : STEP_STOP;
}

bool follow_skip_segment_state(struct follow *f)
{
	return skip_frame(f, top(f->t));
}

static bool take_registers(struct follow *f, struct frame *fr, const struct log_frame *r)
{
	const struct ir_func *fn = &f->pl->p->funcs.at[r->func];
	struct live live = {0};
	uint32_t words = 0;

	live_build(&live, fn);
	plan_live(fn, &live, r->insn == LOG_NONE ? 0 : r->insn, r->after, &f->live);
	live_release(&live);
	vec_each (&f->live, i) {
		uint32_t reg = f->live.at[i], n = ir_type_bits(fn->regs.at[reg].type) > 64 ? 2 : 1;
		struct opnd o = {0};

		words += n;
		if (words > r->nwords)
			break;
		if (!follow_take(f, &o.v, 8 * n))
			return false;
		frame_set(&f->m, f->t, fr, reg, o);
	}
	if (words == r->nwords)
		return true;
	follow_end(f, FOLLOW_BAD, "the log has %u words of a frame that has %u", r->nwords, words);
	return false;
}

/* The call whose results come after the state in the log, or IR_NONE. */
static uint32_t results_follow(const struct follow *f, const struct log_frame *r, bool native)
{
	const struct plan_insn *pi = f->pl->funcs[r->func].insn;
	uint32_t i = r->after ? r->insn : r->insn - 1;

	if (r->insn == LOG_NONE || i == IR_NONE || !(pi[i].flags & PLAN_F_BREAK))
		return IR_NONE;
	if (pi[i].call == CALL_EFFECT || pi[i].call == CALL_UNKNOWN ||
		(r->after && pi[i].call == CALL_INDIRECT && native))
		return i;
	return IR_NONE;
}

enum step follow_take_state(struct follow *f, bool native)
{
	struct machine *m = &f->m;
	struct log_frame r;
	struct frame *fr;
	struct val first;
	uint32_t call;

	if (!take_head(f, &r))
		return STEP_STOP;
	fr = frame_open(m, f->t, code_get(m, r.func));
	if (!fr)
		return follow_end(f, FOLLOW_DIVERGED, "calls are nested too deeply");
	frame_make_careful(m, f->t, fr, r.insn == LOG_NONE ? 0 : r.insn);
	f->m.log.hash = r.hash;
	fr->pieces = f->pieces;
	fr->alone = true;
	if (!take_registers(f, fr, &r))
		return STEP_STOP;
	if (r.insn == LOG_NONE)
		return follow_take_byval(f, fr, frame_func(m, fr)) ? STEP_JUMPED : STEP_STOP;
	call = results_follow(f, &r, native);
	if (call != IR_NONE && !follow_take_results(f, fr, call, &first))
		return STEP_STOP;
	fr->pc = r.insn + (r.after ? 1 : 0);
	return STEP_JUMPED;
}
