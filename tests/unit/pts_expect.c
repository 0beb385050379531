#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "pts_expect.h"


#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
	VEC(char *) list;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* sorted, one space between, and released */
static void join(struct words *w, struct strbuf *out)
{
	if (w->list.n)
		qsort(w->list.at, w->list.n, sizeof *w->list.at, by_text);
	strbuf_clear(out);
	strbuf_adds(out, w->list.n ? "" : "-");
	vec_each (&w->list, i) {
		strbuf_addf(out, "%s%s", i ? " " : "", w->list.at[i]);
		free(w->list.at[i]);
	}
	vec_release(&w->list);
}

static void object_word(const struct ir_program *p, const struct pts_object *o, struct strbuf *b)
{
	const struct ir_func *f = o->func == IR_NONE ? NULL : &p->funcs.at[o->func];

	switch ((enum pts_kind)o->kind) {
	case PTS_K_EXTERNAL: strbuf_adds(b, "ext"); break;
	case PTS_K_GLOBAL: strbuf_adds(b, ir_str(p, p->globals.at[o->id].name)); break;
	case PTS_K_FUNC: strbuf_adds(b, ir_func_name(p, o->id)); break;
	case PTS_K_LOCAL:
		strbuf_addf(b, "%s.%s", ir_func_name(p, o->func),
			ir_str(p, f->locals.at[o->id].name));
		break;
	case PTS_K_HEAP:
		if (o->insn == IR_NONE)
			strbuf_addf(b, "heap:%s", ir_func_name(p, o->func));
		else
			strbuf_addf(b, "heap:%u", ir_diag_pos(p, f->insns.at[o->insn].pos).line);
		break;
	case PTS_K_BYVAL: strbuf_addf(b, "%s.%u", ir_func_name(p, o->func), o->id); break;
	case PTS_K_VARARGS: strbuf_addf(b, "%s.varargs", ir_func_name(p, o->func)); break;
	case PTS_K_LIBRARY: strbuf_addf(b, "lib:%s", ir_func_name(p, o->id)); break;
	case PTS_K_ARGS: strbuf_adds(b, o->id ? "args" : "argv"); break;
	case PTS_K_FLIGHT: strbuf_adds(b, "flight"); break;
	}
}

static void offset_word(struct offs at, struct strbuf *b)
{
	if (offs_is_any(at)) {
		strbuf_addc(b, '?');
		return;
	}
	if (at.at || !offs_is_exact(at))
		strbuf_addf(b, "%+d", at.at);
	if (at.count > 1)
		strbuf_addf(b, "..%+d/%u", at.at + (int)((at.count - 1) * at.step), at.step);
	if (at.every)
		strbuf_addf(b, "%%%u", at.every);
}

void pts_words(const struct ir_program *p, const struct points_to *pt, uint32_t func, ir_ref ref,
	struct strbuf *out)
{
	struct pts_locs l = {0};
	struct words w = {0};

	points_to_get(pt, func, ref, &l);
	vec_each (&l.list, i) {
		struct strbuf b = {0};
		const struct pts_object *o = points_to_object(pt, l.list.at[i].object);

		object_word(p, o, &b);
		if (o->kind != PTS_K_EXTERNAL && o->kind != PTS_K_FUNC)
			offset_word(l.list.at[i].at, &b);
		vec_push(&w.list, strbuf_detach(&b));
	}
	pts_locs_release(&l);
	join(&w, out);
}

/* ---- expectations --------------------------------------------------------------------------- */

struct check { /* one function */
	const struct ir_program *p;
	const struct points_to *pt;
	bool exactly;
	uint32_t func;
	const struct ir_func *f;
};

static const char *string_argument(const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in, uint32_t n)
{
	ir_ref r = f->extra.at[in->arg[1] + 2 * n];
	const struct ir_const *c;

	if (!ir_is_const(r))
		return NULL;
	c = ir_const(f, r);
	return c->kind == IR_C_GLOBAL ? (const char *)p->globals.at[c->id].init + c->lo : NULL;
}

