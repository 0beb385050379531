/*
 * Coverage on random programs: the marks that the fast mode leaves, and those of the careful one,
 * against a twin that watches every instruction of a run; and the tracefile, read back, against
 * lines counted by the twin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/bitset.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "explore/coverage.h"
#include "gen_ir.h"
#include "gen_start.h"
#include "ir/cfg.h"
#include "ir/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the twin ------------------------------------------------------------------------------ */

struct twin_func {
	struct bitset blocks, edges;
	struct bitset doubtful; /* edges beside another one from the same block to the same block */
	bool entered;
};

struct twin {
	const struct ir_program *p;
	struct twin_func *funcs;
	struct map last; /* frame -> instruction before, + 1 */
};

static uint32_t block_at(const struct ir_func *fn, uint32_t insn)
{
	uint32_t b = 0;

	while (insn >= fn->blocks.at[b].first + fn->blocks.at[b].n)
		b++;
	return b;
}

static void came_from(struct twin_func *tf, const struct ir_func *fn, uint32_t insn, uint32_t to)
{
	const struct ir_insn *in = &fn->insns.at[insn];
	uint32_t n = ir_insn_nedges(in), found = 0, edge = IR_NONE;

	if (!ir_op_is_terminator(in->op))
		return;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t e = ir_insn_edge(fn, in, k);

		if (fn->edges.at[e].to == to) {
			edge = e;
			found++;
		}
	}
	assert_int_not_equal(found, 0);
	for (uint32_t k = 0; found > 1 && k < n; k++)
		if (fn->edges.at[ir_insn_edge(fn, in, k)].to == to)
			bitset_add(&tf->doubtful, ir_insn_edge(fn, in, k));
	bitset_add(&tf->edges, edge);
}

static void watch(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct twin *w = ctx;
	const struct frame *f = top(t);
	const struct ir_func *fn = frame_func(m, f);
	struct twin_func *tf = &w->funcs[f->func];
	uint32_t insn = (uint32_t)(in - fn->insns.at), block = block_at(fn, insn);
	uint64_t *last = map_put(&w->last, f->serial);

	if (!*last)
		tf->entered = true;
	else
		came_from(tf, fn, (uint32_t)*last - 1, block);
	bitset_add(&tf->blocks, block);
	*last = insn + 1;
}

static void twin_free(struct twin *w)
{
	vec_each (&w->p->funcs, f) {
		bitset_release(&w->funcs[f].blocks);
		bitset_release(&w->funcs[f].edges);
		bitset_release(&w->funcs[f].doubtful);
	}
	free(w->funcs);
	map_release(&w->last);
}

/* ---- marks --------------------------------------------------------------------------------- */

static void run(const struct ir_program *p, struct exec_options opt)
{
	struct exec_result res;
	char *argv[] = {(char *)"test", NULL};

	opt.max_instructions = 50000000;
	assert_int_equal(exec_run(p, 1, argv, &opt, &res), 0);
	assert_int_equal(res.fate, EXEC_EXITED);
	exec_result_release(&res);
}

static void compare_marks(const struct twin *w, struct coverage *c, const char *mode, uint64_t seed)
{
	uint64_t n = 0;

	vec_each (&w->p->funcs, f) {
		const struct ir_func *fn = &w->p->funcs.at[f];
		const uint8_t *marks = coverage_marks(c)->marks[f];
		const struct twin_func *tf = &w->funcs[f];

		if (fn->flags & IR_FN_EXTERN) {
			assert_null(marks);
			continue;
		}
		n += marks[0];
		if (marks[0] != tf->entered)
			fail_msg("seed %llu, %s mode: entry of function %u: %d, twin %d",
				(unsigned long long)seed, mode, f, marks[0], tf->entered);
		vec_each (&fn->blocks, b)
			if (coverage_has(c, f, b) != bitset_has(&tf->blocks, b))
				fail_msg("seed %llu, %s mode: block %u of function %u: %d, twin %d",
					(unsigned long long)seed, mode, b, f, coverage_has(c, f, b),
					bitset_has(&tf->blocks, b));
		vec_each (&fn->edges, e) {
			n += marks[1 + e];
			if (!bitset_has(&tf->doubtful, e) && marks[1 + e] != bitset_has(&tf->edges, e))
				fail_msg("seed %llu, %s mode: edge %u of function %u: %d, twin %d",
					(unsigned long long)seed, mode, e, f, marks[1 + e],
					bitset_has(&tf->edges, e));
		}
	}
}

static struct twin twin_run(const struct ir_program *p)
{
	struct twin w = {.p = p, .funcs = xcalloc(p->funcs.n, sizeof *w.funcs)};

	run(p, (struct exec_options){.slow = true, .observe = watch, .observe_ctx = &w});
	return w;
}

static struct ir_program *program(uint64_t seed)
{
	struct ir_program *p = gen_ir(seed, 5 + (uint32_t)(seed * 37 % 150), 0);

	gen_start(p);
	assert_int_equal(ir_validate(p), 0);
	return p;
}

static void marks_are_true(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct ir_program *p = program(seed);
		struct twin w = twin_run(p);

		for (int slow = 0; slow < 2; slow++) {
			struct coverage *c = coverage_new(p);

			run(p, (struct exec_options){.slow = slow, .cover = coverage_marks(c)});
			compare_marks(&w, c, slow ? "careful" : "fast", seed);
			/* again: no mark is added or lost */
			run(p, (struct exec_options){.slow = !slow, .cover = coverage_marks(c)});
			compare_marks(&w, c, "both", seed);
			coverage_free(c);
		}
		twin_free(&w);
		ir_program_free(p);
	}
}

