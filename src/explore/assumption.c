/* The conditions of --assume as terms of a state. */
#include "explore/assumption.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "explore/explore_internal.h"
#include "symbolic/sym.h"

#include <string.h>

enum { WIDTH = 128 };

struct values {
	const struct assumption *as;
	const struct inputs *in;
	struct machine *m;
	struct thread *t;
	term_t defined; /* no division is by zero */
	VEC(term_t) at; /* by node, of WIDTH bits */
};

bool assumptions_have_global(const struct assumptions *as)
{
	vec_each (&as->at, i)
		if (as->at.at[i].has_global)
			return true;
	return false;
}

static term_t truth(struct terms *ts, term_t v)
{
	return term_ne(ts, v, term_const(ts, WIDTH, 0));
}

static term_t number(struct terms *ts, term_t bit)
{
	return term_zext(ts, bit, WIDTH);
}

/* The bytes up to the NUL. A string as long as the input's memory has its NUL behind them. */
static term_t text_term(struct terms *ts, const struct input_spec *spec, const char *text)
{
	size_t n = strlen(text);
	term_t t = term_bool(ts, n <= spec->max);

	for (size_t i = 0; n <= spec->max && i <= n && i < spec->max; i++)
		t = term_and(ts, t,
			term_eq(ts, input_byte(ts, spec, i),
				term_const(ts, 8, (unsigned char)text[i])));
	return t;
}

static enum step global_term(struct values *v, const struct assumption_node *n, term_t *out)
{
	struct opnd addr = {.v = {v->m->globals.addr[n->id] + n->number, 0}}, o;
	uint32_t bits = 8 * n->bytes;
	term_t t;

	if (sym_load(v->m, v->t, addr, (ir_type)bits, &o) != STEP_NEXT)
		return STEP_STOP;
	t = opnd_term(v->m, o, bits);
	*out = n->is_signed ? term_sext(v->m->ts, t, WIDTH) : term_zext(v->m->ts, t, WIDTH);
	return STEP_NEXT;
}

static term_t unary_term(struct terms *ts, enum assumption_op op, term_t a)
{
	if (op == ASSUMPTION_NEG)
		return term_neg(ts, a);
	return op == ASSUMPTION_INVERT ? term_not(ts, a) : number(ts, term_not(ts, truth(ts, a)));
}

static term_t binary_term(struct values *v, enum assumption_op op, term_t a, term_t b)
{
	struct terms *ts = v->m->ts;

	switch (op) {
	case ASSUMPTION_OR: return number(ts, term_or(ts, truth(ts, a), truth(ts, b)));
	case ASSUMPTION_AND: return number(ts, term_and(ts, truth(ts, a), truth(ts, b)));
	case ASSUMPTION_BOR: return term_or(ts, a, b);
	case ASSUMPTION_XOR: return term_xor(ts, a, b);
	case ASSUMPTION_BAND: return term_and(ts, a, b);
	case ASSUMPTION_EQ: return number(ts, term_eq(ts, a, b));
	case ASSUMPTION_NE: return number(ts, term_ne(ts, a, b));
	case ASSUMPTION_LE: return number(ts, term_sle(ts, a, b));
	case ASSUMPTION_GE: return number(ts, term_sle(ts, b, a));
	case ASSUMPTION_LT: return number(ts, term_slt(ts, a, b));
	case ASSUMPTION_GT: return number(ts, term_slt(ts, b, a));
	case ASSUMPTION_SHL: return term_shl(ts, a, b);
	case ASSUMPTION_SHR: return term_ashr(ts, a, b);
	case ASSUMPTION_ADD: return term_add(ts, a, b);
	case ASSUMPTION_SUB: return term_sub(ts, a, b);
	case ASSUMPTION_MUL: return term_mul(ts, a, b);
	case ASSUMPTION_DIV:
	case ASSUMPTION_REM: break;
	default: BUG("operator %d", op);
	}
	v->defined = term_and(ts, v->defined, truth(ts, b));
	return op == ASSUMPTION_DIV ? term_sdiv(ts, a, b) : term_srem(ts, a, b);
}

static enum step node_term(struct values *v, const struct assumption_node *n, term_t *out)
{
	struct terms *ts = v->m->ts;

