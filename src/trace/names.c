#include "trace/names.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "log/words.h"
#include "trace/names_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longest expression and longest chain of address computations that are traversed. A longer name
 * would not be readable. */
enum { MAX_DEPTH = 6, MAX_CHAIN = 32 };

struct namer { /* builds the names of one function */
	struct names *n;
	const struct ir_program *p;
	const struct ir_func *f;
	uint32_t *def; /* by register: the instruction that defines it, IR_NONE */
};

struct expr {
	const char *text; /* NULL: no name */
	uint32_t dtype;   /* 0 = unknown */
};

static struct expr name_lvalue(
	struct namer *na, ir_ref addr, uint64_t size, bool whole, uint32_t depth);

/* Moves the text into the arena; NULL if it is empty. */
static const char *keep_text(struct namer *na, struct strbuf *b)
{
	const char *s = b->n ? arena_strdup(&na->n->arena, b->s) : NULL;

	strbuf_release(b);
	return s;
}

static const struct ir_insn *def_of(const struct namer *na, ir_ref r)
{
	return ir_is_reg(r) && na->def[r] != IR_NONE ? &na->f->insns.at[na->def[r]] : NULL;
}

/* ---- values used in an address -------------------------------------------------------------- */

static const char *index_text(struct namer *na, ir_ref r, uint32_t depth);

static const char *index_sum(struct namer *na, const struct ir_insn *in, uint32_t depth)
{
	const char *a = index_text(na, in->arg[0], depth + 1), *op = ir_ops[in->op].name;
	struct strbuf b = {0};

	if (ir_is_const(in->arg[1]) && in->op == IR_ADD) {
		const struct ir_const *c = ir_const(na->f, in->arg[1]);
		int64_t k = (int64_t)bits_signed(c->lo, ir_type_bits(c->type));

		strbuf_addf(&b, "%s %c %" PRId64, a, k < 0 ? '-' : '+', k < 0 ? -k : k);
	} else {
		op = in->op == IR_ADD   ? "+"
		     : in->op == IR_SUB ? "-"
		     : in->op == IR_MUL ? "*"
		     : in->op == IR_AND ? "&"
		     : in->op == IR_SHL ? "<<"
					: "%";
		strbuf_addf(&b, "%s %s %s", a, op, index_text(na, in->arg[1], depth + 1));
	}
	return strstr(b.s, "…") ? (strbuf_release(&b), "…") : keep_text(na, &b);
}

static const char *index_text(struct namer *na, ir_ref r, uint32_t depth)
{
	const struct ir_insn *in = def_of(na, r);
	struct strbuf b = {0};
	struct expr e;

	if (ir_is_const(r) && ir_const(na->f, r)->kind == IR_C_BITS) {
		const struct ir_const *c = ir_const(na->f, r);

		strbuf_addf(&b, "%" PRId64, (int64_t)bits_signed(c->lo, ir_type_bits(c->type)));
		return keep_text(na, &b);
	}
	if (ir_is_reg(r) && na->f->regs.at[r].name)
		return ir_str(na->p, na->f->regs.at[r].name);
	if (!in || depth > MAX_DEPTH)
		return "…";
	switch (in->op) {
	case IR_SEXT:
	case IR_ZEXT:
	case IR_TRUNC:
	case IR_COPY:
	case IR_FREEZE: return index_text(na, in->arg[0], depth + 1);
	case IR_ADD:
	case IR_SUB:
	case IR_MUL:
	case IR_AND:
	case IR_SHL:
	case IR_UREM:
	case IR_SREM: return index_sum(na, in, depth);
	case IR_LOAD:
		e = name_lvalue(na, in->arg[0], ir_type_bytes(in->type), false, depth + 1);
		return e.text ? e.text : "…";
	default: return "…";
	}
}

/* ---- objects at addresses ------------------------------------------------------------------- */

/* Collects the additions of an address in w; returns the base that they are added to. */
static ir_ref address_base(struct namer *na, ir_ref r, struct path *w, uint32_t depth)
{
	for (uint32_t i = 0; i < MAX_CHAIN && ir_is_reg(r); i++) {
		const struct ir_insn *in = def_of(na, r);

		if (!in ||
			(na->f->regs.at[r].name && names_pointee(na->p, na->f->regs.at[r].dtype)))
			break;
		if (in->op == IR_PADD) {
			w->offset += in->imm;
			if (in->arg[1] != IR_NONE && w->nterms == PATH_TERMS)
				break;
			if (in->arg[1] != IR_NONE)
				w->terms[w->nterms++] =
					(struct path_term){index_text(na, in->arg[1], depth + 1),
						(int64_t)(int32_t)in->arg[2]};
		} else if (in->op != IR_COPY && in->op != IR_FREEZE) {
			break;
		}
		r = in->arg[0];
	}
	return r;
}

/* Text and type of the pointer r. */
static struct expr name_pointer(struct namer *na, ir_ref r, uint32_t depth)
{
	const struct ir_insn *in = def_of(na, r);
	const struct ir_reg *reg;
	struct strbuf b = {0};

