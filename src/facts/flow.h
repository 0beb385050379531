/*
 * From a program to inclusion constraints: inside points_to.c. Every register of an analysed
 * function is a node; what instructions do with pointers is in flow_insn.c, calls in flow_call.c,
 * the effects of library functions in flow_extern.c.
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
	uint64_t byval; /* size of the object behind it that is passed, 0 = the pointer itself */
};

struct flow_site { /* a call instruction, or a call that a library function makes */
	uint32_t func, insn; /* of the call instruction; IR_NONE: code outside calls */
	uint32_t args, nargs; /* in flow.args */
	uint32_t result;      /* first node of the results */
	uint32_t nresults;
	bool callback;
};

struct flow_func {
	uint32_t regs;    /* node of register 0; 0 = not analysed */
	uint32_t rets;    /* node of result 0 */
	uint32_t varargs; /* node that points to the variable arguments, 0 = takes none */
};

struct flow_bound { /* a function that a site may call */
	uint32_t site, func; /* func IR_NONE: one that is not in the program */
};

struct flow {
	const struct ir_program *p;
	struct arena arena;
	struct pts_system sys;
	VEC(struct pts_object) objects; /* by id, like sys.objects */
	struct flow_func *funcs;
	const struct extern_summary **externs;
	struct defs *defs; /* only while the constraints are made */
	struct wrapper *wrappers;
	VEC(struct flow_site) sites; /* [0] is code outside, as a caller */
	VEC(struct flow_arg) args;
	VEC(struct flow_bound) bounds;
	struct map bound;          /* site << 32 | function */
	struct map constants;      /* address constants -> node */
	struct map heap_at;        /* call site and function -> object */
	struct map site_at;        /* function << 32 | instruction -> first site */
	struct map library_at;     /* function << 1 | level -> object */
	struct map local_at;       /* function << 32 | local -> object */
	struct map slot_at;        /* object -> node, for a local that is a slot (defs.h) */
	uint32_t *global_object, *func_object;
	uint32_t pools[NPOOLS];
	bool direct_only; /* points_to_options */
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
/* a node that points to the whole object, or to its start */
uint32_t flow_pointer(struct flow *fl, uint32_t object, struct offs at);
/* The node of an operand; 0 if it can hold no address. */
uint32_t flow_node(struct flow *fl, uint32_t func, ir_ref r);

/* flow_insn.c */
void flow_insn(struct flow *fl, uint32_t func, uint32_t insn);

/* flow_call.c: the call instruction as a site; a direct one is bound at once */
void flow_call(struct flow *fl, uint32_t func, uint32_t insn);
/* A call that a library function makes on behalf of a site. args: nodes. */
void flow_callback(struct flow *fl, uint32_t site, uint32_t target, const uint32_t *args,
	uint32_t nargs, uint32_t result);
/* pts_system.bind */
void flow_bind(void *ctx, uint32_t site, uint32_t object);
/* Whatever: the arguments escape, the results come from outside. */
void flow_unknown(struct flow *fl, uint32_t site);
/* The heap object of a call that allocates; made on first use. */
uint32_t flow_heap(struct flow *fl, uint32_t site, uint32_t func, uint64_t size);
/* The objects that a wrapper allocates for callers that are not known. */
void flow_wrapper_default(struct flow *fl, uint32_t func);
/* The wrapper's own allocations are, among others, that object. */
void flow_wrapper_gets(struct flow *fl, uint32_t func, uint32_t object);

/* flow_extern.c */
void flow_extern(struct flow *fl, uint32_t site, uint32_t func);

#endif