	switch (n->kind) {
	case ASSUMPTION_NUMBER: *out = term_const(ts, WIDTH, n->number); break;
	case ASSUMPTION_GLOBAL: return global_term(v, n, out);
	case ASSUMPTION_BYTE:
		*out = term_zext(ts, input_byte(ts, &v->in->specs.at[n->id], n->number), WIDTH);
		break;
	case ASSUMPTION_SIZE:
		*out = term_zext(ts, input_size(ts, &v->in->specs.at[n->id]), WIDTH);
		break;
	case ASSUMPTION_TEXT:
		*out = number(ts, text_term(ts, &v->in->specs.at[n->id], n->text));
		break;
	case ASSUMPTION_UNARY: *out = unary_term(ts, n->op, v->at.at[n->a]); break;
	case ASSUMPTION_BINARY: *out = binary_term(v, n->op, v->at.at[n->a], v->at.at[n->b]); break;
	}
	return STEP_NEXT;
}

static enum step condition_term(const struct assumption *as, const struct inputs *in,
	struct machine *m, struct thread *t, term_t *out)
{
	struct values v = {as, in, m, t, term_bool(m->ts, true), {0}};
	enum step st = STEP_NEXT;
	term_t one = TERM_NONE;

	for (uint32_t i = 0; st == STEP_NEXT && i < as->nodes.n; i++) {
		st = node_term(&v, &as->nodes.at[i], &one);
		vec_push(&v.at, one);
	}
	if (st == STEP_NEXT)
		*out = term_and(m->ts, v.defined, truth(m->ts, vec_last(&v.at)));
	vec_release(&v.at);
	return st;
}

/* The conjunction of the conditions in the state of the machine, of 1 bit; `globals`: of those with a
 * global variable, else of those without. STEP_STOP: a variable cannot be read. */
static enum step assumptions_term(const struct assumptions *as, const struct inputs *in,
	struct machine *m, struct thread *t, bool globals, term_t *out)
{
	*out = term_bool(m->ts, true);
	vec_each (&as->at, i) {
		term_t one;

		if (as->at.at[i].has_global != globals)
			continue;
		if (condition_term(&as->at.at[i], in, m, t, &one) != STEP_NEXT)
			return STEP_STOP;
		*out = term_and(m->ts, *out, one);
	}
	return STEP_NEXT;
}

/* ---- in an exploration ----------------------------------------------------------------------- */

/* Adds the conjuncts one by one: an equation fixes its symbol (sym_reduce()). */
static void assume_conjuncts(struct machine *m, term_t c)
{
	if (term_op(m->ts, c) == TERM_AND && term_width(m->ts, c) == 1) {
		assume_conjuncts(m, term_arg(m->ts, c, 0));
		assume_conjuncts(m, term_arg(m->ts, c, 1));
		return;
	}
	sym_assume(m, c);
}

int assume_at_start(struct explore *ex)
{
	struct machine *m = ex->m;
	struct thread *t = m->threads.at[m->current];
	struct sym *s = &ex->sym;
	term_t c, more = term_bool(ex->ts, true);

	if (!ex->opt.assume)
		return 0;
	if (assumptions_term(ex->opt.assume, ex->opt.inputs, m, t, false, &c) != STEP_NEXT ||
		(ex->opt.from && assumptions_term(ex->opt.assume, ex->opt.inputs, m, t, true,
					 &more) != STEP_NEXT))
		return error_("a variable of --assume cannot be read: %s",
			ex->res.report.s ? ex->res.report.s : "");
	c = term_and(ex->ts, c, more);
	switch (ask_may(s->ask, s->path.at, s->path.n, c)) {
	case ASK_NO: ex->excluded = true; break;
	case ASK_UNKNOWN:
		sym_incomplete(
			m, t, "the solver did not decide whether an input meets the assumption");
		break;
	case ASK_YES: break;
	}
	assume_conjuncts(m, c);
	return 0;
}

enum step assume_at_creation(struct explore *ex, struct thread *t)
{
	bool holds;
	term_t c;

	if (ex->opt.from || !assumptions_have_global(ex->opt.assume))
		return STEP_NEXT;
	if (assumptions_term(ex->opt.assume, ex->opt.inputs, ex->m, t, true, &c) != STEP_NEXT ||
		sym_decide(ex->m, t, c, &holds) != STEP_NEXT)
		return STEP_STOP;
	ex->stats.assumed++;
	if (!holds)
		return stop_unknown(
			ex->m, t, STOP_ASSUMPTION, "the condition of --assume does not hold");
	ex->stats.met++;
	return STEP_NEXT;
}