/* the words of the expectation, sorted too */
static void sorted_words(const char *text, struct strbuf *out)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	struct words w = {0};

	while ((word = strsep(&rest, " ")))
		if (*word && strcmp(word, "-"))
			vec_push(&w.list, xstrdup(word));
	free(copy);
	join(&w, out);
}

/* is the word in the text, or the same object with any offset? */
static bool has_word(const char *text, const char *word)
{
	size_t object = strcspn(word, "+-%?");
	char *copy = xstrdup(text), *rest = copy, *w;
	bool found = !strcmp(word, "-");

	while (!found && (w = strsep(&rest, " ")))
		found = !strcmp(w, word) ||
			(!strncmp(w, word, object) && !strcmp(w + object, "?"));
	free(copy);
	return found;
}

static bool has_words(const char *text, const char *words)
{
	char *copy = xstrdup(words), *rest = copy, *w;
	bool all = true;

	while (all && (w = strsep(&rest, " ")))
		all = has_word(text, w);
	free(copy);
	return all;
}

static bool compare(const struct check *c, uint32_t insn, const char *expected,
	const struct strbuf *got)
{
	struct strbuf want = {0};
	struct diag_pos pos;
	bool same;

	sorted_words(expected, &want);
	same = c->exactly ? !strcmp(want.s, got->s) : has_words(got->s, want.s);
	if (!same) {
		pos = ir_diag_pos(c->p, c->f->insns.at[insn].pos);
		fprintf(stderr, "%s:%u: expected '%s', got '%s'\n", pos.file, pos.line, want.s,
			got->s);
	}
	strbuf_release(&want);
	return same;
}

struct callees {
	const struct ir_program *p;
	struct words w;
};

static void add_callee(void *ctx, uint32_t callee)
{
	struct callees *c = ctx;

	vec_push(&c->w.list, xstrdup(ir_func_name(c->p, callee)));
}

static bool check_calls(const struct check *ch, uint32_t insn, const char *expected)
{
	const struct ir_func *f = ch->f;
	struct callees c = {.p = ch->p};
	struct strbuf got = {0};
	uint32_t at = insn + 1;
	bool same;

	while (at < f->insns.n && (f->insns.at[at].op != IR_CALL ||
				   ir_callee(f, &f->insns.at[at]) != IR_NONE))
		at++;
	if (at == f->insns.n)
		return false;
	if (points_to_callees(ch->pt, ch->func, at, add_callee, &c))
		vec_push(&c.w.list, xstrdup("ext"));
	join(&c.w, &got);
	same = compare(ch, insn, expected, &got);
	strbuf_release(&got);
	return same;
}

static bool check_pointer(const struct check *c, uint32_t insn, const char *expected)
{
	struct strbuf got = {0};
	bool same;

	pts_words(c->p, c->pt, c->func, c->f->extra.at[c->f->insns.at[insn].arg[1]], &got);
	same = compare(c, insn, expected, &got);
	strbuf_release(&got);
	return same;
}

uint32_t pts_check_expectations(const struct ir_program *p, const struct points_to *pt,
	bool exactly, uint32_t *failed)
{
	uint32_t n = 0;

	*failed = 0;
	vec_each (&p->funcs, func) {
		const struct ir_func *f = &p->funcs.at[func];
		struct check c = {p, pt, exactly, func, f};

		vec_each (&f->insns, i) {
			uint32_t callee = ir_callee(f, &f->insns.at[i]);
			const char *name = callee == IR_NONE ? "" : ir_func_name(p, callee), *text;
			bool pointer = !strcmp(name, "expect"), ok;

			if (!pointer && strcmp(name, "expect_calls"))
				continue;
			text = string_argument(p, f, &f->insns.at[i], pointer);
			ok = text && (pointer ? check_pointer(&c, i, text)
					      : check_calls(&c, i, text));
			*failed += !ok;
			n++;
		}
	}
	return n;
}
