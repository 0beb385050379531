/* The syntax of contexts: "main>run>work:42@T1,other@T2@wait". */
#include "context/context.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/words.h"

#include <string.h>

struct word { /* part of the text, without a final 0 */
	const char *s;
	size_t n;
};

struct parser {
	const struct ir_program *p;
	const char *text; /* all of it, for messages */
};

static struct word word_until(struct word *rest, char end)
{
	const char *at = rest->n ? memchr(rest->s, end, rest->n) : NULL;
	struct word w = {rest->s, at ? (size_t)(at - rest->s) : rest->n};

	rest->n -= at ? w.n + 1 : w.n;
	rest->s += at ? w.n + 1 : w.n;
	return w;
}

static bool word_is(struct word w, const char *s)
{
	return strlen(s) == w.n && !memcmp(w.s, s, w.n);
}

static bool word_number(struct word w, uint32_t *out)
{
	uint64_t v = 0;

	if (!w.n || w.n > 9)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		if (w.s[i] < '0' || w.s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(w.s[i] - '0');
	}
	*out = (uint32_t)v;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool has_body(const struct ir_func *f)
{
	return f->insns.n && !(f->flags & IR_FN_MODEL);
}

static int report_no_function(const struct parser *ps, const char *name)
{
	struct opt_nearest ne;

	opt_nearest_init(&ne, name);
	vec_each (&ps->p->funcs, f)
		if (has_body(&ps->p->funcs.at[f]))
			opt_nearest_offer(&ne, ir_func_name(ps->p, f));
	if (ne.best)
		return error_("no function '%s' (did you mean '%s'?)", name, ne.best);
	return error_("no function '%s' in the program", name);
}

static int report_several_functions(const struct parser *ps, const char *name)
{
	struct strbuf b = {0};
	uint32_t k = 0;
	int rc;

	vec_each (&ps->p->funcs, f)
		if (has_body(&ps->p->funcs.at[f]) && !strcmp(ir_func_name(ps->p, f), name)) {
			struct diag_pos pos = ir_diag_pos(ps->p, ps->p->funcs.at[f].pos);

			strbuf_addf(&b, "%s'%s#%u' in %s", k ? ", " : "", name, k + 1,
				pos.file ? pos.file : "an unknown file");
			k++;
		}
	rc = error_("several functions '%s' (choose one: %s)", name, b.s);
	strbuf_release(&b);
	return rc;
}

/* NAME, or NAME#2 for the second function of that name. IR_NONE after an error. */
static uint32_t find_function(const struct parser *ps, struct word w)
{
	struct word name = word_until(&w, '#');
	uint32_t want = 0, k = 0, found = IR_NONE;
	char *s;

	if (w.n && !word_number(w, &want))
		want = UINT32_MAX;
	s = xmalloc(name.n + 1);
	memcpy(s, name.s, name.n);
	s[name.n] = 0;
	vec_each (&ps->p->funcs, f)
		if (has_body(&ps->p->funcs.at[f]) && !strcmp(ir_func_name(ps->p, f), s) &&
			(++k == want || (!want && found == IR_NONE)))
			found = f;
	if (!want && k > 1)
		found = (report_several_functions(ps, s), IR_NONE);
	else if (found == IR_NONE)
		report_no_function(ps, s);
	free(s);
	return found;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The line in the function itself, not in a function that was inlined into it. */
static uint32_t get_line(const struct ir_program *p, const struct ir_insn *in)
{
	uint32_t pos = in->pos;

	while (p->positions.at[pos].inlined_at)
		pos = p->positions.at[pos].inlined_at;
	return p->positions.at[pos].line;
}

static int report_no_code(const struct parser *ps, uint32_t func, uint32_t line)
{
	const struct ir_func *f = &ps->p->funcs.at[func];
	uint32_t before = 0, after = 0;

	vec_each (&f->insns, i) {
		uint32_t l = get_line(ps->p, &f->insns.at[i]);

		if (l && l < line && l > before)
			before = l;
		if (l > line && (!after || l < after))
			after = l;
	}
	if (before && after)
		return error_(
			"line %u of '%s' has no code (the nearest lines with code are %u and %u)",
			line, ir_func_name(ps->p, func), before, after);
	if (before || after)
		return error_("line %u of '%s' has no code (its %s line with code is %u)", line,
			ir_func_name(ps->p, func), before ? "last" : "first",
			before ? before : after);
	return error_("'%s' has no lines (compile with -g)", ir_func_name(ps->p, func));
}

/* ---- calls ----------------------------------------------------------------------------------- */

static uint32_t get_direct_callee(const struct ir_func *f, const struct ir_insn *in)
{
	if (in->op != IR_CALL || !ir_is_const(in->arg[0]) ||
		ir_const(f, in->arg[0])->kind != IR_C_FUNC)
		return IR_NONE;
	return ir_const(f, in->arg[0])->id;
}

static bool may_call(const struct ir_func *f, const struct ir_insn *in, uint32_t callee)
{
	return in->op == IR_CALL && (ir_is_reg(in->arg[0]) || get_direct_callee(f, in) == callee);
}

static int report_no_call(const struct parser *ps, uint32_t func, uint32_t line, uint32_t callee)
{
	const struct ir_program *p = ps->p;
	struct strbuf b = {0};
	uint32_t n = 0;
	int rc;

	vec_each (&p->funcs, g) {
		const struct ir_func *f = &p->funcs.at[g];

		for (uint32_t i = 0; has_body(f) && i < f->insns.n; i++)
			if (get_direct_callee(f, &f->insns.at[i]) == callee && n++ < 8)
				strbuf_addf(&b, "%s'%s:%u'", n > 1 ? ", " : "", ir_func_name(p, g),
					get_line(p, &f->insns.at[i]));
	}
	if (n)
		rc = error_("'%s' does not call '%s'%s (it is called at %s%s)",
			ir_func_name(p, func), ir_func_name(p, callee), line ? " on that line" : "",
			b.s, n > 8 ? ", ..." : "");
	else
		rc = error_("'%s' does not call '%s' (no function calls it by name)",
			ir_func_name(p, func), ir_func_name(p, callee));
	strbuf_release(&b);
	return rc;
}

static int report_several_calls(const struct parser *ps, uint32_t func, uint32_t callee)
{
	const struct ir_func *f = &ps->p->funcs.at[func];
	struct strbuf b = {0};
	int rc;

	vec_each (&f->insns, i)
		if (may_call(f, &f->insns.at[i], callee))
			strbuf_addf(&b, "%s%u", b.n ? ", " : "", get_line(ps->p, &f->insns.at[i]));
	rc = error_("'%s' calls '%s' in several places (add a line: '%s:LINE', one of %s)",
		ir_func_name(ps->p, func), ir_func_name(ps->p, callee), ir_func_name(ps->p, func),
		b.s);
	strbuf_release(&b);
	return rc;
}

/* The call of `callee` in the frame: the only call by name, else the only one through a pointer. */
static uint32_t find_call(const struct parser *ps, uint32_t func, uint32_t line, uint32_t callee)
{
	const struct ir_func *f = &ps->p->funcs.at[func];
	uint32_t direct = IR_NONE, indirect = IR_NONE, ndirect = 0, nindirect = 0;

	vec_each (&f->insns, i) {
		const struct ir_insn *in = &f->insns.at[i];

		if (!may_call(f, in, callee) || (line && get_line(ps->p, in) != line))
			continue;
		if (ir_is_reg(in->arg[0])) {
			indirect = nindirect++ ? indirect : i;
		} else {
			direct = ndirect++ ? direct : i;
		}
	}
	if (!ndirect && !nindirect) {
		report_no_call(ps, func, line, callee);
		return IR_NONE;
	}
	if (!line && (ndirect ? ndirect : nindirect) > 1) {
		report_several_calls(ps, func, callee);
		return IR_NONE;
	}
	return ndirect ? direct : indirect;
}

/* ---- the innermost frame --------------------------------------------------------------------- */

/* The synchronization operation on the line, in which a thread is blocked. */
static uint32_t find_wait(const struct parser *ps, uint32_t func, uint32_t line)
{
	const struct ir_func *f = &ps->p->funcs.at[func];

	vec_each (&f->insns, i) {
		uint32_t callee = get_direct_callee(f, &f->insns.at[i]);

		if (callee != IR_NONE && get_line(ps->p, &f->insns.at[i]) == line &&
			log_sync_find(ir_func_name(ps->p, callee)))
			return i;
	}
	error_("no call on line %u of '%s' can block (give the line of a call that blocks, such as "
	       "pthread_cond_wait)",
		line, ir_func_name(ps->p, func));
	return IR_NONE;
}

static uint32_t find_place(const struct parser *ps, uint32_t func, uint32_t line, bool waiting)
{
	const struct ir_func *f = &ps->p->funcs.at[func];

	if (waiting)
		return find_wait(ps, func, line);
	if (!line)
		return 0;
	vec_each (&f->insns, i)
		if (get_line(ps->p, &f->insns.at[i]) == line)
			return i;
	report_no_code(ps, func, line);
	return IR_NONE;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Is the function passed by name to a call that creates threads? */
static bool starts_by_name(const struct ir_program *p, uint32_t func)
{
	vec_each (&p->funcs, g) {
		const struct ir_func *f = &p->funcs.at[g];

		for (uint32_t i = 0; has_body(f) && i < f->insns.n; i++) {
			const struct ir_insn *in = &f->insns.at[i];
			uint32_t callee = get_direct_callee(f, in), at;
			const struct log_sync_fn *sync;

			if (callee == IR_NONE || !(sync = log_sync_find(ir_func_name(p, callee))) ||
				sync->kind != LOG_S_CREATE)
				continue;
			at = word_is((struct word){sync->name, strlen(sync->name)}, "thrd_create")
				     ? 1
				     : 2;
			if (at < in->arg[2]) {
				ir_ref r = f->extra.at[in->arg[1] + 2 * at];

				if (ir_func_of(f, r) == func)
					return true;
			}
		}
	}
	return false;
}

static int parse_frames(struct parser *ps, struct word stack, struct context_thread *t)
{
	struct word frame;
	uint32_t lines[64], n = 0;

	do {
		uint32_t func;

		frame = word_until(&stack, '>');
		if (n == ARRAY_SIZE(lines))
			return error_("'%s' has a stack of more than %u frames", ps->text, n);
		func = find_function(ps, word_until(&frame, ':'));
		if (func == IR_NONE)
			return -1;
		lines[n] = 0;
		if (frame.n && (!word_number(frame, &lines[n]) || !lines[n]))
			return error_("'%.*s' is not a line", (int)frame.n, frame.s);
		vec_push(&t->stack, (struct context_place){func, IR_NONE});
		n++;
	} while (stack.n);
	for (uint32_t i = 0; i < n; i++) {
		struct context_place *at = &t->stack.at[i];

		at->insn = i + 1 < n ? find_call(ps, at->func, lines[i], at[1].func)
				     : find_place(ps, at->func, lines[i], t->waiting);
		if (at->insn == IR_NONE)
			return -1;
	}
	return 0;
}

static int parse_thread(struct parser *ps, struct word w, struct context_thread *t)
{
	struct word stack = word_until(&w, '@'), id = word_until(&w, '@');

	if (!stack.n || !id.n)
		return error_("'%s' is not a place (write FUNCTION[:LINE]@T1, or a stack "
			      "main>run>work:42@T1; separate several by commas)",
			ps->text);
	if (id.s[0] == 'T' || id.s[0] == 't')
		id = (struct word){id.s + 1, id.n - 1};
	if (!word_number(id, &t->id))
		return error_("'%.*s' is not a thread (T0 is the main thread, T1 another one)",
			(int)id.n, id.s);
	if (w.n && !word_is(w, "wait"))
		return error_("'@%.*s' after a thread (only '@wait' is known)", (int)w.n, w.s);
	t->waiting = w.n;
	if (parse_frames(ps, stack, t))
		return -1;
	t->complete = t->id ? starts_by_name(ps->p, t->stack.at[0].func)
			    : t->stack.at[0].func == ir_find_func(ps->p, "main");
	return 0;
}

int context_parse(const struct ir_program *p, const char *text, struct vec_context_thread *out)
{
	struct parser ps = {p, text};
	struct word rest = {text, strlen(text)};

	do {
		struct context_thread *t;

		vec_push(out, (struct context_thread){0});
		t = &vec_last(out);
		if (parse_thread(&ps, word_until(&rest, ','), t)) {
			context_threads_release(out);
			return -1;
		}
		for (uint32_t i = 0; i + 1 < out->n; i++)
			if (out->at[i].id == t->id) {
				error_("thread T%u has two places in '%s'", t->id, text);
				context_threads_release(out);
				return -1;
			}
	} while (rest.n);
	return 0;
}

void context_threads_release(struct vec_context_thread *v)
{
	vec_each (v, i)
		vec_release(&v->at[i].stack);
	vec_release(v);
}
