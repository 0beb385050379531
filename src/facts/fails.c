#include "facts/fails.h"

#include "base/base.h"
#include "base/vec.h"
#include "log/effects.h"
#include "log/format.h"

#include <stdlib.h>
#include <string.h>

static bool is_in(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

bool fails_name(const char *name)
{
	static const char *const names[] = {"__assert_fail", "__assert_perror_fail", "__assert",
		"abort", "heddle_assert_failed_", "__heddle_user_assert"};

	return is_in(name, names, ARRAY_SIZE(names));
}

bool asserts_name(const char *name)
{
	return !strncmp(name, "__assert", strlen("__assert"));
}

bool prints_name(const char *name)
{
	static const char *const names[] = {"printf", "fprintf", "dprintf", "vprintf", "vfprintf",
		"vdprintf", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk",
		"__dprintf_chk", "puts", "putchar", "putc", "fputc", "fputs", "_IO_putc",
		"putchar_unlocked", "putc_unlocked", "fputc_unlocked", "fputs_unlocked", "fwrite",
		"fwrite_unlocked", "write", "perror", "fflush", "warn", "warnx", "vwarn", "vwarnx",
		"syslog", "vsyslog"};

	return is_in(name, names, ARRAY_SIZE(names));
}

/* ---- calls that may end the thread without a failure ------------------------------------------ */

static bool starts_with(const char *name, const char *word)
{
	return !strncmp(name, word, strlen(word));
}

/* A function outside of the program: it exits or jumps, or nothing is known of it. */
static bool extern_may_end(const char *name)
{
	struct effects_entry e = effects_find(name);

	switch ((enum effects_kind)e.kind) {
	case EFFECTS_SYNC: return e.number == LOG_S_EXIT || e.number == LOG_S_PROCESS_EXIT;
	case EFFECTS_LONGJMP: return true;
	case EFFECTS_SETJMP: return false;
	case EFFECTS_PURE:
	case EFFECTS_EFFECT: return e.flags & EFFECTS_ENDS;
	case EFFECTS_UNKNOWN: break;
	}
	return !fails_name(name) && !prints_name(name) && !starts_with(name, "heddle_") &&
	       !starts_with(name, "__heddle_") && !starts_with(name, "llvm.");
}

/* The function calls others that its caller gives it. */
static bool calls_back(const struct ir_program *p, uint32_t func)
{
	return !p->funcs.at[func].blocks.n &&
	       effects_find(ir_func_name(p, func)).flags & EFFECTS_CALLS;
}

static bool call_may_end(const struct fails *f, const struct ir_func *fn, const struct ir_insn *in)
{
	uint32_t callee = ir_callee(fn, in);

	if (callee == IR_NONE)
		return f->pointed_ends;
	return f->ends[callee] || (f->pointed_ends && f->calls_back[callee]);
}

/* Any call in the function may, also one that is not reached. */
static bool func_may_end(const struct fails *f, const struct ir_func *fn)
{
	vec_each (&fn->insns, i)
		if (fn->insns.at[i].op == IR_CALL && call_may_end(f, fn, &fn->insns.at[i]))
			return true;
	return false;
}

struct pointing {
	const struct ir_func *fn;
	bool *pointed; /* by function: its address is used for more than a direct call */
};

static void point_at(void *ctx, ir_ref r)
{
	struct pointing *t = ctx;

	if (ir_is_const(r) && ir_const(t->fn, r)->kind == IR_C_FUNC)
		t->pointed[ir_const(t->fn, r)->id] = true;
}

static void find_pointed_in(struct pointing *t)
{
	vec_each (&t->fn->insns, i) {
		const struct ir_insn *in = &t->fn->insns.at[i];

		if (ir_callee(t->fn, in) == IR_NONE)
			ir_insn_each_use(t->fn, in, point_at, t);
		else
			for (uint32_t k = 0; k < in->arg[2]; k++)
				point_at(t, t->fn->extra.at[in->arg[1] + 2 * k]);
	}
	vec_each (&t->fn->edges, e)
		for (uint32_t k = 0; k < t->fn->edges.at[e].ncopies; k++)
			point_at(t, t->fn->extra.at[t->fn->edges.at[e].copies + 2 * k + 1]);
}

static void find_pointed(const struct ir_program *p, bool *pointed)
{
	vec_each (&p->globals, g)
		vec_each (&p->globals.at[g].relocs, i)
			if (p->globals.at[g].relocs.at[i].kind == IR_C_FUNC)
				pointed[p->globals.at[g].relocs.at[i].id] = true;
	vec_each (&p->funcs, f)
		find_pointed_in(&(struct pointing){&p->funcs.at[f], pointed});
}

static void find_ends(struct fails *f)
{
	const struct ir_program *p = f->p;
	bool more = true, *pointed = xcalloc(p->funcs.n + 1, sizeof *pointed);

	find_pointed(p, pointed);
	vec_each (&p->funcs, i) {
		f->ends[i] = p->funcs.at[i].blocks.n ? false : extern_may_end(ir_func_name(p, i));
		f->calls_back[i] = calls_back(p, i);
	}
	while (more) {
		more = false;
		vec_each (&p->funcs, i) {
			if (!f->ends[i] && func_may_end(f, &p->funcs.at[i]))
				more = f->ends[i] = true;
			f->pointed_ends |= pointed[i] && f->ends[i];
		}
	}
	free(pointed);
}

/* ---- blocks that fail ------------------------------------------------------------------------- */

enum { ASKED_NOT, ASKING, FAILS_NOT, FAILS };

enum { DEPTH = 200 }; /* limit of the blocks on a path: code that fails on purpose is short */

static bool block_fails(struct fails *f, const struct ir_func *fn, uint8_t *memo, uint32_t block,
	uint32_t depth);

/* The result for the block as far as the call decides it: FAILS, FAILS_NOT, else ASKED_NOT. */
static int call_fails(const struct fails *f, const struct ir_func *fn, const struct ir_insn *in)
{
	uint32_t callee = ir_callee(fn, in);

	if (callee != IR_NONE && f->func[callee])
		return FAILS;
	if ((in->flags & IR_F_NORETURN) ||
		(callee != IR_NONE && (f->p->funcs.at[callee].flags & IR_FN_NORETURN)) ||
		call_may_end(f, fn, in))
		return FAILS_NOT;
	return ASKED_NOT;
}

static bool scan_block(
	struct fails *f, const struct ir_func *fn, uint8_t *memo, uint32_t block, uint32_t depth)
{
	const struct ir_block *b = &fn->blocks.at[block];
	const struct ir_insn *in = NULL;
	uint32_t n;
	int k;

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		in = &fn->insns.at[i];
		if (in->op == IR_TRAP)
			return true;
		if (in->op == IR_CALL && (k = call_fails(f, fn, in)) != ASKED_NOT)
			return k == FAILS;
	}
	n = in ? ir_insn_nedges(in) : 0;
	for (uint32_t k = 0; k < n; k++)
		if (!block_fails(f, fn, memo, fn->edges.at[ir_insn_edge(fn, in, k)].to,
			    depth + 1))
			return false;
	return n > 0;
}

