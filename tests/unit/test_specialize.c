/* specialization: a random program, specialized for what it did, does the same; shapes of the paper */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "gen_ir.h"
#include "gen_start.h"
#include "ir/text.h"
#include "ir/validate.h"
#include "machine/exec.h"
#include "machine/machine.h"
#include "specialize/specialize.h"

/* ---- a schedule from a run --------------------------------------------------------------- */

struct open_frame { /* a frame of the run that is a frame of the schedule */
	uint32_t depth, id;
	bool pending; /* its last instruction is the call of its last synchronization */
};

struct recorder {
	const struct ir_program *p;
	uint32_t
		every; /* calls of these functions are true synchronizations: number % every == 1 */
	bool *may;     /* by function: it may synchronize */
	struct spec_schedule s;
	VEC(struct open_frame) open;
};

static bool is_true_sync(const struct recorder *r, uint32_t func)
{
	return func % r->every == 1 && func != ir_find_func(r->p, "main");
}

/* Some stores and atomic updates synchronize, also in loops. Every indirect call may synchronize:
 * what it calls is seen when it is executed. */
static bool is_sync(void *ctx, uint32_t func, uint32_t insn)
{
	const struct recorder *r = ctx;
	const struct ir_func *f = &r->p->funcs.at[func];
	enum ir_shape shape = ir_ops[f->insns.at[insn].op].shape;
	uint32_t callee = ir_callee(f, &f->insns.at[insn]);

	if (shape == IR_S_STORE || shape == IR_S_RMW)
		return insn % r->every == 0;
	if (shape != IR_S_CALL)
		return false;
	return callee == IR_NONE || is_true_sync(r, callee) || r->may[callee];
}

static void find_may_sync(struct recorder *r)
{
	bool changed = true;

	r->may = xcalloc(r->p->funcs.n + 1, sizeof *r->may);
	while (changed) {
		changed = false;
		vec_each (&r->p->funcs, f)
			vec_each (&r->p->funcs.at[f].insns, i)
				if (!r->may[f] && is_sync(r, f, i))
					changed = r->may[f] = true;
	}
}

static void open_frame(struct recorder *r, uint32_t depth, uint32_t func)
{
	vec_push(&r->open, (struct open_frame){depth, r->s.frames.n, false});
	vec_push(&r->s.frames, (struct spec_frame){.func = func});
}

static void observe(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct recorder *r = ctx;
	uint32_t depth = t->frames.n, func = top(t)->func, pc = top(t)->pc;
	struct open_frame *o;

	(void)m;
	while (r->open.n && vec_last(&r->open).depth > depth)
		r->open.n--;
	if (!r->open.n) {
		if (func != ir_find_func(r->p, "main") || r->s.threads.n)
			return;
		vec_push(&r->s.threads, r->s.frames.n);
		open_frame(r, depth, func);
	}
	o = &vec_last(&r->open);
	if (depth == o->depth + 1 && o->pending) {
		o->pending = false;
		if (is_true_sync(r, func) || !r->may[func])
			return;
		vec_last(&r->s.frames.at[o->id].syncs).frame = r->s.frames.n;
		open_frame(r, depth, func);
		o = &vec_last(&r->open);
	}
	if (depth != o->depth)
		return;
	o->pending = in->op == IR_CALL && is_sync(r, func, pc);
	if (is_sync(r, func, pc))
		vec_push(&r->s.frames.at[o->id].syncs,
			(struct spec_sync){.insn = pc, .frame = IR_NONE, .thread = IR_NONE});
	if (in->op == IR_RET)
		r->s.frames.at[o->id].returns = true;
}

static struct exec_result run(const struct ir_program *p, struct recorder *r)
{
	struct exec_options opt = {.slow = r != NULL, .max_instructions = 50000000};
	struct exec_result res;
	char *argv[] = {(char *)"test", NULL};

	if (r) {
		opt.observe = observe;
		opt.observe_ctx = r;
	}
	assert_int_equal(exec_run(p, 1, argv, &opt, &res), 0);
	return res;
}

/* ---- random programs --------------------------------------------------------------------- */

/* The number of synchronizations; 0 if the program has too many of them. */
static uint32_t compare(uint64_t seed, uint32_t size)
{
	enum { MAX_SYNCS = 2000 };
	struct ir_program *p = gen_ir(seed, size, 0), *q = gen_ir(seed, size, 0);
	struct recorder r = {.p = p, .every = 2 + (uint32_t)(seed % 3)};
	struct exec_result a, b;
	uint32_t n = 0;

	find_may_sync(&r);
	gen_start(p);
	r.may = xrealloc(r.may, (p->funcs.n + 1) * sizeof *r.may);
	for (uint32_t i = q->funcs.n; i < p->funcs.n; i++)
		r.may[i] = false;
	a = run(p, &r);
	vec_each (&r.s.frames, i)
		n += r.s.frames.at[i].syncs.n;
	if (n <= MAX_SYNCS) {
		r.p = q;
		assert_int_equal(specialize_program(q, &r.s, is_sync, &r), 0);
		if (ir_validate(q))
			fail_msg("seed %lu size %u: not valid", seed, size);
		gen_start(q);
		b = run(q, NULL);
		if (a.fate != EXEC_EXITED || b.fate != EXEC_EXITED || a.status != b.status)
			fail_msg("seed %lu size %u, %u synchronizations: %d/%d, specialized "
				 "%d/%d\n%s",
				seed, size, n, a.fate, a.status, b.fate, b.status,
				b.report.s ? b.report.s : "");
		exec_result_release(&b);
	}
	exec_result_release(&a);
	spec_schedule_release(&r.s);
	vec_release(&r.open);
	free(r.may);
	ir_program_free(p);
	ir_program_free(q);
	return n <= MAX_SYNCS ? n : 0;
}

