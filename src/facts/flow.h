/*
 * The inclusion constraints of a program (constraints.h); private to points_to.c. Every register of
 * an analysed function is a node. flow_insn.c has the constraints of instructions, flow_call.c
 * those of calls, flow_extern.c those of library functions.
 *
 * Lifetime: heap, owner struct points_to.
 */
#ifndef HEDDLE_FACTS_FLOW_H
#define HEDDLE_FACTS_FLOW_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "facts/points_to.h"
#include "facts/wrappers.h"

struct flow_arg {
	uint32_t node;
	uint64_t byval; /* bytes that are passed by value behind the pointer, 0 = the pointer
			   itself */
};

struct flow_site { /* a call instruction, or a call that a library function makes */
	uint32_t func, insn; /* of the call instruction; IR_NONE: a call by code outside */
	uint32_t args, nargs; /* range of flow.args */
	uint32_t result;      /* first node of the results */
	uint32_t nresults;
	bool callback;        /* a call that a library function makes */
};

struct flow_func {
	uint32_t regs;    /* node of register 0; 0 = not analysed */
	uint32_t rets;    /* node of result 0 */
	uint32_t varargs; /* node that points to the variable arguments, 0 = it has none */
};

struct flow_bound { /* a function that a site may call */
	uint32_t site, func; /* func is IR_NONE for a function that is not in the program */
};

struct flow {
	const struct ir_program *p;
	struct arena arena;
	struct pts_system sys;
	VEC(struct pts_object) objects; /* by id, like sys.objects */
	struct flow_func *funcs;
	const struct extern_summary **externs;
	struct defs *defs; /* by function; only during flow_init() */
	struct wrapper *wrappers;
	VEC(struct flow_site) sites; /* [0] represents all calls by code outside */
	VEC(struct flow_arg) args;
	VEC(struct flow_bound) bounds;
	struct map bound;          /* set of site << 32 | function */
	struct map constants;      /* address constants -> node */
	struct map heap_at;        /* function << 32 | call instruction -> heap object */
	struct map site_at;        /* function << 32 | instruction -> first site */
	struct map library_at;     /* function << 1 | level -> object */
	struct map local_at;       /* function << 32 | local, or IR_CONST_BIT | byval parameter ->
				      object */
	struct map slot_at;        /* object -> node, for a local that is a slot (defs.h) */
	uint32_t *global_object, *func_object;
	uint32_t pools[NPOOLS];
	bool direct_only; /* points_to_options.direct_only */
	VEC(uint32_t) shared; /* nodes whose values pass from one thread to another */
};

void flow_init(struct flow *fl, const struct ir_program *p, const struct points_to_options *opt);
void flow_release(struct flow *fl);

static inline uint64_t flow_key(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

uint32_t flow_add_object(struct flow *fl, enum pts_memory memory, uint32_t align,
	struct pts_object o);
/* a new node that points to these offsets of the object */
uint32_t flow_pointer(struct flow *fl, uint32_t object, struct offs at);
/* The node of an operand or slot; 0 if it cannot hold an address. */
uint32_t flow_node(struct flow *fl, uint32_t func, ir_ref r);

/* flow_insn.c: adds the constraints of the instruction */
void flow_insn(struct flow *fl, uint32_t func, uint32_t insn);

/* flow_call.c: adds a site for the call instruction; a direct call is bound immediately */
void flow_call(struct flow *fl, uint32_t func, uint32_t insn);
/* Adds a site for a call that a library function makes when it is called at `site`. args: nodes. */
void flow_callback(struct flow *fl, uint32_t site, uint32_t target, const uint32_t *args,
	uint32_t nargs, uint32_t result);
/* pts_system.bind: the site may call the function that the object represents */
void flow_bind(void *ctx, uint32_t site, uint32_t object);
/* The site calls an unknown function: the arguments escape, the results come from outside. */
void flow_unknown(struct flow *fl, uint32_t site);
/* The heap object of a call that allocates; created on first use. */
uint32_t flow_heap(struct flow *fl, uint32_t site, uint32_t func, uint64_t size);
/* Adds the object that represents the allocations of a wrapper for unknown callers. */
void flow_wrapper_default(struct flow *fl, uint32_t func);

/* flow_extern.c: the effects of a library function of libc.def at one call */
void flow_extern(struct flow *fl, uint32_t site, uint32_t func);

#endif