/* ---- lines --------------------------------------------------------------------------------- */

enum { FILES = 2, LINES = 40 };
static const char *const files[FILES] = {"first.c", "dir/second.c"};

struct told { /* by file and line: 0 not there, 1 not covered, 2 covered */
	uint8_t lines[FILES][LINES + 1], functions[FILES][LINES + 1];
	uint32_t branches, taken;
};

/* Function f of the IR is written in file f % FILES, as source function "s0" .. "s9". */
static void place(struct ir_program *p, uint64_t seed)
{
	vec_each (&p->funcs, f) {
		struct ir_func *fn = &p->funcs.at[f];
		uint32_t file = intern_str(&p->strs, files[f % FILES]);
		char name[4] = {'s', (char)('0' + f % 10), 0};

		fn->pos = 0;
		vec_each (&fn->insns, i) {
			uint64_t h = hash_u64(seed << 40 | (uint64_t)f << 20 | i / 3);

			fn->insns.at[i].pos = 0;
			if (h % 8 == 0)
				continue;
			fn->insns.at[i].pos = ir_add_pos(p, (struct ir_pos){.file = file,
				.line = 1 + (uint32_t)(h / 8 % LINES),
				.func = intern_str(&p->strs, name)});
		}
	}
}

static void expect(const struct twin *w, struct told *x)
{
	vec_each (&w->p->funcs, f) {
		const struct ir_func *fn = &w->p->funcs.at[f];
		struct cfg g;

		if (fn->flags & IR_FN_EXTERN)
			continue;
		cfg_init(&g, fn);
		vec_each (&fn->insns, i) {
			const struct ir_pos *pos = &w->p->positions.at[fn->insns.at[i].pos];
			uint32_t b = block_at(fn, i), n = ir_insn_nedges(&fn->insns.at[i]);
			uint8_t v = bitset_has(&w->funcs[f].blocks, b) ? 2 : 1;
			uint8_t *line = &x->lines[f % FILES][pos->line];
			uint8_t *function = &x->functions[f % FILES][f % 10];

			if (!pos->line || !cfg_reachable(&g, b))
				continue;
			*line = MAX(*line, v);
			*function = MAX(*function, v);
			if (ir_op_is_terminator(fn->insns.at[i].op) && n > 1)
				x->branches += n;
		}
		cfg_release(&g);
	}
}

static void read_line(struct told *x, const char *s, int *file)
{
	unsigned a, b, k;
	char c;

	if (!strncmp(s, "SF:", 3)) {
		*file = !strcmp(s + 3, files[0]) ? 0 : 1;
		assert_string_equal(s + 3, files[*file]);
	} else if (sscanf(s, "DA:%u,%u", &a, &b) == 2) {
		assert_in_range(a, 1, LINES);
		assert_int_equal(x->lines[*file][a], 0);
		x->lines[*file][a] = (uint8_t)(1 + b);
	} else if (sscanf(s, "FNDA:%u,s%u", &b, &a) == 2) {
		assert_int_equal(x->functions[*file][a], 0);
		x->functions[*file][a] = (uint8_t)(1 + b);
	} else if (sscanf(s, "BRDA:%u,%u,%u,%c", &a, &b, &k, &c) == 4) {
		x->branches++;
		x->taken += c == '1';
	} else {
		static const char *const others[] = {"TN:", "FN:", "FNF:", "FNH:", "BRF:", "BRH:",
			"LF:", "LH:", "end_of_record"};
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			known |= !strncmp(s, others[i], strlen(others[i]));
		if (!known)
			fail_msg("a line of the tracefile: '%s'", s);
	}
}

static struct told read_back(const struct coverage *c)
{
	char path[] = "/tmp/heddle-coverage-XXXXXX", line[256];
	int fd = mkstemp(path), file = -1;
	struct told x = {0};
	FILE *in;

	assert_true(fd >= 0);
	assert_int_equal(coverage_write(c, path), 0);
	in = fdopen(fd, "r");
	while (fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = 0;
		read_line(&x, line, &file);
	}
	fclose(in);
	unlink(path);
	return x;
}

static void lines_are_true(void **state)
{
	(void)state;
	for (uint64_t seed = 300; seed < 360; seed++) {
		struct ir_program *p = program(seed);
		struct coverage *c = coverage_new(p);
		struct told want = {0}, got;
		struct coverage_totals n;
		struct twin w;
		uint32_t lines = 0, hit = 0;

		place(p, seed);
		w = twin_run(p);
		expect(&w, &want);
		run(p, (struct exec_options){.cover = coverage_marks(c)});
		got = read_back(c);
		n = coverage_totals(c);
		assert_memory_equal(got.lines, want.lines, sizeof want.lines);
		assert_memory_equal(got.functions, want.functions, sizeof want.functions);
		assert_int_equal(got.branches, want.branches);
		for (uint32_t f = 0; f < FILES; f++)
			for (uint32_t i = 0; i <= LINES; i++) {
				lines += want.lines[f][i] != 0;
				hit += want.lines[f][i] == 2;
			}
		assert_int_equal(n.lines, lines);
		assert_int_equal(n.lines_hit, hit);
		assert_int_equal(n.branches, got.branches);
		assert_int_equal(n.branches_hit, got.taken);
		coverage_free(c);
		twin_free(&w);
		ir_program_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_true),
		cmocka_unit_test(lines_are_true),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
