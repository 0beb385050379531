#include "replay/flip.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "replay/failure.h"
#include "replay/words.h"
#include "trace/address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the operand ----------------------------------------------------------------------------- */

enum { MAX_OPERANDS = 8 };

struct look {
	const struct finding_flip *flip;
	const struct ir_program *p;
	uint32_t thread; /* its number in the trace */
	uint64_t insns;  /* instructions that the thread has begun */
	bool reached;
	const struct ir_insn *in;
	const struct ir_func *fn;
	/* Operands that can decide. A copy or a call of native code can have several addresses,
	 * and the finding does not say which of them decides: all are kept. */
	uint64_t values[MAX_OPERANDS];
	uint32_t n;
	uint32_t edges[2]; /* switch: the edge of this run, and the edge of the recorded value */
};

static void add_operand(struct look *l, struct follow *f, ir_ref r)
{
	if (r != IR_NONE && l->n < MAX_OPERANDS)
		l->values[l->n++] = follow_reg(f, r).lo;
}

static uint32_t edge_of(const struct look *l, struct follow *f, uint64_t value)
{
	const uint32_t *ex = l->fn->extra.at + l->in->arg[1];

	for (uint32_t i = 0; i < l->in->arg[2]; i++)
		if (follow_reg(f, ex[1 + 2 * i]).lo == value)
			return ex[2 + 2 * i];
	return ex[0];
}

static void add_call(struct look *l, struct follow *f)
{
	const uint32_t *ex = l->fn->extra.at + l->in->arg[1];

	if (l->flip->kind == FLIP_CALL)
		add_operand(l, f, l->in->arg[0]);
	else
		for (uint32_t i = 0; i < l->in->arg[2]; i++)
			add_operand(l, f, ex[2 * i]);
}

static void add_operands(struct look *l, struct follow *f)
{
	switch (ir_ops[l->in->op].shape) {
	case IR_S_BIN: add_operand(l, f, l->in->arg[1]); break;
	case IR_S_BULK:
		add_operand(l, f, l->in->arg[0]);
		if (l->in->op != IR_MEMSET)
			add_operand(l, f, l->in->arg[1]);
		break;
	case IR_S_CALL: add_call(l, f); break;
	case IR_S_SWITCH:
		add_operand(l, f, l->in->arg[0]);
		l->edges[0] = edge_of(l, f, l->values[0]);
		l->edges[1] = edge_of(l, f, l->flip->value);
		break;
	default: add_operand(l, f, l->in->arg[0]); break;
	}
}

/* The instruction that the thread began last is the branch of the finding. */
static bool is_there(const struct look *l, uint32_t func, uint32_t insn)
{
	return func == l->flip->func && insn == l->flip->insn && l->insns == l->flip->index + 1;
}

static void on_insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn)
{
	struct look *l = ctx;

	if (thread != l->thread)
		return;
	l->insns++;
	if (l->reached || l->flip->kind == FLIP_TRY || !is_there(l, func, insn))
		return;
	l->reached = true;
	l->fn = &l->p->funcs.at[func];
	l->in = &l->fn->insns.at[insn];
	add_operands(l, f);
}

/* If a call has several records, the last one has its result, so later records overwrite. */
static void on_sync(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct look *l = ctx;

	(void)f;
	if (thread != l->thread || l->flip->kind != FLIP_TRY || !is_there(l, e->func, e->insn))
		return;
	l->reached = true;
	l->values[0] = (uint64_t)e->sync->result;
	l->n = 1;
}

/* ---- comparison with the recorded run -------------------------------------------------------- */

/* 1: every address differs from the recorded one; 0: one is the same; -1: not comparable. */
static int address_flipped(const struct trace *t, const struct collected *c, const struct look *l)
{
	bool unsure = !l->n;

	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t at = l->values[i];
		int is;

		if (l->flip->address)
			is = address_is(t, c, l->flip->address, at,
				address_generation(c, l->thread, l->flip->index, at));
		else if (!l->flip->value || !at) /* null is the same in every run */
			is = l->flip->value == at;
		else
			is = -1;
		if (is > 0)
			return 0;
		unsure |= is < 0;
	}
	return unsure ? -1 : 1;
}

static int is_flipped(const struct trace *t, const struct collected *c, const struct look *l)
{
	switch (l->flip->kind) {
	case FLIP_IF:
	case FLIP_ASSERT:
	case FLIP_DIVISOR:
	case FLIP_TRY: return !l->values[0] != !l->flip->value;
	case FLIP_SWITCH: return l->edges[0] != l->edges[1];
	default: return address_flipped(t, c, l);
	}
}

/* ---- one run --------------------------------------------------------------------------------- */

void flip_seen_release(struct flip_seen *s)
{
	strbuf_release(&s->why);
	strbuf_release(&s->fate);
}

static uint32_t find_thread(const struct collected *c, const struct finding *f, uint32_t thread)
{
	const struct finding_thread *t;
	uint32_t parent = UINT32_MAX;

	if (thread >= f->threads.n)
		return UINT32_MAX;
	t = &f->threads.at[thread];
	if (t->parent != UINT32_MAX) {
		parent = t->parent < thread ? find_thread(c, f, t->parent) : UINT32_MAX;
		if (parent == UINT32_MAX)
			return UINT32_MAX;
	}
	return address_thread(c, parent, t->nth);
}

