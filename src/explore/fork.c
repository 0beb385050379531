/* Forks: where a condition has two possible outcomes, the path continues with true, and a state is
 * kept for false. */
#include "explore/explore_internal.h"

#include "base/debug.h"
#include "base/vec.h"
#include "explore/from.h"
#include "machine/code.h"

#include <string.h>

/* Sets the block that the state will execute if the current branch condition has that value. */
static void set_target_block(struct machine *m, struct thread *t, bool truth, struct state *s)
{
	struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	const struct ir_insn *in = &fn->insns.at[frame_insn(f, true)];

	if (f->code->model || ir_ops[in->op].shape != IR_S_CBR)
		return;
	s->func = f->func;
	s->block = fn->edges.at[in->arg[truth ? 1 : 2]].to;
}

static bool explore_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	struct explore *ex = ctx;
	struct snapshot *snap;
	struct state *s;
	bool full;

	if (loops_probe_fork(ex))
		return true;
	ex->stats.forks++;
	/* the machine counts the branches of the program itself */
	full = ex->opt.max_branches && top(t)->code->model && ++m->branches > ex->opt.max_branches;
	if (scripted(ex))
		return path_follow(ex);
	if (ex->opt.max_depth && m->sym->forks > ex->opt.max_depth) {
		ex->over = "the limit of forks on a path (--max-depth)";
		path_interrupt(ex);
		return true;
	}
	if (full) {
		ex->over = "the limit of branches on a path (--max-branches), in a function of the C library";
		path_interrupt(ex);
		return true;
	}
	snap = snapshot_new(machine_save(m));
	s = state_new();
	s->assume = term_not(ex->ts, c);
	path_note_output(ex);
	sleep_copy(&s->sleep, &ex->sleep);
	s->omitted = omitted_keep(ex->omitted);
	set_target_block(m, t, false, s);
	path_keep(ex, s, snap, false);
	LOG(explore, "fork %llu in thread %u after %llu instructions, depth %llu",
		(unsigned long long)ex->stats.forks, t->id, (unsigned long long)m->instructions,
		(unsigned long long)m->sym->forks);
	snapshot_drop(snap);
	path_step(ex, true);
	if (ex->opt.search != EXPLORE_DFS || budget_looks(ex)) {
		ex->suspend = true;
		path_interrupt(ex);
	}
	return true;
}

static void explore_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	(void)m, (void)t;
	if (!loops_probe_fork(ctx))
		explore_reason_add(ctx, *why ? why : "the solver did not decide a query");
}

static enum step explore_invariant(void *ctx, struct machine *m, struct thread *t,
	const char *operation, struct opnd object)
{
	struct explore *ex = ctx;

	if (ex->opt.assume && m->threads.n == 1 &&
		(!strcmp(operation, "pthread_create") || !strcmp(operation, "thrd_create")) &&
		assume_at_creation(ex, t) != STEP_NEXT)
		return STEP_STOP;
	if (!ex->opt.from || !m->sym->lazy)
		return STEP_NEXT;
	return from_invariant(ex->opt.from, m, t, operation, object);
}

static bool explore_callees(void *ctx, uint32_t func, uint32_t insn, struct vec_u32 *out)
{
	struct explore *ex = ctx;

	return ex->opt.from && from_callees(ex->opt.from, func, insn, out);
}

const struct sym_ops explore_sym_ops = {explore_fork, explore_incomplete, explore_invariant,
	explore_callees, NULL};
