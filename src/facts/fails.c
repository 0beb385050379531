#include "facts/fails.h"

#include "base/base.h"
#include "base/vec.h"

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

enum { ASKED_NOT, ASKING, FAILS_NOT, FAILS };

enum { DEPTH = 200 }; /* limit of the blocks on a path: code that fails on purpose is short */

static bool block_fails(struct fails *f, const struct ir_func *fn, uint8_t *memo, uint32_t block,
	uint32_t depth);

/* The result for the block as far as the call decides it: FAILS, FAILS_NOT, else ASKED_NOT. */
static int call_fails(const struct fails *f, const struct ir_func *fn, const struct ir_insn *in)
{
	uint32_t callee = ir_is_const(in->arg[0]) && ir_const(fn, in->arg[0])->kind == IR_C_FUNC
				  ? ir_const(fn, in->arg[0])->id
				  : IR_NONE;

	if (callee != IR_NONE && f->func[callee])
		return FAILS;
	if ((in->flags & IR_F_NORETURN) ||
		(callee != IR_NONE && (f->p->funcs.at[callee].flags & IR_FN_NORETURN)))
		return FAILS_NOT;
	return ASKED_NOT;
}

static bool scan(struct fails *f, const struct ir_func *fn, uint8_t *memo, uint32_t block,
	uint32_t depth)
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
		memo[block] = scan(f, fn, memo, block, depth) ? FAILS : FAILS_NOT;
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

	*f = (struct fails){p, xcalloc(p->funcs.n + 1, sizeof *f->func),
		xcalloc(p->funcs.n + 1, sizeof *f->blocks)};
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
	free(f->func);
}

bool fails_block(struct fails *f, uint32_t func, uint32_t block)
{
	const struct ir_func *fn = &f->p->funcs.at[func];

	if (!f->blocks[func])
		f->blocks[func] = xcalloc(fn->blocks.n + 1, 1);
	return block_fails(f, fn, f->blocks[func], block, 0);
}