static void say_not_reached(const struct trace *t, const struct look *l, struct strbuf *why)
{
	const struct trace_thread *th = trace_thread(t, l->thread);

	strbuf_adds(why, "the branch was not reached");
	if (th->result.status >= FOLLOW_STOPPED && th->result.reason.n)
		strbuf_addf(why, ", as far as its recording could be re-executed: %s",
			th->result.reason.s);
	else if (l->insns < l->flip->index)
		strbuf_addf(why, ": it executed %" PRIu64 " instructions of %" PRIu64, l->insns,
			l->flip->index);
	else
		strbuf_adds(why, " by the same path");
}

static void look_at(struct trace *t, const struct collected *c, struct look *l,
	struct flip_seen *seen)
{
	struct trace_observer o = {.kinds = FOLLOW_BIT(FOLLOW_SYNC),
		.event = on_sync,
		.insn = on_insn,
		.to_abort = true,
		.ctx = l};
	struct bitset only = {0};
	int flipped;

	bitset_add(&only, l->thread);
	trace_follow(t, &o, &only, 1);
	bitset_release(&only);
	seen->reached = l->reached;
	if (!l->reached) {
		say_not_reached(t, l, &seen->why);
		return;
	}
	seen->value = l->values[0];
	flipped = is_flipped(t, c, l);
	seen->flipped = flipped > 0;
	if (flipped < 0)
		strbuf_adds(&seen->why, "the address cannot be compared with the recorded one");
	else if (!flipped)
		strbuf_adds(&seen->why, "the branch had its recorded outcome");
}

static void look_at_fate(
	const struct finding *f, const struct replay_result *r, struct flip_seen *seen)
{
	const char *words;
	uint32_t kind;

	seen->failed = replay_failed(r);
	if (failure_is(r)) {
		replay_fate(f, r, &seen->fate);
	} else if (replay_misuse(r, &kind, &words)) {
		strbuf_adds(&seen->fate, "used a primitive wrongly: ");
		words_thread(&seen->fate, f, r->out.misuse.thread);
		strbuf_addf(&seen->fate, " %s", words);
	}
}

int flip_look(const struct finding *f, const struct replay_result *r, struct flip_seen *seen)
{
	struct trace *t = r->trace ? trace_open(r->trace) : NULL;
	struct collected c = {0};
	struct look l = {.flip = &f->flip};
	int rc = -1;

	*seen = (struct flip_seen){0};
	look_at_fate(f, r, seen);
	if (t && !collect(&c, t, (uint32_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1))) {
		rc = 0;
		l.p = trace_program(t);
		l.thread = find_thread(&c, f, f->flip.thread);
		if (l.thread == UINT32_MAX)
			strbuf_adds(&seen->why, "the thread was not created");
		else
			look_at(t, &c, &l, seen);
		collect_release(&c);
	}
	trace_close(t);
	return rc;
}

int replay_flip(const struct finding *f, const struct replay_options *opt, const char *dir,
	struct flip_seen *seen)
{
	struct replay_result r = {0};
	struct replay_setup s;
	int rc = replay_setup(&s, f, opt);

	s.opt.quiet = true;
	s.opt.mode = SCHED_STEPS;
	s.opt.trace = dir;
	if (!rc)
		rc = replay_run(&s.opt, f, &r);
	if (!rc)
		rc = flip_look(f, &r, seen);
	replay_result_release(&r);
	replay_setup_release(&s);
	return rc;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_decision(const struct finding *f, const struct flip_seen *seen, struct strbuf *out)
{
	const struct finding_flip *fl = &f->flip;

	if (fl->flipped && fl->recorded)
		strbuf_addf(out, ": %s, not %s", fl->flipped, fl->recorded);
	else if (fl->kind == FLIP_IF || fl->kind == FLIP_ASSERT)
		strbuf_addf(out, ": %s", seen->value ? "true" : "false");
	else if (fl->kind == FLIP_SWITCH || fl->kind == FLIP_DIVISOR)
		strbuf_addf(out, ": %" PRIu64 ", not %" PRIu64, seen->value, fl->value);
}

bool flip_words(const struct finding *f, const struct flip_seen *seen, struct strbuf *out)
{
	if (!seen->flipped) {
		words_thread(out, f, f->flip.thread);
		strbuf_addf(out, ": %s", seen->why.s ? seen->why.s : "");
		if (seen->failed)
			strbuf_addf(out, "; the program %s", seen->fate.s);
		return false;
	}
	words_thread(out, f, f->flip.thread);
	strbuf_adds(out, " executed the branch with another outcome");
	add_decision(f, seen, out);
	if (seen->failed)
		strbuf_addf(out, "; then the program %s", seen->fate.s);
	return true;
}

void flip_classify(struct finding *f, const struct replay_result *r)
{
	struct flip_seen seen = {0};

	look_at_fate(f, r, &seen);
	if (seen.failed) {
		f->flip.class_ = FLIP_BUG;
		free(f->flip.why);
		f->flip.why = xasprintf("the program %s", seen.fate.s);
	}
	flip_seen_release(&seen);
}