static bool block_fails(struct fails *f, const struct ir_func *fn, uint8_t *memo, uint32_t block,
	uint32_t depth)
{
	if (memo[block] == ASKING || depth > DEPTH) /* ASKING: a loop, which may not terminate */
		return false;
	if (memo[block] == ASKED_NOT) {
		memo[block] = ASKING;
		memo[block] = scan_block(f, fn, memo, block, depth) ? FAILS : FAILS_NOT;
	}
	return memo[block] == FAILS;
}

static bool func_fails(struct fails *f, uint32_t i)
{
	const struct ir_func *fn = &f->p->funcs.at[i];
	uint8_t *memo;
	bool yes;

	if (!fn->blocks.n)
		return false;
	memo = xcalloc(fn->blocks.n, 1);
	yes = block_fails(f, fn, memo, 0, 0);
	free(memo);
	return yes;
}

void fails_build(struct fails *f, const struct ir_program *p)
{
	bool more = true;

	*f = (struct fails){.p = p,
		.func = xcalloc(p->funcs.n + 1, sizeof *f->func),
		.ends = xcalloc(p->funcs.n + 1, sizeof *f->ends),
		.calls_back = xcalloc(p->funcs.n + 1, sizeof *f->calls_back),
		.blocks = xcalloc(p->funcs.n + 1, sizeof *f->blocks)};
	find_ends(f);
	vec_each (&p->funcs, i)
		f->func[i] = fails_name(ir_func_name(p, i));
	while (more) {
		more = false;
		vec_each (&p->funcs, i)
			if (!f->func[i] && func_fails(f, i))
				more = f->func[i] = true;
	}
}

void fails_release(struct fails *f)
{
	for (uint32_t i = 0; f->p && i < f->p->funcs.n; i++)
		free(f->blocks[i]);
	free(f->blocks);
	free(f->calls_back);
	free(f->ends);
	free(f->func);
}

bool fails_block(struct fails *f, uint32_t func, uint32_t block)
{
	const struct ir_func *fn = &f->p->funcs.at[func];

	if (!f->blocks[func])
		f->blocks[func] = xcalloc(fn->blocks.n + 1, 1);
	return block_fails(f, fn, f->blocks[func], block, 0);
}
