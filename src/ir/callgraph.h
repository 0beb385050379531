/*
 * Call graph of a program: which functions each call instruction may call. The callees of direct
 * calls come from the IR; those of indirect calls come from a function that the user of the graph
 * provides, usually a points-to analysis. The start of a thread is not a call; a call that a
 * function without a body makes through a pointer that it was given is not in the graph either.
 *
 * Valid until the program changes. Linear in sites and edges; heap, owned by the struct.
 *
 *  - sites of function f: sites[site_at[f] .. site_at[f + 1]), by ascending instruction
 *  - callees of a site: callees[first .. first + n), ascending, each once
 *  - callers of f: indices of sites in callers[caller_at[f] .. caller_at[f + 1]), ascending
 *  - strongly connected components are numbered callees first: a function calls only functions of
 *    its own component or of components with lower numbers
 */
#ifndef HEDDLE_IR_CALLGRAPH_H
#define HEDDLE_IR_CALLGRAPH_H

#include "base/bitset.h"
#include "base/vec.h"
#include "ir/ir.h"

struct call_site {
	uint32_t func, insn; /* insn indexes ir_func.insns */
	uint32_t first, n;
	bool indirect;
};

struct callgraph {
	uint32_t nfuncs, nsccs;
	uint32_t *site_at;
	VEC(struct call_site) sites;
	VEC(uint32_t) callees;
	uint32_t *caller_at, *callers;
	uint32_t *scc_of;            /* by function */
	/* members of component s: scc_func[scc_at[s] .. scc_at[s + 1]) */
	uint32_t *scc_at, *scc_func;
	bool *recursive;             /* by function: it may call itself, directly or through
					others */
};

/* Calls add(add_ctx, callee) for every function that the call at funcs[func].insns[insn] may call,
 * in any order; repetitions are allowed. */
typedef void (*callgraph_resolve)(void *ctx, uint32_t func, uint32_t insn,
	void (*add)(void *, uint32_t callee), void *add_ctx);

/* resolve may be NULL; indirect calls then have no callees */
void callgraph_init(struct callgraph *g, const struct ir_program *p, callgraph_resolve resolve,
	void *ctx);
void callgraph_release(struct callgraph *g);

/* the call site of the instruction, or NULL; logarithmic */
const struct call_site *callgraph_site(const struct callgraph *g, uint32_t func, uint32_t insn);

#endif