	if (!ir_is_reg(r))
		return (struct expr){0};
	reg = &na->f->regs.at[r];
	if (reg->name)
		return (struct expr){ir_str(na->p, reg->name), reg->dtype};
	if (!in)
		return (struct expr){0};
	if (in->op == IR_LOAD)
		return name_lvalue(na, in->arg[0], 8, false, depth + 1);
	if (ir_callee(na->f, in) != IR_NONE) {
		strbuf_addf(&b, "%s(…)", ir_func_name(na->p, ir_callee(na->f, in)));
		return (struct expr){keep_text(na, &b), 0};
	}
	return (struct expr){0};
}

/* Name of memory at a pointer: p->a, p[i].a, *p, *(p + 24) */
static struct expr through_pointer(struct namer *na, struct expr p, struct path *w)
{
	uint32_t elem = names_pointee(na->p, p.dtype), kind;
	uint64_t s = dtype_size(na->p, elem);
	struct strbuf b = {0};
	bool bare;

	if (!p.text)
		return (struct expr){0};
	w->out = &b;
	w->dtype = elem;
	if (!s || (!elem && (w->offset || w->nterms))) {
		if (!w->offset && !w->nterms)
			strbuf_addf(&b, "*%s", p.text);
		else if (w->nterms)
			strbuf_addf(&b, "%s[…]", p.text);
		else
			strbuf_addf(&b, "*(%s %c %" PRId64 ")", p.text, w->offset < 0 ? '-' : '+',
				w->offset < 0 ? -w->offset : w->offset);
		return (struct expr){keep_text(na, &b), 0};
	}
	strbuf_adds(&b, p.text);
	kind = na->p->dtypes.at[names_strip(na->p, elem)].kind;
	if (path_has_index(w, s)) {
		path_index(w, s);
		w->begun = true;
	}
	bare = !w->begun;
	if (bare && kind != IR_D_STRUCT && kind != IR_D_UNION && kind != IR_D_ARRAY) {
		strbuf_clear(&b);
		strbuf_addf(&b, "*%s", p.text);
	}
	path_walk(w, "->");
	if (bare && !strcmp(b.s, p.text)) { /* the whole struct */
		strbuf_clear(&b);
		strbuf_addf(&b, "*%s", p.text);
	}
	return (struct expr){keep_text(na, &b), w->dtype};
}

/* Name of memory in a variable. */
static struct expr name_inside(struct namer *na, uint32_t name, uint32_t dtype, struct path *w)
{
	struct strbuf b = {0};

	if (!name || !*ir_str(na->p, name))
		return (struct expr){0};
	strbuf_adds(&b, ir_str(na->p, name));
	w->out = &b;
	w->dtype = dtype;
	path_walk(w, ".");
	return (struct expr){keep_text(na, &b), w->dtype};
}

/* The name of the `size` bytes at an address; whole: a name of a whole object is allowed. */
static struct expr name_lvalue(
	struct namer *na, ir_ref addr, uint64_t size, bool whole, uint32_t depth)
{
	struct path w = {.p = na->p, .size = size, .whole = whole};
	const struct ir_insn *in;
	ir_ref base;

	if (depth > MAX_DEPTH || addr == IR_NONE)
		return (struct expr){0};
	base = address_base(na, addr, &w, depth);
	if (ir_is_const(base)) {
		const struct ir_const *c = ir_const(na->f, base);
		const struct ir_global *g;

		if (c->kind != IR_C_GLOBAL)
			return (struct expr){0};
		g = &na->p->globals.at[c->id];
		w.offset += (int64_t)c->lo;
		return name_inside(na, g->name, g->dtype, &w);
	}
	in = def_of(na, base);
	if (in && in->op == IR_ALLOCA) {
		const struct ir_local *l = &na->f->locals.at[in->imm];

		return name_inside(na, l->name, l->dtype, &w);
	}
	return through_pointer(na, name_pointer(na, base, depth), &w);
}

/* ---- instructions --------------------------------------------------------------------------- */

/* The variable that the register holds, or the memory that its value is stored to after insn. */
static struct expr name_assigned(struct namer *na, uint32_t reg, uint32_t insn)
{
	if (reg == IR_NONE)
		return (struct expr){0};
	if (na->f->regs.at[reg].name)
		return (struct expr){
			ir_str(na->p, na->f->regs.at[reg].name), na->f->regs.at[reg].dtype};
	for (uint32_t i = insn + 1; i < na->f->insns.n && i < insn + 20; i++) {
		const struct ir_insn *in = &na->f->insns.at[i];

		if (in->op == IR_STORE && in->arg[1] == reg)
			return name_lvalue(na, in->arg[0], 8, false, 0);
	}
	return (struct expr){0};
}

static struct expr call_name(struct namer *na, const struct ir_insn *in, uint32_t insn)
{
	const struct ir_const *c = ir_is_const(in->arg[0]) ? ir_const(na->f, in->arg[0]) : NULL;
	const struct log_sync_fn *fn;
	const char *callee;
	ir_ref arg;
	int object;

