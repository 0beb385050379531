/*
 * Runs tests/ir: each file is a program in the textual IR with the expected output in comments at
 * its end. The first comment names what to show:
 *
 *	; show: cfg dom
 *	heddle-ir 1
 *	…
 *	; expect:
 *	; b0 -> b1 b2
 *
 * print      the program as it is printed again
 * readable   each function in the readable form
 * cfg        successors, in reverse post-order; unreachable blocks
 * dom        immediate dominators and post-dominators
 * loops      the loop forest
 * cdep       control dependence: the edges, the nearest one marked by '*'
 * calls      the call graph with its components, indirect calls unresolved
 * error      the message with which the text is refused
 *
 * With HEDDLE_UPDATE=1 in the environment the expectations are rewritten: read the difference.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/callgraph.h"
#include "ir/cdep.h"
#include "ir/loops.h"
#include "ir/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char dir[] = "tests/ir";
static const char mark[] = "; expect:\n";

/* ---- what can be shown ------------------------------------------------------------------- */

static void show_print(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	if (!f)
		ir_print(out, p);
}

static void show_readable(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	ir_print_func(out, p, f, true);
}

static void show_cfg(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	struct cfg c;

	cfg_init(&c, &p->funcs.at[f]);
	for (uint32_t i = 0; i < c.nrpo; i++) {
		uint32_t b = c.rpo[i];

		strbuf_addf(out, "b%u ->", b);
		for (uint32_t e = c.succ_at[b]; e < c.succ_at[b + 1]; e++)
			strbuf_addf(out, " b%u", c.succ[e]);
		strbuf_addc(out, '\n');
	}
	for (uint32_t b = 0; b < c.n; b++)
		if (!cfg_reachable(&c, b))
			strbuf_addf(out, "b%u unreachable\n", b);
	cfg_release(&c);
}

static void show_dom(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	struct cfg c;
	struct dom d, pd;

	cfg_init(&c, &p->funcs.at[f]);
	dom_init(&d, &c);
	postdom_init(&pd, &c);
	for (uint32_t b = 0; b < c.n; b++) {
		if (!cfg_reachable(&c, b))
			continue;
		strbuf_addf(out, "b%u: idom b%u, ", b, d.idom[b]);
		if (pd.idom[b] == pd.root)
			strbuf_adds(out, "ipdom exit\n");
		else
			strbuf_addf(out, "ipdom b%u\n", pd.idom[b]);
	}
	vec_each (&pd.endless, i)
		strbuf_addf(out, "endless: b%u\n", pd.endless.at[i]);
	dom_release(&pd);
	dom_release(&d);
	cfg_release(&c);
}

static void add_blocks(struct strbuf *out, const char *word, const struct vec_u32 *list)
{
	strbuf_addf(out, ", %s", word);
	vec_each (list, i)
		strbuf_addf(out, " b%u", list->at[i]);
}

static void show_loops(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	struct vec_u32 list = {0};
	struct loops l;
	struct cfg c;

	cfg_init(&c, &p->funcs.at[f]);
	loops_init(&l, &c);
	vec_each (&l.at, i) {
		const struct loop *lp = &l.at.at[i];

		for (uint32_t k = 1; k < lp->depth; k++)
			strbuf_adds(out, "  ");
		strbuf_addf(out, "%sloop b%u:", lp->irreducible ? "irreducible " : "", lp->header);
		for (uint32_t k = 0; k < lp->n; k++)
			strbuf_addf(out, " b%u", l.blocks[lp->first + k]);
		list.n = 0;
		loop_latches(&l, &c, i, &list);
		add_blocks(out, "latches", &list);
		list.n = 0;
		loop_exits(&l, &c, i, &list);
		strbuf_adds(out, ", exits");
		vec_each (&list, k)
			strbuf_addf(
				out, " b%u->b%u", cfg_source(&c, list.at[k]), c.succ[list.at[k]]);
		strbuf_addc(out, '\n');
	}
	vec_release(&list);
	loops_release(&l);
	cfg_release(&c);
}

static void show_cdep(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	struct cfg c;
	struct dom pd;
	struct cdep d;

	cfg_init(&c, &p->funcs.at[f]);
	postdom_init(&pd, &c);
	cdep_init(&d, &c, &pd);
	for (uint32_t b = 0; b < c.n; b++) {
		struct vec_u32 list = {0};

		cdep_get(&d, b, &list);
		strbuf_addf(out, "b%u:", b);
		vec_each (&list, i)
			strbuf_addf(out, " b%u->b%u%s", cfg_source(&c, list.at[i]),
				c.succ[list.at[i]], list.at[i] == d.nearest[b] ? "*" : "");
		strbuf_addc(out, '\n');
		vec_release(&list);
	}
	cdep_release(&d);
	dom_release(&pd);
	cfg_release(&c);
}

