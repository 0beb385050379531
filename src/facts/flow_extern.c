/* Constraints of library functions: the effects of libc.def at one call. */
#include "facts/flow.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <string.h>

struct use { /* one effect at one call */
	struct flow *fl;
	struct pts_system *sys;
	uint32_t site, func;
	struct flow_site s;
	const struct extern_effect *e;
};

static uint32_t argument_node(const struct use *u, uint32_t n)
{
	return n < u->s.nargs ? u->fl->args.at[u->s.args + n].node : 0;
}

/* argument n of the call instruction, if it is a constant */
static bool argument_constant(const struct use *u, uint32_t n, int64_t *k)
{
	const struct ir_func *f = &u->fl->p->funcs.at[u->s.func];
	const struct ir_insn *in = &f->insns.at[u->s.insn];

	if (u->s.callback || n >= in->arg[2])
		return false;
	return defs_constant(f, f->extra.at[in->arg[1] + 2 * n], k);
}

static uint32_t move_pointer(const struct use *u, uint32_t from, struct pts_xform x)
{
	uint32_t to;

	if (!from || (x.kind == PTS_SHIFT && !x.c))
		return from;
	to = pts_add_node(u->sys);
	pts_move(u->sys, to, from, x);
	return to;
}

static uint32_t spread_pointer(const struct use *u, uint32_t from)
{
	return move_pointer(u, from, PTS_X_UNKNOWN);
}

static uint32_t access_width(const struct use *u)
{
	return u->e->width ? u->e->width : 8;
}

static uint32_t load_pointer(const struct use *u, uint32_t address)
{
	uint32_t to;

	if (!address)
		return 0;
	to = pts_add_node(u->sys);
	pts_load(u->sys, to, address, access_width(u));
	return to;
}

/* a pointer to any offset of the objects that are reached from the address by `depth` pointers */
static uint32_t reach_inside(const struct use *u, uint32_t address, uint32_t depth)
{
	address = spread_pointer(u, address);
	return depth ? reach_inside(u, load_pointer(u, address), depth - 1) : address;
}

/* an element of an array; argument n is the size of the elements */
static uint32_t element_pointer(const struct use *u, uint32_t base, uint32_t n)
{
	int64_t k;

	if (argument_constant(u, n, &k) && k > 0)
		return move_pointer(u, base, (struct pts_xform){.kind = PTS_INDEX, .c = k});
	return spread_pointer(u, base);
}

/* ---- objects of library functions ---------------------------------------------------------- */

static uint32_t allocate_object(const struct use *u)
{
	uint64_t size = UINT64_MAX;
	int64_t k;

	/* the objects that a wrapper allocates belong to its callers */
	if (!u->s.callback && wrapper_returns_call(&u->fl->wrappers[u->s.func], u->s.insn) &&
		u->e->dst.kind == X_RESULT)
		return 0;
	if (u->e->src.n != NO_ARG && argument_constant(u, u->e->src.n, &k) && k >= 0)
		size = (uint64_t)k;
	return flow_pointer(u->fl, flow_heap(u->fl, u->site, u->func, size), OFFS_ZERO);
}

static uint32_t library_object(const struct use *u, uint32_t level)
{
	uint64_t *slot = map_put(&u->fl->library_at, (uint64_t)u->func << 1 | level);

	if (!*slot)
		*slot = flow_add_object(u->fl, PTS_PLAIN, 16,
			(struct pts_object){.kind = PTS_K_LIBRARY, .func = IR_NONE, .insn = IR_NONE,
				.id = u->func, .size = UINT64_MAX});
	return (uint32_t)*slot;
}

static uint32_t library_table(const struct use *u)
{
	uint32_t top = flow_pointer(u->fl, library_object(u, 0), OFFS_ZERO);
	uint32_t below = flow_pointer(u->fl, library_object(u, 1), OFFS_ANY);

	pts_store(u->sys, spread_pointer(u, top), below, 8);
	return top;
}

/* ---- operands ------------------------------------------------------------------------------ */

static uint32_t read_source(const struct use *u, struct extern_ref r)
{
	uint32_t arg = argument_node(u, r.n);

	switch ((enum extern_operand)r.kind) {
	case X_NONE: return 0;
	case X_ARG: return arg;
	case X_NEAR: return spread_pointer(u, arg);
	case X_AT: return load_pointer(u, move_pointer(u, arg, PTS_X_SHIFT(u->e->x)));
	case X_IN:
	case X_IN_IOV:
	case X_IN_MSG: return load_pointer(u, reach_inside(u, arg, r.kind - X_IN));
	case X_NEAR_AT: return spread_pointer(u, load_pointer(u, arg));
	case X_ELEM: return element_pointer(u, arg, u->e->x);
	case X_POOL: return u->fl->pools[r.n];
	case X_FRESH: return allocate_object(u);
	case X_STATIC: return flow_pointer(u->fl, library_object(u, 0), OFFS_ZERO);
	case X_TABLE: return library_table(u);
	case X_OUTSIDE: return u->sys->external;
	case X_RESULT: return u->s.nresults ? u->s.result : 0;
	case X_AT_RESULT: return u->s.nresults ? load_pointer(u, u->s.result) : 0;
	}
	BUG("operand of kind %d", r.kind);
}

