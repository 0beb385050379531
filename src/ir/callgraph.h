/*
 * Call graph of a program: who may call whom, from which instruction. Direct calls are read off
 * the IR; for every other call site the caller of callgraph_init() names the callees, as a
 * points-to analysis knows them. Starting a thread is not a call, and neither is what a function
 * without a body does with a pointer it is given.
 *
 * Valid until the program changes. Linear in sites and edges; heap, owned by the struct.
 *
 *  - sites of function f: sites[site_at[f] .. site_at[f + 1]), by rising instruction
 *  - callees of a site: callees[first .. first + n), rising, each once
 *  - callers of f: indices of sites in callers[caller_at[f] .. caller_at[f + 1]), rising
 *  - components are numbered callees first: a function calls into its own component or lower ones
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
	bool *recursive;             /* by function: it can be active twice in one thread */
};

/* Calls add(add_ctx, callee) for every function that the call at funcs[func].insns[insn] may
 * reach; in any order, repetitions allowed. */
typedef void (*callgraph_resolve)(void *ctx, uint32_t func, uint32_t insn,
	void (*add)(void *, uint32_t callee), void *add_ctx);

/* resolve may be NULL: indirect sites then have no callees */
void callgraph_init(struct callgraph *g, const struct ir_program *p, callgraph_resolve resolve,
	void *ctx);
void callgraph_release(struct callgraph *g);

/* adds to `out` every function that can run when those in `out` do */
void callgraph_reach(const struct callgraph *g, struct bitset *out);
/* the site of that instruction, or NULL; logarithmic */
const struct call_site *callgraph_site(const struct callgraph *g, uint32_t func, uint32_t insn);

#endif
