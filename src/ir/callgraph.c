#include "ir/callgraph.h"

#include "base/base.h"
#include "base/search.h"
#include "ir/graph.h"

#include <string.h>

static void add_callee(void *ctx, uint32_t callee)
{
	struct callgraph *g = ctx;

	BUG_ON(callee >= g->nfuncs);
	vec_push(&g->callees, callee);
}

/* sorts the site's callees and removes repetitions */
static void sort_callees(struct callgraph *g, struct call_site *s)
{
	uint32_t n = g->callees.n - s->first, *at = n ? g->callees.at + s->first : NULL;

	sort_u32(at, n);
	for (uint32_t i = 0; i < n; i++)
		if (!s->n || at[i] != at[s->n - 1])
			at[s->n++] = at[i];
	g->callees.n = s->first + s->n;
}

static void add_site(struct callgraph *g, const struct ir_program *p, uint32_t func, uint32_t insn,
	callgraph_resolve resolve, void *ctx)
{
	const struct ir_func *f = &p->funcs.at[func];
	const struct ir_insn *in = &f->insns.at[insn];
	const struct ir_const *c = ir_is_const(in->arg[0]) ? ir_const(f, in->arg[0]) : NULL;
	struct call_site s = {.func = func, .insn = insn, .first = g->callees.n};

	s.indirect = !c || c->kind != IR_C_FUNC;
	if (!s.indirect)
		add_callee(g, c->id);
	else if (resolve)
		resolve(ctx, func, insn, add_callee, g);
	sort_callees(g, &s);
	vec_push(&g->sites, s);
}

/* inverts the callees of the sites, by counting sort */
static void index_callers(struct callgraph *g)
{
	uint32_t sum = 0;

	g->caller_at = xcalloc(g->nfuncs + 1, sizeof *g->caller_at);
	g->callers = xmalloc((g->callees.n + 1) * sizeof *g->callers);
	vec_each (&g->callees, i)
		g->caller_at[g->callees.at[i]]++;
	for (uint32_t f = 0; f < g->nfuncs; f++)
		g->caller_at[f] = sum += g->caller_at[f];
	g->caller_at[g->nfuncs] = sum;
	for (uint32_t s = g->sites.n; s-- > 0;)
		for (uint32_t k = 0; k < g->sites.at[s].n; k++)
			g->callers[--g->caller_at[g->callees.at[g->sites.at[s].first + k]]] = s;
}

static void find_components(struct callgraph *g)
{
	uint32_t *at = xmalloc((g->nfuncs + 1) * sizeof *at), *fill;
	struct graph calls = {g->nfuncs, at, g->callees.at};

	/* sites are ordered by function, and their callees in the same way */
	for (uint32_t f = 0; f <= g->nfuncs; f++)
		at[f] = g->site_at[f] < g->sites.n ? g->sites.at[g->site_at[f]].first
						   : g->callees.n;
	g->scc_of = xmalloc((g->nfuncs + 1) * sizeof *g->scc_of);
	g->nsccs = graph_scc(&calls, g->scc_of);
	g->scc_at = xcalloc(g->nsccs + 1, sizeof *g->scc_at);
	g->scc_func = xmalloc((g->nfuncs + 1) * sizeof *g->scc_func);
	for (uint32_t f = 0; f < g->nfuncs; f++)
		g->scc_at[g->scc_of[f] + 1]++;
	for (uint32_t s = 0; s < g->nsccs; s++)
		g->scc_at[s + 1] += g->scc_at[s];
	fill = xmalloc((g->nsccs + 1) * sizeof *fill);
	memcpy(fill, g->scc_at, (g->nsccs + 1) * sizeof *fill);
	for (uint32_t f = 0; f < g->nfuncs; f++)
		g->scc_func[fill[g->scc_of[f]]++] = f;
	g->recursive = xcalloc(g->nfuncs + 1, sizeof *g->recursive);
	for (uint32_t f = 0; f < g->nfuncs; f++) {
		uint32_t s = g->scc_of[f];

		g->recursive[f] = g->scc_at[s + 1] - g->scc_at[s] > 1;
		for (uint32_t k = at[f]; k < at[f + 1]; k++)
			g->recursive[f] |= g->callees.at[k] == f;
	}
	free(fill);
	free(at);
}

void callgraph_init(struct callgraph *g, const struct ir_program *p, callgraph_resolve resolve,
	void *ctx)
{
	*g = (struct callgraph){.nfuncs = p->funcs.n};
	g->site_at = xmalloc((g->nfuncs + 1) * sizeof *g->site_at);
	vec_each (&p->funcs, f) {
		g->site_at[f] = g->sites.n;
		vec_each (&p->funcs.at[f].insns, i)
			if (p->funcs.at[f].insns.at[i].op == IR_CALL)
				add_site(g, p, f, i, resolve, ctx);
	}
	g->site_at[g->nfuncs] = g->sites.n;
	index_callers(g);
	find_components(g);
}

void callgraph_release(struct callgraph *g)
{
	free(g->site_at);
	vec_release(&g->sites);
	vec_release(&g->callees);
	free(g->caller_at);
	free(g->callers);
	free(g->scc_of);
	free(g->scc_at);
	free(g->scc_func);
	free(g->recursive);
	*g = (struct callgraph){0};
}

const struct call_site *callgraph_site(const struct callgraph *g, uint32_t func, uint32_t insn)
{
	uint32_t k;

	return search_find(g->site_at[func], g->site_at[func + 1], i, g->sites.at[i].insn, insn, &k)
		       ? &g->sites.at[k]
		       : NULL;
}