static void put_at(const struct use *u, uint32_t address, uint32_t value)
{
	pts_store(u->sys, address, value, access_width(u));
}

static void write_destination(const struct use *u, struct extern_ref r, uint32_t value)
{
	uint32_t arg = argument_node(u, r.n), result = u->s.nresults ? u->s.result : 0;

	switch ((enum extern_operand)r.kind) {
	case X_NONE: break;
	case X_AT: put_at(u, move_pointer(u, arg, PTS_X_SHIFT(u->e->x)), value); break;
	case X_IN:
	case X_IN_IOV:
	case X_IN_MSG: put_at(u, reach_inside(u, arg, r.kind - X_IN), value); break;
	case X_POOL: pts_copy(u->sys, u->fl->pools[r.n], value); break;
	case X_RESULT: pts_copy(u->sys, result, value); break;
	case X_AT_RESULT: put_at(u, move_pointer(u, result, PTS_X_SHIFT(u->e->x)), value); break;
	default: BUG("effect of '%s' on an operand of kind %d", ir_func_name(u->fl->p, u->func), r.kind);
	}
}

/* ---- effects ------------------------------------------------------------------------------- */

static uint32_t in_flight_object(const struct use *u)
{
	return flow_add_object(u->fl, PTS_IN_FLIGHT, 1,
		(struct pts_object){.kind = PTS_K_FLIGHT, .func = u->s.func, .insn = IR_NONE,
			.size = UINT64_MAX});
}

static void copy_memory(const struct use *u)
{
	uint32_t to = read_source(u, u->e->dst), from = read_source(u, u->e->src), bytes,
		 n = PTS_ALL;
	int64_t k;

	if (!to || !from)
		return;
	if (u->e->x != NO_ARG && argument_constant(u, u->e->x, &k) && k >= 0 && k < OFFS_MAX)
		n = (uint32_t)k;
	bytes = in_flight_object(u);
	pts_fetch(u->sys, bytes, from, n);
	pts_put(u->sys, to, bytes, n);
}

static void add_sort(const struct use *u)
{
	uint32_t elem = element_pointer(u, read_source(u, u->e->dst), u->e->x), bytes, n = PTS_ALL;
	int64_t k;

	if (!elem)
		return;
	if (argument_constant(u, u->e->x, &k) && k > 0 && k < OFFS_MAX)
		n = (uint32_t)k;
	bytes = in_flight_object(u);
	pts_fetch(u->sys, bytes, elem, n);
	pts_put(u->sys, elem, bytes, n);
}

static void add_callback(const struct use *u)
{
	uint32_t args[3], result = 0;

	for (int i = 0; i < 3; i++)
		args[i] = read_source(u, u->e->args[i]);
	if (u->e->dst.kind == X_POOL)
		result = u->fl->pools[u->e->dst.n];
	if (u->e->op == X_SPAWN && args[0])
		vec_push(&u->fl->shared, args[0]);
	flow_callback(u->fl, u->site, read_source(u, u->e->src), args, 3, result);
}

/* May the format have %m? True for an unknown format. */
static bool format_allocates(const struct use *u)
{
	const struct ir_func *f = &u->fl->p->funcs.at[u->s.func];
	const struct ir_insn *in = &f->insns.at[u->s.insn];
	const struct ir_global *g;
	const struct ir_const *c;
	ir_ref r;

	if (u->s.callback || u->e->x >= in->arg[2])
		return true;
	r = f->extra.at[in->arg[1] + 2 * u->e->x];
	if (!ir_is_const(r))
		return true;
	c = ir_const(f, r);
	if (c->kind != IR_C_GLOBAL)
		return true;
	g = &u->fl->p->globals.at[c->id];
	if (!(g->flags & IR_G_CONST) || g->flags & IR_G_EXTERN)
		return true;
	if (!g->init || c->lo >= g->size)
		return false;
	return memchr(g->init + c->lo, 'm', g->size - c->lo) != NULL;
}

static void add_scan(const struct use *u)
{
	uint32_t object;

	if (!format_allocates(u))
		return;
	object = flow_pointer(u->fl, flow_heap(u->fl, u->site, u->func, UINT64_MAX), OFFS_ZERO);
	for (uint32_t i = u->e->x + 1; i < u->s.nargs; i++)
		put_at(u, argument_node(u, i), object);
}

void flow_extern(struct flow *fl, uint32_t site, uint32_t func)
{
	struct use u = {fl, &fl->sys, site, func, fl->sites.at[site], NULL};

	for (u.e = fl->externs[func]->effects; u.e->op; u.e++)
		switch ((enum extern_op)u.e->op) {
		case X_END:
		case X_ANYTHING: /* externs_resolve() leaves these functions out */
		case X_KEEPS: break;
		case X_SET: write_destination(&u, u.e->dst, read_source(&u, u.e->src)); break;
		case X_COPY: copy_memory(&u); break;
		case X_CALL:
		case X_SPAWN: add_callback(&u); break;
		case X_SORT: add_sort(&u); break;
		case X_SCAN: add_scan(&u); break;
		case X_UNLESS:
			if (format_allocates(&u))
				flow_unknown(fl, site);
			break;
		}
}
