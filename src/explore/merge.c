/*
 * Orders that lead to the same state: the second path that reaches a state ends there, because the
 * first one, or the states that it left in the frontier, explores all that follows. So critical
 * sections that commute by value, such as additions under a lock, are explored in one order after
 * each other, where the reduction (reduce.h) sees only that they use the same lock.
 *
 * States are compared at choices of threads, by their hash (machine/state_hash.h). With sleep sets
 * a visit explores only the threads that do not sleep: a path ends at a state only if all threads
 * that slept at the earlier visits sleep now, too (Godefroid 1996, §5.3).
 *
 * The time depends on the number of instructions so far, which is in no hash: when a path reads a
 * clock, the exploration begins again without this reduction.
 *
 * A loop that only waits has a cycle of states. Its paths end in loops.c, which needs the whole
 * round on one path. So the states are a graph, and if it has a cycle the exploration begins again
 * without this reduction.
 */
#include "explore/explore_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/state_hash.h"
#include "world/world.h"

#include <stdlib.h>

enum { NO_NODE = 0 };

struct node {
	uint64_t check;  /* the second half of the hash */
	uint64_t asleep; /* threads that slept at all visits */
};

struct edge {
	uint32_t from, to;
};

struct merge {
	bool off;
	struct map at;          /* first half of the hash -> number of the node */
	VEC(struct node) nodes; /* by number; 0 is the start */
	VEC(struct edge) edges;
};

/* A path that is cut off by a limit is reported, whichever order led to it; but the number of
 * preemptions belongs to the order. An exploration that is resumed does not know its states. */
static bool may_merge(const struct explore *ex)
{
	const struct explore_options *o = &ex->opt;

	return !o->all_orders && !o->no_merge && !o->from && !o->resume && !o->branch &&
	       o->preemptions == UINT32_MAX && !explore_reads_clock(ex);
}

struct merge *merge_new(const struct explore *ex)
{
	struct merge *g = xcalloc(1, sizeof *g);

	g->off = !may_merge(ex);
	vec_push(&g->nodes, (struct node){0});
	return g;
}

void merge_free(struct merge *g)
{
	if (!g)
		return;
	map_release(&g->at);
	vec_release(&g->nodes);
	vec_release(&g->edges);
	free(g);
}

static void forget_states(struct merge *g)
{
	map_clear(&g->at);
	g->nodes.n = 1;
	g->edges.n = 0;
}

void merge_begin_again(struct explore *ex)
{
	forget_states(ex->merge);
	ex->node = NO_NODE;
}

static void hash_state(struct explore *ex, struct hash128 *h)
{
	struct machine *m = ex->m;

	machine_hash(m, h);
	if (m->world)
		world_hash(m->world, h);
	vec_each (&ex->sym.path, i)
		hash128_add(h, ex->sym.path.at[i].id);
	hash128_add(h, (uint64_t)ex->sym.incomplete << 1 | ex->sym.unknowns);
}

/* The sleeping threads as a set; false: a thread has a number above 63. */
static bool sleeping_threads(const struct sleep *s, uint64_t *set)
{
	*set = 0;
	vec_each (&s->at, i) {
		if (s->at.at[i].thread > 63)
			return false;
		*set |= 1ull << s->at.at[i].thread;
	}
	return true;
}

/* Whether no thread waits for the host or for a moment in time, which are in no hash. */
static bool is_plain(const struct machine *m)
{
	vec_each (&m->threads, i)
		if (m->threads.at[i]->state == THREAD_POLLING || m->threads.at[i]->deadline)
			return false;
	return true;
}

bool merge_visit(struct explore *ex)
{
	struct merge *g = ex->merge;
	struct hash128 h = {1, 2};
	uint64_t asleep, *at;
	struct node *n;
	bool known;

	if (g->off || ex->sym.lazy || ex->sleep.spins.n ||
		bitset_next(&ex->loop.stuck, 0) != UINT32_MAX || !is_plain(ex->m) ||
		!sleeping_threads(&ex->sleep, &asleep))
		return false;
	hash_state(ex, &h);
	at = map_put(&g->at, h.a ? h.a : 1);
	known = *at && g->nodes.at[*at].check == h.b;
	if (*at &&
		!known) /* two states with the same first half: the older one is not used again */
		*at = 0;
	if (!*at) {
		*at = g->nodes.n;
		vec_push(&g->nodes, (struct node){h.b, asleep});
	}
	vec_push(&g->edges, (struct edge){ex->node, (uint32_t)*at});
	ex->node = (uint32_t)*at;
	if (!known)
		return false;
	n = &g->nodes.at[ex->node];
	if (!(n->asleep & ~asleep))
		return true;
	n->asleep &= asleep;
	return false;
}

/* Removes nodes without incoming edges until none is left, or only cycles are. */
static bool has_cycle(const struct merge *g)
{
	uint32_t n = g->nodes.n, done = 0, *in = xcalloc(n, sizeof *in),
		 *first = xcalloc(n + 1, sizeof *first),
		 *next = xcalloc(g->edges.n + 1, sizeof *next);
	struct vec_u32 todo = {0};

	vec_each (&g->edges, i) {
		in[g->edges.at[i].to]++;
		first[g->edges.at[i].from]++;
	}
	for (uint32_t i = 0, sum = 0; i <= n; i++) {
		uint32_t k = first[i];

		first[i] = sum;
		sum += k;
	}
	vec_each (&g->edges, i)
		next[first[g->edges.at[i].from]++] = g->edges.at[i].to;
	for (uint32_t i = 0; i < n; i++)
		if (!in[i])
			vec_push(&todo, i);
	for (; done < todo.n; done++) {
		uint32_t x = todo.at[done];

		for (uint32_t k = x ? first[x - 1] : 0; k < first[x]; k++)
			if (!--in[next[k]])
				vec_push(&todo, next[k]);
	}
	vec_release(&todo);
	free(in);
	free(first);
	free(next);
	return done < n;
}

bool merge_must_stop(struct explore *ex)
{
	struct merge *g = ex->merge;

	if (g->off || (!explore_reads_clock(ex) && !has_cycle(g)))
		return false;
	g->off = true;
	return true;
}

void merge_note_clock(struct explore *ex)
{
	if (!ex->merge->off && explore_reads_clock(ex))
		ex->begin_again = ex->merge->off = true;
}

void merge_found_loop(struct explore *ex)
{
	if (!ex->merge->off)
		ex->begin_again = ex->merge->off = true;
}