static void random_programs(void **state)
{
	uint32_t with_syncs = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++)
		with_syncs += compare(seed, 5 + (uint32_t)(seed * 37 % 120)) > 1;
	assert_true(with_syncs > 150);
}

/* ---- shapes of the paper ----------------------------------------------------------------- */

static bool is_sync_named(void *ctx, uint32_t func, uint32_t insn)
{
	const struct ir_program *p = ctx;
	uint32_t callee = ir_callee(&p->funcs.at[func], &p->funcs.at[func].insns.at[insn]);

	return callee != IR_NONE && ir_func_name(p, callee)[0] == 's';
}

static struct ir_program *specialize_text(const char *text, const uint32_t *syncs, uint32_t n)
{
	struct ir_program *p = ir_parse("test.ir", text, strlen(text));
	struct spec_schedule s = {0};
	struct spec_frame f = {.returns = true};

	assert_non_null(p);
	f.func = ir_find_func(p, "main");
	for (uint32_t i = 0; i < n; i++)
		vec_push(&f.syncs,
			(struct spec_sync){.insn = syncs[i], .frame = IR_NONE, .thread = IR_NONE});
	vec_push(&s.frames, f);
	vec_push(&s.threads, 0);
	if (specialize_program(p, &s, is_sync_named, p)) {
		ir_program_free(p);
		p = NULL;
	}
	spec_schedule_release(&s);
	if (p)
		assert_int_equal(ir_validate(p), 0);
	return p;
}

static void expect_text(const char *text, const uint32_t *syncs, uint32_t n, const char *want)
{
	struct ir_program *p = specialize_text(text, syncs, n);
	struct strbuf b = {0};

	assert_non_null(p);
	ir_print_func(&b, p, ir_find_func(p, "main"), false);
	assert_string_equal(b.s, want);
	strbuf_release(&b);
	ir_program_free(p);
}

/* A loop one of whose two ways synchronizes, once in this schedule. Before and after it the loop
 * goes the other way as often as it likes. */
static const char figure5a[] = "heddle-ir 1\n"
			       "extern func @s1()\nextern func @s2()\nextern func @s3()\n"
			       "extern func @c() -> i1\n"
			       "func @main() {\n"
			       "b0:\n\tcall @s1()\n\tbr b1\n"
			       "b1:\n\t%r0:i1 = call @c()\n\tcbr %r0, b2, b4\n"
			       "b2:\n\t%r1:i1 = call @c()\n\tcbr %r1, b3, b1\n"
			       "b3:\n\tcall @s2()\n\tbr b1\n"
			       "b4:\n\tcall @s3()\n\tret\n}\n";

static void ambiguous_paths(void **state)
{
	static const uint32_t syncs[] = {0, 6, 8};

	(void)state;
	expect_text(figure5a, syncs, 3,
		"func @main() {\n"
		"b0:\n\tcall @s1()\n\tbr b1\n"
		"b1:\n\tbr b2\n"
		"b2:\n\t%r0:i1 = call @c()\n\tcbr %r0, b3, b10\n"
		"b3:\n\t%r1:i1 = call @c()\n\tcbr %r1, b4, b2\n"
		"b4:\n\tcall @s2()\n\tbr b5\n"
		"b5:\n\tbr b6\n"
		"b6:\n\t%r2:i1 = call @c()\n\tcbr %r2, b7, b8\n"
		"b7:\n\t%r3:i1 = call @c()\n\tcbr %r3, b10, b6\n"
		"b8:\n\tcall @s3()\n\tbr b9\n"
		"b9:\n\tret\n"
		"b10:\n\ttrap\n\tunreachable\n}\n");
}

/* Figure 7: the edge from s2 back to the statement l is no part of the segment from s1 to s2. */
static void edge_after_synchronization(void **state)
{
	static const uint32_t syncs[] = {0, 4, 6};

	(void)state;
	expect_text("heddle-ir 1\n"
		    "extern func @s1()\nextern func @s2()\nextern func @s3()\n"
		    "extern func @l() -> i1\n"
		    "func @main() {\n"
		    "b0:\n\tcall @s1()\n\tbr b1\n"
		    "b1:\n\t%r0:i1 = call @l()\n\tbr b2\n"
		    "b2:\n\tcall @s2()\n\tcbr %r0, b1, b3\n"
		    "b3:\n\tcall @s3()\n\tret\n}\n",
		syncs, 3,
		"func @main() {\n"
		"b0:\n\tcall @s1()\n\tbr b1\n"
		"b1:\n\tbr b2\n"
		"b2:\n\t%r0:i1 = call @l()\n\tbr b3\n"
		"b3:\n\tcall @s2()\n\tbr b4\n"
		"b4:\n\tcbr %r0, b7, b5\n"
		"b5:\n\tcall @s3()\n\tbr b6\n"
		"b6:\n\tret\n"
		"b7:\n\ttrap\n\tunreachable\n}\n");
}

static void keep_message(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
}

/* s3 before s2: no path. */
static void impossible_schedule(void **state)
{
	static const uint32_t syncs[] = {0, 8, 6};
	struct strbuf said = {0};

	(void)state;
	diag_set_sink(keep_message, &said);
	assert_null(specialize_text(figure5a, syncs, 3));
	diag_set_sink(NULL, NULL);
	assert_non_null(
		strstr(said.s, "cannot specialize 'main': no path from its synchronization 2"));
	strbuf_release(&said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(ambiguous_paths),
		cmocka_unit_test(edge_after_synchronization),
		cmocka_unit_test(impossible_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
