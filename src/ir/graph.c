#include "ir/graph.h"

#include "base/vec.h"

#include <string.h>

#define UNSEEN UINT32_MAX

struct frame {
	uint32_t v, next; /* next: index into g->to */
};

struct scc {
	const struct graph *g;
	uint32_t *comp, *low; /* low: discovery time, then the lowest one that is reachable */
	VEC(struct frame) calls;
	VEC(uint32_t) open; /* vertices whose component is not complete */
	uint32_t time, ncomps;
};

static void enter_node(struct scc *s, uint32_t v)
{
	s->low[v] = s->time++;
	vec_push(&s->open, v);
	vec_push(&s->calls, (struct frame){v, s->g->at[v]});
}

static void leave_node(struct scc *s, uint32_t v, uint32_t discovered)
{
	uint32_t w;

	if (s->low[v] == discovered) {
		do {
			w = vec_pop(&s->open);
			s->comp[w] = s->ncomps;
		} while (w != v);
		s->ncomps++;
	}
	if (s->calls.n) {
		uint32_t up = vec_last(&s->calls).v;

		s->low[up] = MIN(s->low[up], s->low[v]);
	}
}

static void visit_from(struct scc *s, uint32_t root, uint32_t *discovered)
{
	enter_node(s, root);
	discovered[root] = s->low[root];
	while (s->calls.n) {
		struct frame *f = &vec_last(&s->calls);
		uint32_t v = f->v, w;

		if (f->next == s->g->at[v + 1]) {
			s->calls.n--;
			leave_node(s, v, discovered[v]);
			continue;
		}
		w = s->g->to[f->next++];
		if (s->low[w] == UNSEEN) {
			enter_node(s, w);
			discovered[w] = s->low[w];
		} else if (s->comp[w] == UNSEEN) {
			s->low[v] = MIN(s->low[v], discovered[w]);
		}
	}
}

uint32_t graph_scc(const struct graph *g, uint32_t *comp)
{
	struct scc s = {.g = g, .comp = comp};
	size_t bytes = (size_t)g->n * sizeof(uint32_t);
	uint32_t *discovered = xmalloc(bytes + 1);

	s.low = xmalloc(bytes + 1);
	memset(s.low, 0xff, bytes);
	memset(comp, 0xff, bytes);
	for (uint32_t v = 0; v < g->n; v++)
		if (s.low[v] == UNSEEN)
			visit_from(&s, v, discovered);
	free(s.low);
	free(discovered);
	vec_release(&s.calls);
	vec_release(&s.open);
	return s.ncomps;
}

void graph_reverse(const struct graph *g, uint32_t *at, uint32_t *to, uint32_t *from)
{
	uint32_t m = g->at[g->n], sum = 0;

	memset(at, 0, (g->n + 1) * sizeof *at);
	for (uint32_t e = 0; e < m; e++)
		at[g->to[e]]++;
	/* at[v] is the end of v's range now; filling the range from its end makes it the start */
	for (uint32_t v = 0; v < g->n; v++)
		at[v] = sum += at[v];
	at[g->n] = m;
	for (uint32_t v = g->n; v-- > 0;)
		for (uint32_t e = g->at[v + 1]; e-- > g->at[v];) {
			uint32_t k = --at[g->to[e]];

			to[k] = v;
			if (from)
				from[k] = e;
		}
}
