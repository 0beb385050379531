/*
 * Adds outer frames that the user left out (paper 001, 2.2). If exactly one call in threads of that
 * kind leads to the outermost given function, the caller of that call is the next frame, and so on
 * until there are several calls or the outermost function of the thread is reached. The facts use
 * these frames like the given ones; an execution state that is made of the context does not have
 * them.
 */
#include "context/context_internal.h"

#include "base/bitset.h"
#include "base/vec.h"

/* Can the function be entered in another way than by a call of the program? */
static bool has_other_entry(const struct context *c, uint32_t func)
{
	const struct ir_program *p = c->p;

	vec_each (&p->ctors, i)
		if (p->ctors.at[i].func == func)
			return true;
	vec_each (&p->dtors, i)
		if (p->dtors.at[i].func == func)
			return true;
	return points_to_outside(c->pt, points_to_of_func(c->pt, func)) ||
	       c->code.callbacks[func].n || c->code.recursive[func];
}

/* The number of calls that lead to it in such a thread; *from is one of them. */
static uint32_t count_callers(
	const struct context *c, uint32_t func, bool is_main, struct site *from)
{
	const struct code *k = &c->code;
	uint32_t n = 0;

	for (uint32_t i = k->calls.caller_at[func]; i < k->calls.caller_at[func + 1]; i++) {
		const struct call_site *s = &k->calls.sites.at[k->calls.callers[i]];

		if (!code_known(k, s->func) ||
			!bitset_has(is_main ? &k->mains : &k->threads, s->func))
			continue;
		*from = (struct site){s->func, s->insn};
		n++;
	}
	return n;
}

static void prepend_frame(struct context_thread *t, struct site at)
{
	vec_push(&t->stack, (struct context_place){0});
	for (uint32_t i = t->stack.n - 1; i > 0; i--)
		t->stack.at[i] = t->stack.at[i - 1];
	t->stack.at[0] = (struct context_place){at.func, at.insn};
}

static uint32_t add_outer_frames(struct context *c, struct context_thread *t)
{
	uint32_t main_ = ir_find_func(c->p, "main"), hidden = 0, n;
	struct site from = {IR_NONE, IR_NONE};

	while (!t->complete) {
		uint32_t func = t->stack.at[0].func;

		if (has_other_entry(c, func))
			break;
		n = count_callers(c, func, !t->id, &from);
		if (n + (t->id ? c->code.starts[func].n != 0 : func == main_) != 1)
			break;
		if (!n) {
			t->complete = true;
			break;
		}
		prepend_frame(t, from);
		hidden++;
	}
	return hidden;
}

void outer_frames_init(struct context *c)
{
	vec_each (&c->threads, i) {
		vec_push(&c->complete, c->threads.at[i].complete);
		vec_push(&c->hidden, add_outer_frames(c, &c->threads.at[i]));
	}
}
