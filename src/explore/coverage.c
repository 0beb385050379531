#include "explore/coverage.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "ir/cfg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct func_cover {
	struct cfg cfg; /* valid if marks.marks has an entry for the function */
};

struct coverage {
	const struct ir_program *p;
	struct exec_cover marks;
	struct func_cover *funcs;
};

static bool is_counted(const struct ir_func *f)
{
	return f->blocks.n && !(f->flags & (IR_FN_MODEL | IR_FN_EXTERN));
}

struct coverage *coverage_new(const struct ir_program *p)
{
	struct coverage *c = xcalloc(1, sizeof *c);

	c->p = p;
	c->marks.marks = xcalloc(p->funcs.n + 1, sizeof *c->marks.marks);
	c->funcs = xcalloc(p->funcs.n + 1, sizeof *c->funcs);
	vec_each (&p->funcs, f) {
		const struct ir_func *fn = &p->funcs.at[f];

		if (!is_counted(fn))
			continue;
		c->marks.marks[f] = xcalloc(fn->edges.n + 1, 1);
		cfg_init(&c->funcs[f].cfg, fn);
	}
	return c;
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	vec_each (&c->p->funcs, f) {
		if (!c->marks.marks[f])
			continue;
		free(c->marks.marks[f]);
		cfg_release(&c->funcs[f].cfg);
	}
	free(c->marks.marks);
	free(c->funcs);
	free(c);
}

struct exec_cover *coverage_marks(struct coverage *c)
{
	return &c->marks;
}

bool coverage_has(const struct coverage *c, uint32_t func, uint32_t block)
{
	const uint8_t *marks = c->marks.marks[func];
	const struct cfg *g = &c->funcs[func].cfg;

	if (!marks)
		return false;
	if (!block && marks[0])
		return true;
	for (uint32_t i = g->pred_at[block]; i < g->pred_at[block + 1]; i++)
		if (marks[1 + g->succ_edge[g->pred_succ[i]]])
			return true;
	return false;
}

/* ---- by line ------------------------------------------------------------------------------- */

struct line {
	uint32_t file, line;
	bool hit;
};

struct function {
	uint32_t file, name; /* string ids */
	uint32_t line;
	bool declared; /* line is that of the declaration, not the least line of its code */
	bool hit;
};

struct branch {
	uint32_t file, line;
	uint32_t number; /* number of the terminator in the program, rising */
	uint32_t way;    /* number of the edge at the terminator */
	bool reached, taken;
};

struct tables { /* phase lifetime */
	VEC(struct line) lines;
	VEC(struct function) functions;
	VEC(struct branch) branches;
	struct map line_at, function_at; /* key -> index + 1 */
};

static void add_line(struct tables *t, const struct ir_pos *pos, bool hit)
{
	uint64_t *at = map_put(&t->line_at, (uint64_t)pos->file << 32 | pos->line);

	if (!*at) {
		vec_push(&t->lines, (struct line){pos->file, pos->line, false});
		*at = t->lines.n;
	}
	t->lines.at[*at - 1].hit |= hit;
}

static void add_function(struct tables *t, uint32_t file, uint32_t name, uint32_t line,
	bool declared, bool hit)
{
	uint64_t *at = map_put(&t->function_at, (uint64_t)file << 32 | name);
	struct function *f;

	if (!*at) {
		vec_push(&t->functions, (struct function){file, name, line, declared, false});
		*at = t->functions.n;
	}
	f = &t->functions.at[*at - 1];
	f->hit |= hit;
	if (declared > f->declared || (declared == f->declared && line < f->line)) {
		f->declared = declared;
		f->line = line;
	}
}

static void add_branches(struct tables *t, const struct ir_func *fn, const struct ir_insn *in,
	const struct ir_pos *pos, const uint8_t *marks, uint32_t number, bool reached)
{
	uint32_t n = ir_insn_nedges(in);

	for (uint32_t k = 0; n > 1 && k < n; k++)
		vec_push(&t->branches, (struct branch){pos->file, pos->line, number, k, reached,
			marks[1 + ir_insn_edge(fn, in, k)]});
}

static void add_block(struct tables *t, const struct coverage *c, uint32_t func, uint32_t block,
	uint32_t number)
{
	const struct ir_func *fn = &c->p->funcs.at[func];
	const struct ir_block *b = &fn->blocks.at[block];
	bool hit = coverage_has(c, func, block);

	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		const struct ir_pos *pos = &c->p->positions.at[fn->insns.at[i].pos];

		if (!pos->file || !pos->line)
			continue;
		add_line(t, pos, hit);
		if (pos->func)
			add_function(t, pos->file, pos->func, pos->line, false, hit);
		if (i == b->first + b->n - 1)
			add_branches(t, fn, &fn->insns.at[i], pos, c->marks.marks[func], number, hit);
	}
}

static void tables_build(struct tables *t, const struct coverage *c)
{
	uint32_t number = 0;

	vec_each (&c->p->funcs, f) {
		const struct ir_func *fn = &c->p->funcs.at[f];
		const struct ir_pos *pos = &c->p->positions.at[fn->pos];

		if (!c->marks.marks[f])
			continue;
		if (pos->file && pos->line)
			add_function(t, pos->file, pos->func ? pos->func : fn->name, pos->line, true,
				coverage_has(c, f, 0));
		vec_each (&fn->blocks, b)
			if (cfg_reachable(&c->funcs[f].cfg, b))
				add_block(t, c, f, b, number++);
	}
}