	if (!c || c->kind != IR_C_FUNC)
		return (struct expr){0};
	callee = ir_func_name(na->p, c->id);
	fn = log_sync_find(callee);
	object = !strcmp(callee, "posix_memalign") ? 0 : fn ? fn->object : -1;
	if (object < 0 || (uint32_t)object >= in->arg[2])
		return name_assigned(na, in->dst, insn);
	arg = na->f->extra.at[in->arg[1] + 2 * (uint32_t)object];
	if (!strcmp(callee, "free") || !strncmp(callee, "realloc", 7))
		return name_pointer(na, arg, 0);
	return name_lvalue(na, arg, UINT64_MAX, true, 0);
}

static uint64_t bulk_size(const struct namer *na, const struct ir_insn *in)
{
	return ir_is_const(in->arg[2]) ? ir_const(na->f, in->arg[2])->lo : UINT64_MAX;
}

static void name_insn(struct namer *na, uint32_t i, struct insn_names *out)
{
	const struct ir_insn *in = &na->f->insns.at[i];
	struct expr to = {0}, from = {0};

	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD:
	case IR_S_RMW:
	case IR_S_CAS: to = name_lvalue(na, in->arg[0], ir_type_bytes(in->type), false, 0); break;
	case IR_S_STORE:
		to = name_lvalue(na, in->arg[0], ir_type_bytes(in->type2), false, 0);
		break;
	case IR_S_BULK:
		to = name_lvalue(na, in->arg[0], bulk_size(na, in), true, 0);
		if (in->op != IR_MEMSET)
			from = name_lvalue(na, in->arg[1], bulk_size(na, in), true, 0);
		break;
	case IR_S_CALL: to = call_name(na, in, i); break;
	case IR_S_VA: to = name_lvalue(na, in->arg[0], 24, true, 0); break;
	default: break;
	}
	out->to = (struct access_name){to.text, to.dtype};
	out->from = (struct access_name){from.text, from.dtype};
}

static struct insn_names *name_function(struct names *n, uint32_t func)
{
	struct namer na = {.n = n, .p = n->p, .f = &n->p->funcs.at[func]};
	struct insn_names *out = arena_array(&n->arena, struct insn_names, na.f->insns.n + 1);

	na.def = xmalloc(((size_t)na.f->regs.n + 1) * sizeof *na.def);
	memset(na.def, 0xff, ((size_t)na.f->regs.n + 1) * sizeof *na.def);
	vec_each (&na.f->insns, i) {
		const struct ir_insn *in = &na.f->insns.at[i];

		for (uint32_t k = 0; in->dst != IR_NONE && k < ir_insn_ndst(in); k++)
			na.def[in->dst + k] = i;
	}
	vec_each (&na.f->insns, i)
		name_insn(&na, i, &out[i]);
	free(na.def);
	return out;
}

/* ---- interface ------------------------------------------------------------------------------ */

void names_init(struct names *n, const struct ir_program *p)
{
	*n = (struct names){.p = p, .lock = PTHREAD_MUTEX_INITIALIZER};
	n->funcs = xcalloc((size_t)p->funcs.n + 1, sizeof *n->funcs);
	arena_init(&n->arena);
}

void names_release(struct names *n)
{
	free(n->funcs);
	arena_release(&n->arena);
}

const struct insn_names *names_of(struct names *n, uint32_t func, uint32_t insn)
{
	static const struct insn_names none;
	struct insn_names *in;

	if (func >= n->p->funcs.n || insn >= n->p->funcs.at[func].insns.n)
		return &none;
	in = __atomic_load_n(&n->funcs[func], __ATOMIC_ACQUIRE);
	if (!in) {
		pthread_mutex_lock(&n->lock);
		if (!(in = n->funcs[func])) {
			in = name_function(n, func);
			__atomic_store_n(&n->funcs[func], in, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&n->lock);
	}
	return &in[insn];
}

void names_pos(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn)
{
	struct diag_pos pos = {0};

	if (func < p->funcs.n && insn < p->funcs.at[func].insns.n)
		pos = ir_diag_pos(p, p->funcs.at[func].insns.at[insn].pos);
	if (!pos.file && func < p->funcs.n)
		pos = ir_diag_pos(p, p->funcs.at[func].pos);
	if (!pos.file) {
		strbuf_adds(out, func < p->funcs.n ? ir_func_name(p, func) : "?");
		return;
	}
	strbuf_addf(out, "%s:%u", pos.file, pos.line);
	if (pos.col)
		strbuf_addf(out, ":%u", pos.col);
}

void names_place(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn)
{
	uint32_t pos = 0;
	const char *name = NULL;

	if (func >= p->funcs.n) {
		strbuf_adds(out, "?");
		return;
	}
	if (insn < p->funcs.at[func].insns.n)
		pos = p->funcs.at[func].insns.at[insn].pos;
	if (pos && p->positions.at[pos].func)
		name = ir_str(p, p->positions.at[pos].func);
	names_pos(out, p, func, insn);
	strbuf_addf(out, " in '%s'", name ? name : ir_func_name(p, func));
}
