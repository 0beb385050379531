/*
 * Terms as SMT-LIB, in which Bool and a vector of one bit are different sorts. A term of one bit is
 * a Bool; it is converted for operations that need a vector (extensions and concatenations).
 */
#include "base/map.h"
#include "base/vec.h"
#include "base/base.h"
#include "base/strbuf.h"
#include "term/term_float.h"
#include "term/term_table.h"

#include <stdlib.h>
#include <string.h>

static const char *const smt_name[] = {
#define TERM_OP(id, name, arity) name,
#include "term/term_ops.def"
#undef TERM_OP
};

/* the depth of nesting at which a part of an expression gets a name */
enum { MAX_NESTING = 32 };

#define ARRAY_SORT "(Array (_ BitVec 64) (_ BitVec 8))"

struct printer {
	const struct terms *ts;
	struct strbuf *sb;
	struct map bound; /* id -> 1: has a name */
};

static void print_const(struct strbuf *sb, unsigned width, u128 v)
{
	if (width == 1) {
		strbuf_adds(sb, v ? "true" : "false");
	} else if (width % 4) {
		strbuf_adds(sb, "#b");
		for (unsigned i = width; i--;)
			strbuf_addc(sb, v >> i & 1 ? '1' : '0');
	} else {
		strbuf_adds(sb, "#x");
		for (unsigned i = width / 4; i--;)
			strbuf_addc(sb, "0123456789abcdef"[v >> (4 * i) & 15]);
	}
}

/* The name of a symbol, another one for each symbol. SMT-LIB does not permit '|' and '\\'. Names like
 * b7 and n7 are those of variables and nodes (problem.h), ?7 and !r those of parts of a term; "b7"
 * and "|b7|" are the same name in SMT-LIB. */
static void print_name(struct strbuf *sb, const char *name)
{
	bool taken = *name == '?' || *name == '!' ||
		     ((*name == 'b' || *name == 'n') && name[1] &&
			     !name[1 + strspn(name + 1, "0123456789")]);

	strbuf_adds(sb, taken ? "|%" : "|");
	for (; *name; name++)
		if (*name == '|' || *name == '\\' || *name == '%')
			strbuf_addf(sb, "%%%02x", (unsigned)*name);
		else
			strbuf_addc(sb, *name);
	strbuf_addc(sb, '|');
}

static void print_use(struct printer *p, term_t t);

static void print_as_vector(struct printer *p, term_t t)
{
	if (tt_width(p->ts, t) != 1) {
		print_use(p, t);
		return;
	}
	strbuf_adds(p->sb, "(ite ");
	print_use(p, t);
	strbuf_adds(p->sb, " #b1 #b0)");
}

static const char *name_of(const struct term_node *n)
{
	if (n->width == 1)
		switch (n->op) {
		case TERM_NOT: return "not";
		case TERM_AND: return "and";
		case TERM_OR: return "or";
		case TERM_XOR: return "xor";
		default: break;
		}
	return smt_name[n->op];
}

static void print_format(struct strbuf *sb, unsigned width)
{
	strbuf_adds(sb, width == 32 ? "8 24" : "11 53");
}

/* the bits of t as a floating-point number */
static void print_float(struct printer *p, term_t t)
{
	strbuf_adds(p->sb, "((_ to_fp ");
	print_format(p->sb, tt_width(p->ts, t));
	strbuf_adds(p->sb, ") ");
	print_use(p, t);
	strbuf_addc(p->sb, ')');
}

static void print_power(struct printer *p, unsigned width, u128 bits)
{
	strbuf_adds(p->sb, "((_ to_fp ");
	print_format(p->sb, width);
	strbuf_adds(p->sb, ") ");
	print_const(p->sb, width, bits);
	strbuf_addc(p->sb, ')');
}

/* Conversion to an integer. SMT-LIB defines it only if the number fits; else the result is the one
 * of term_float.c, 1 << (width - 1). */
static void print_to_int(struct printer *p, term_t t)
{
	const struct term_node *n = tt_node(p->ts, t);
	term_t a = tt_arg(p->ts, t, 0);
	unsigned wa = tt_width(p->ts, a), sign = n->op == TERM_FTOS;

	strbuf_adds(p->sb, "(let ((!r ");
	print_float(p, a);
	strbuf_adds(p->sb, ")) (ite (and (fp.lt !r ");
	print_power(p, wa, term_float_power(wa, n->width - sign));
	strbuf_adds(p->sb, ") (fp.geq !r ");
	print_power(p, wa, sign ? term_float_power(wa, n->width - 1u) | (u128)1 << (wa - 1) : 0);
	strbuf_addf(p->sb, ")) ((_ %s %u) RTZ !r) ", smt_name[n->op], n->width);
	print_const(p->sb, n->width, (u128)1 << (n->width - 1));
	strbuf_adds(p->sb, "))");
}