static void tables_release(struct tables *t)
{
	vec_release(&t->lines);
	vec_release(&t->functions);
	vec_release(&t->branches);
	map_release(&t->line_at);
	map_release(&t->function_at);
}

struct coverage_totals coverage_totals(const struct coverage *c)
{
	struct coverage_totals n = {0};
	struct tables t = {0};

	tables_build(&t, c);
	n.lines = t.lines.n;
	n.branches = t.branches.n;
	vec_each (&t.lines, i)
		n.lines_hit += t.lines.at[i].hit;
	vec_each (&t.branches, i)
		n.branches_hit += t.branches.at[i].taken;
	tables_release(&t);
	return n;
}

/* ---- lcov ---------------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int k = compare_u64(x->file, y->file);

	return k ? k : compare_u64(x->line, y->line);
}

static int by_function(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int k = compare_u64(x->file, y->file);

	k = k ? k : compare_u64(x->line, y->line);
	return k ? k : compare_u64(x->name, y->name);
}

static int by_branch(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	int k = compare_u64(x->file, y->file);

	k = k ? k : compare_u64(x->line, y->line);
	k = k ? k : compare_u64(x->number, y->number);
	return k ? k : compare_u64(x->way, y->way);
}

/* Prints a line that ends with a name: one line, whatever bytes the name has. The format has at
 * most a number, n. */
static void print_named(FILE *out, const char *name, const char *fmt, uint32_t n)
{
	struct strbuf b = {0};

	strbuf_addf(&b, fmt, n);
	utf8_add_clean(&b, name, strlen(name));
	fprintf(out, "%s\n", b.s);
	strbuf_release(&b);
}

static void print_functions(FILE *out, const struct coverage *c, const struct tables *t,
	uint32_t file, uint32_t *at)
{
	uint32_t first = *at, hit = 0;

	for (; *at < t->functions.n && t->functions.at[*at].file == file; ++*at)
		print_named(out, ir_str(c->p, t->functions.at[*at].name), "FN:%u,",
			t->functions.at[*at].line);
	for (uint32_t i = first; i < *at; i++) {
		hit += t->functions.at[i].hit;
		print_named(out, ir_str(c->p, t->functions.at[i].name), "FNDA:%u,",
			(uint32_t)t->functions.at[i].hit);
	}
	fprintf(out, "FNF:%u\nFNH:%u\n", *at - first, hit);
}

static void print_branches(FILE *out, const struct tables *t, uint32_t file, uint32_t *at)
{
	uint32_t first = *at, hit = 0, block = 0;

	for (; *at < t->branches.n && t->branches.at[*at].file == file; ++*at) {
		const struct branch *b = &t->branches.at[*at];

		if (*at == first || b[-1].line != b->line)
			block = 0;
		else if (b[-1].number != b->number)
			block++;
		hit += b->taken;
		fprintf(out, "BRDA:%u,%u,%u,%s\n", b->line, block, b->way,
			b->taken ? "1" : b->reached ? "0" : "-");
	}
	fprintf(out, "BRF:%u\nBRH:%u\n", *at - first, hit);
}

static void print_lines(FILE *out, const struct tables *t, uint32_t file, uint32_t *at)
{
	uint32_t first = *at, hit = 0;

	for (; *at < t->lines.n && t->lines.at[*at].file == file; ++*at) {
		hit += t->lines.at[*at].hit;
		fprintf(out, "DA:%u,%d\n", t->lines.at[*at].line, t->lines.at[*at].hit);
	}
	fprintf(out, "LF:%u\nLH:%u\n", *at - first, hit);
}

/* Iterates over the files that have lines: each file with a branch has one. */
static void print_files(FILE *out, const struct coverage *c, struct tables *t)
{
	uint32_t line = 0, function = 0, branch = 0;

	qsort(t->lines.at, t->lines.n, sizeof *t->lines.at, by_line);
	qsort(t->functions.at, t->functions.n, sizeof *t->functions.at, by_function);
	qsort(t->branches.at, t->branches.n, sizeof *t->branches.at, by_branch);
	fprintf(out, "TN:heddle\n");
	while (line < t->lines.n) {
		uint32_t file = t->lines.at[line].file;

		print_named(out, ir_str(c->p, file), "SF:", 0);
		while (function < t->functions.n && t->functions.at[function].file < file)
			function++; /* its file has no line with code */
		print_functions(out, c, t, file, &function);
		print_branches(out, t, file, &branch);
		print_lines(out, t, file, &line);
		fprintf(out, "end_of_record\n");
	}
}

int coverage_write(const struct coverage *c, const char *path)
{
	struct tables t = {0};
	FILE *out = fopen(path, "w");
	bool failed;

	if (!out)
		return error_("cannot write '%s': %s", path, strerror(errno));
	tables_build(&t, c);
	print_files(out, c, &t);
	tables_release(&t);
	failed = ferror(out);
	if (fclose(out) || failed)
		return error_("cannot write '%s': %s", path, strerror(errno));
	return 0;
}
