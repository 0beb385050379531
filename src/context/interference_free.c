/*
 * Interference-free regions (Effinger-Dean, Boehm et al. 2011; paper 001, 4.4). Let a thread have
 * accessed a location and executed no release operation since: no unlock, no signal, nothing that
 * another thread can wait for. A write by another thread after the access is unordered with it,
 * which is a data race. So in a program without data races the location still has the contents of
 * the access. Acquiring a lock in between makes no difference: it orders earlier operations of
 * other threads, not later ones.
 *
 * An operation of unknown effect counts as a release. Locations that may be written in ways that
 * are not data races are excluded, and so are programs with signal handlers, which write between
 * any two instructions of a thread.
 */
#include "context/context_internal.h"

#include "base/arena.h"
#include "base/bitset.h"
#include "base/vec.h"

#include <string.h>

/* ---- operations ------------------------------------------------------------------------------ */

static bool releases_memory(const struct ir_insn *in)
{
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_BULK: return ir_order(in->flags) != IR_O_NONE || in->flags & IR_F_VOLATILE;
	case IR_S_RMW:
	case IR_S_CAS:
	case IR_S_FENCE:
	case IR_S_ASM: return true;
	default: return false;
	}
}

static bool sync_releases(int sync)
{
	switch (sync) {
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_ALLOC:
	case LOG_S_USER_ASSERT:
	case LOG_S_USER_ASSUME:
	case LOG_S_USER_INPUT: return false;
	default: return true;
	}
}

struct callees {
	const struct context *c;
	bool releases;
};

/* Classifies a library function; functions of the program are classified by their instructions. */
static void classify_callee(void *ctx, uint32_t callee)
{
	struct callees *cs = ctx;
	const struct native *n = &cs->c->code.natives[callee];

	switch (n->call) {
	case CALL_TRACED: break;
	case CALL_PURE: /* fences are pure with respect to memory, but release */
		cs->releases |= strstr(ir_func_name(cs->c->p, callee), "fence") != NULL;
		break;
	case CALL_SYNC: cs->releases |= sync_releases(n->sync); break;
	default: cs->releases = true; break;
	}
}

/* The instruction itself, without the functions of the program that it calls. */
static bool releases_itself(const struct context *c, uint32_t func, uint32_t insn)
{
	const struct ir_insn *in = &code_func(&c->code, func)->insns.at[insn];
	struct callees cs = {c, false};
	uint32_t direct;

	if (in->op != IR_CALL)
		return releases_memory(in);
	direct = code_direct(&c->code, func, insn);
	if (direct != IR_NONE)
		classify_callee(&cs, direct);
	return points_to_callees(c->pt, func, insn, classify_callee, &cs) || cs.releases;
}

static bool function_releases(struct context *c, uint32_t func)
{
	uint8_t *known = &c->regions.funcs[func];
	const struct ir_func *f = code_func(&c->code, func);

	if (!*known) {
		*known = 1;
		for (uint32_t i = 0; i < f->insns.n && *known == 1; i++)
			*known = 1 + releases_itself(c, func, i);
	}
	return *known == 2;
}

bool regions_end(struct context *c, uint32_t func, uint32_t insn)
{
	const struct ir_func *f = code_func(&c->code, func);
	struct bitset called = {0};
	uint8_t *known;
	bool ends;

	if (!c->regions.insns[func])
		c->regions.insns[func] = arena_array(&c->code.arena, uint8_t, f->insns.n + 1);
	known = &c->regions.insns[func][insn];
	if (*known)
		return *known == 2;
	ends = releases_itself(c, func, insn);
	if (!ends && f->insns.at[insn].op == IR_CALL) {
		code_called(&c->code, func, insn, &called);
		bitset_each (&called, g)
			ends = ends || function_releases(c, g);
		bitset_release(&called);
	}
	*known = 1 + ends;
	return ends;
}

bool regions_end_block(struct context *c, uint32_t func, uint32_t block)
{
	struct ir_block b = code_func(&c->code, func)->blocks.at[block];

	for (uint32_t i = b.first; i < b.first + b.n; i++)
		if (regions_end(c, func, i))
			return true;
	return false;
}

/* ---- locations ------------------------------------------------------------------------------- */

/* Is every late write of the location one that is a data race if it is unordered with an access? */
static bool has_only_plain_writes(struct context *c, struct location *l)
{
	vec_each (&c->before.writers, i) {
		struct writer w = c->before.writers.at[i];
		const struct ir_insn *in = &code_func(&c->code, w.func)->insns.at[w.insn];

		if (phase_late(&c->code.phase, w.func, w.insn) &&
			(releases_memory(in) ? writes_location(c, w.func, w.insn, l)
					     : writes_quietly(c, w.func, w.insn, l)))
			return false;
	}
	return true;
}

bool regions_apply(struct context *c, struct location *l)
{
	if (c->opt.races || c->code.phase.handlers)
		return false;
	if (!l->plain)
		l->plain = 1 + has_only_plain_writes(c, l);
	return l->plain == 2;
}

void regions_init(struct context *c)
{
	c->regions.funcs = arena_array(&c->code.arena, uint8_t, c->p->funcs.n + 1);
	c->regions.insns = arena_array(&c->code.arena, uint8_t *, c->p->funcs.n + 1);
}