static void show_calls(struct strbuf *out, const struct ir_program *p, uint32_t f)
{
	struct callgraph g;

	if (f)
		return;
	callgraph_init(&g, p, NULL, NULL);
	for (uint32_t s = 0; s < g.nsccs; s++)
		for (uint32_t k = g.scc_at[s]; k < g.scc_at[s + 1]; k++) {
			uint32_t fn = g.scc_func[k];

			strbuf_addf(out, "%u: %s%s ->", s, ir_func_name(p, fn),
				g.recursive[fn] ? " (recursive)" : "");
			for (uint32_t i = g.site_at[fn]; i < g.site_at[fn + 1]; i++) {
				if (g.sites.at[i].indirect)
					strbuf_adds(out, " ?");
				for (uint32_t c = 0; c < g.sites.at[i].n; c++)
					strbuf_addf(out, " %s",
						ir_func_name(
							p, g.callees.at[g.sites.at[i].first + c]));
			}
			strbuf_addc(out, '\n');
		}
	callgraph_release(&g);
}

static const struct {
	const char *word;
	void (*show)(struct strbuf *out, const struct ir_program *p, uint32_t func);
	bool externs; /* also functions without a body */
} shows[] = {
	{"print", show_print, true},
	{"readable", show_readable, true},
	{"cfg", show_cfg, false},
	{"dom", show_dom, false},
	{"loops", show_loops, false},
	{"cdep", show_cdep, false},
	{"calls", show_calls, true},
};

/* ---- one file ---------------------------------------------------------------------------- */

static void take_message(void *ctx, const char *message)
{
	strbuf_addf(ctx, "%s\n", message);
}

static bool wants(const char *text, const char *word)
{
	const char *end = strchr(text, '\n'), *at = strstr(text, word);
	size_t n = strlen(word);

	return at && end && at < end && at[-1] == ' ' && (at[n] == ' ' || at[n] == '\n');
}

static void produce(struct strbuf *out, const char *name, const char *text)
{
	const char *end = strstr(text, mark);
	struct ir_program *p;
	bool any = wants(text, "error");

	diag_set_sink(take_message, out);
	p = ir_parse(name, text, end ? (size_t)(end - text) : strlen(text));
	diag_set_sink(NULL, NULL);
	if (!p)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(shows); i++) {
		if (!wants(text, shows[i].word))
			continue;
		any = true;
		vec_each (&p->funcs, f)
			if (shows[i].externs || !(p->funcs.at[f].flags & IR_FN_EXTERN))
				shows[i].show(out, p, f);
	}
	if (!any)
		strbuf_adds(out, "the first comment names nothing to show\n");
	ir_program_free(p);
}

/* each line behind "; ", an empty one as ";" */
static void comment_out(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		strbuf_adds(out, n ? "; " : ";");
		strbuf_add(out, text, n);
		strbuf_addc(out, '\n');
		text += n + (text[n] == '\n');
	}
}

static bool run_file(const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct strbuf text = {0}, got = {0}, comment = {0};
	const char *expect;
	FILE *f;
	bool ok;

	assert_int_equal(strbuf_read_file(&text, path), 0);
	produce(&got, name, text.s);
	comment_out(&comment, got.n ? got.s : "nothing\n");
	expect = strstr(text.s, mark);
	expect = expect ? expect + strlen(mark) : "";
	ok = !strcmp(expect, comment.s);
	if (!ok && getenv("HEDDLE_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		if (*expect || strstr(text.s, mark))
			fwrite(text.s, 1, (size_t)(strstr(text.s, mark) - text.s), f);
		else
			fputs(text.s, f);
		fprintf(f, "%s%s", mark, comment.s);
		fclose(f);
		print_message("# updated %s\n", path);
	} else if (!ok) {
		print_error("%s: expected\n%sbut got\n%s", path, expect, comment.s);
	}
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&comment);
	free(path);
	return ok;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void test_files(void **state)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, by_name), files = 0, failed = 0;

	(void)state;
	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(entries[i]->d_name, '.');

		if (dot && !strcmp(dot, ".ir")) {
			files++;
			failed += !run_file(entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	assert_true(files > 20);
	assert_int_equal(failed, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