/* the operation on floating-point numbers, and the bits of its result */
static void print_float_operation(struct printer *p, term_t t)
{
	static const char *const mode[] = {"RNE", "RNA", "RTN", "RTP", "RTZ"};
	const struct term_node *n = tt_node(p->ts, t);
	bool to_fp = n->op == TERM_FCVT || n->op == TERM_FFROMS || n->op == TERM_FFROMU;

	if (n->op == TERM_FTOS || n->op == TERM_FTOU) {
		print_to_int(p, t);
		return;
	}
	strbuf_adds(p->sb, to_fp ? "(let ((!r ((_ " : "(let ((!r (");
	strbuf_adds(p->sb, smt_name[n->op]);
	if (to_fp) {
		strbuf_addc(p->sb, ' ');
		print_format(p->sb, n->width);
		strbuf_addc(p->sb, ')');
	}
	strbuf_addf(p->sb, " %s", mode[n->op == TERM_FROUND ? n->low : TERM_RNE]);
	for (unsigned i = 0; i < tt_arity(n->op); i++) {
		strbuf_addc(p->sb, ' ');
		if (n->op == TERM_FFROMS || n->op == TERM_FFROMU)
			print_as_vector(p, tt_arg(p->ts, t, i));
		else
			print_float(p, tt_arg(p->ts, t, i));
	}
	strbuf_adds(p->sb, "))) (ite (fp.isNaN !r) ");
	print_const(p->sb, n->width, term_float_nan(n->width));
	strbuf_adds(p->sb, " (fp.to_ieee_bv !r)))");
}

static void print_operation(struct printer *p, term_t t)
{
	const struct term_node *n = tt_node(p->ts, t);
	term_t a = tt_arg(p->ts, t, 0);

	if (term_op_is_float(n->op)) {
		print_float_operation(p, t);
		return;
	}
	switch (n->op) {
	case TERM_ZEXT:
	case TERM_SEXT:
		strbuf_addf(p->sb, "((_ %s %u) ", smt_name[n->op], n->width - tt_width(p->ts, a));
		print_as_vector(p, a);
		break;
	case TERM_EXTRACT:
		strbuf_addf(p->sb, "%s((_ extract %u %u) ", n->width == 1 ? "(= #b1 " : "",
			n->low + n->width - 1u, n->low);
		print_use(p, a);
		if (n->width == 1)
			strbuf_addc(p->sb, ')');
		break;
	case TERM_FILL:
		strbuf_adds(p->sb, "((as const " ARRAY_SORT ") ");
		print_use(p, a);
		break;
	default:
		strbuf_addf(p->sb, "(%s", name_of(n));
		for (unsigned i = 0; i < tt_arity(n->op); i++) {
			strbuf_addc(p->sb, ' ');
			if (n->op == TERM_CONCAT)
				print_as_vector(p, tt_arg(p->ts, t, i));
			else
				print_use(p, tt_arg(p->ts, t, i));
		}
	}
	strbuf_addc(p->sb, ')');
}

static void print_use(struct printer *p, term_t t)
{
	u128 v;

	if (term_is_const(p->ts, t, &v))
		print_const(p->sb, tt_width(p->ts, t), v);
	else if (tt_is(p->ts, t, TERM_SYM))
		print_name(p->sb, term_name(p->ts, t));
	else if (map_get(&p->bound, t.id))
		strbuf_addf(p->sb, "?%u", t.id);
	else
		print_operation(p, t);
}

/* selects the parts that get a name: those used more than once, and those nested too deep */
static void choose_names(const struct terms *ts, const struct vec_u32 *parts, term_t root,
	struct map *named, struct vec_u32 *order)
{
	struct map uses = {0}, depth = {0};

	vec_each (parts, i) {
		term_t t = {parts->at[i]};

		for (unsigned k = 0; k < tt_arity(tt_node(ts, t)->op); k++)
			++*map_put(&uses, tt_arg(ts, t, k).id);
	}
	vec_each (parts, i) {
		term_t t = {parts->at[i]};
		uint64_t d = 0;

		if (!tt_arity(tt_node(ts, t)->op))
			continue;
		for (unsigned k = 0; k < tt_arity(tt_node(ts, t)->op); k++)
			d = MAX(d, map_get_or(&depth, tt_arg(ts, t, k).id, 0) + 1);
		if (!term_same(t, root) && (map_get_or(&uses, t.id, 0) > 1 || d >= MAX_NESTING)) {
			*map_put(named, t.id) = 1;
			vec_push(order, t.id);
			d = 0;
		}
		*map_put(&depth, t.id) = d;
	}
	map_release(&uses);
	map_release(&depth);
}

void term_print(struct strbuf *sb, const struct terms *ts, term_t t)
{
	struct printer p = {.ts = ts, .sb = sb};
	struct vec_u32 parts = {0}, order = {0};
	struct map named = {0};

	term_reach(ts, &t, 1, &parts);
	choose_names(ts, &parts, t, &named, &order);
	vec_each (&order, i) {
		strbuf_addf(sb, "(let ((?%u ", order.at[i]);
		print_operation(&p, (term_t){order.at[i]});
		strbuf_adds(sb, ")) ");
		*map_put(&p.bound, order.at[i]) = 1;
	}
	print_use(&p, t);
	vec_each (&order, i)
		strbuf_addc(sb, ')');
	map_release(&p.bound);
	map_release(&named);
	vec_release(&parts);
	vec_release(&order);
}

void term_print_decl(struct strbuf *sb, const struct terms *ts, term_t sym)
{
	strbuf_adds(sb, "(declare-const ");
	print_name(sb, term_name(ts, sym));
	if (!tt_width(ts, sym))
		strbuf_adds(sb, " " ARRAY_SORT ")\n");
	else if (tt_width(ts, sym) == 1)
		strbuf_adds(sb, " Bool)\n");
	else
		strbuf_addf(sb, " (_ BitVec %u))\n", tt_width(ts, sym));
}
