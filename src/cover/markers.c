#include "cover/markers.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/loops.h"

#include <stdlib.h>
#include <string.h>

struct markers {
	const struct sync_ops *so;
	struct marker_options opt;
	VEC(struct marker) at;
	struct map by_place; /* func << 32 | insn -> 1 + index in at */
	struct map passed;   /* func << 32 | insn of barriers that are no markers */
	bool *covered;       /* by function: every call of it executes a marker */
};

struct place { /* the function that is worked on */
	struct markers *ms;
	uint32_t func;
	const struct ir_func *f;
	struct cfg cfg;
	struct loops loops;
	bool *stops;       /* by block: it executes a marker whenever it is executed */
	unsigned *classes; /* by block: enum sync_class of what it may execute */
};

static uint64_t key_of(uint32_t func, uint32_t insn)
{
	return (uint64_t)func << 32 | insn;
}

static void add_marker(struct markers *ms, uint32_t func, uint32_t insn, enum marker_kind kind)
{
	uint64_t *v = map_put(&ms->by_place, key_of(func, insn));

	if (*v)
		return;
	vec_push(&ms->at, (struct marker){func, insn, kind});
	*v = ms->at.n;
}

const struct marker *marker_at(const struct markers *ms, uint32_t func, uint32_t insn)
{
	uint64_t k = map_get_or(&ms->by_place, key_of(func, insn), 0);

	return k ? &ms->at.at[k - 1] : NULL;
}

/* Whether the call executes a marker: it is one, or each function that it may call does. */
static bool is_stop(const struct markers *ms, uint32_t func, uint32_t insn)
{
	const struct call_site *site;

	if (marker_at(ms, func, insn))
		return true;
	site = callgraph_site(&ms->so->calls, func, insn);
	for (uint32_t i = 0; site && i < site->n; i++)
		if (!ms->covered[ms->so->calls.callees.at[site->first + i]])
			return false;
	return site && site->n;
}

/* ---- paths that avoid markers ------------------------------------------------------------------ */

/* Whether a path leads from block `from` to block `to` through blocks of the loop that execute no
 * marker; `to` may be `from`, after at least one edge. */
static bool avoids_markers(const struct place *pl, uint32_t loop, uint32_t from, uint32_t to)
{
	bool *seen = xcalloc(pl->cfg.n, 1), found = false;
	struct vec_u32 work = {0};

	vec_push(&work, from);
	while (work.n && !found) {
		uint32_t b = vec_pop(&work);

		if (pl->stops[b])
			continue;
		for (uint32_t e = pl->cfg.succ_at[b]; e < pl->cfg.succ_at[b + 1]; e++) {
			uint32_t s = pl->cfg.succ[e];

			found |= s == to;
			if (!seen[s] && loop_contains(&pl->loops, loop, s)) {
				seen[s] = true;
				vec_push(&work, s);
			}
		}
	}
	vec_release(&work);
	free(seen);
	return found;
}

static bool ends_function(const struct ir_func *f, uint32_t block)
{
	return ir_ops[ir_terminator(f, block)->op].shape == IR_S_RET;
}

/* Whether every path through the function executes a marker. */
static bool function_stops(const struct place *pl)
{
	bool *seen = xcalloc(pl->cfg.n, 1), avoids = false;
	struct vec_u32 work = {0};

	vec_push(&work, 0);
	seen[0] = true;
	while (work.n && !avoids) {
		uint32_t b = vec_pop(&work);

		if (pl->stops[b])
			continue;
		avoids |= ends_function(pl->f, b);
		for (uint32_t e = pl->cfg.succ_at[b]; e < pl->cfg.succ_at[b + 1]; e++)
			if (!seen[pl->cfg.succ[e]]) {
				seen[pl->cfg.succ[e]] = true;
				vec_push(&work, pl->cfg.succ[e]);
			}
	}
	vec_release(&work);
	free(seen);
	return !avoids;
}

/* ---- loops ------------------------------------------------------------------------------------- */

static unsigned classes_of_loop(const struct place *pl, const struct loop *l)
{
	unsigned c = 0;

	for (uint32_t i = 0; i < l->n; i++)
		c |= pl->classes[pl->loops.blocks[l->first + i]];
	return c;
}

/* IsTrivialLoop() of Figure 2. */
static bool is_trivial(unsigned classes)
{
	return classes == SYNC_COND_WAIT || !(classes & ~(SYNC_CREATE | SYNC_JOIN));
}

/* Whether control can enter the loop at the block. */
static bool is_entry(const struct place *pl, uint32_t loop, uint32_t block)
{
	for (uint32_t e = pl->cfg.pred_at[block]; e < pl->cfg.pred_at[block + 1]; e++)
		if (!loop_contains(&pl->loops, loop, pl->cfg.pred[e]))
			return true;
	return false;
}

static void mark_block(struct place *pl, uint32_t block)
{
	add_marker(pl->ms, pl->func, pl->f->blocks.at[block].first, MARKER_LOOP);
	pl->stops[block] = true;
}

static void mark_loop(struct place *pl, uint32_t k)
{
	const struct loop *l = &pl->loops.at.at[k];
	unsigned classes = classes_of_loop(pl, l);

	if (!classes || (!pl->ms->opt.trivial && is_trivial(classes)))
		return;
	if (!l->irreducible) {
		if (pl->ms->opt.twice || avoids_markers(pl, k, l->header, l->header))
			mark_block(pl, l->header);
		return;
	}
	for (uint32_t i = 0; i < l->n; i++)
		if (is_entry(pl, k, pl->loops.blocks[l->first + i]))
			mark_block(pl, pl->loops.blocks[l->first + i]);
}

/* ---- functions --------------------------------------------------------------------------------- */

static void find_stops(struct place *pl)
{
	vec_each (&pl->f->blocks, b) {
		const struct ir_block *bl = &pl->f->blocks.at[b];

		for (uint32_t i = bl->first; i < bl->first + bl->n; i++) {
			pl->stops[b] |= is_stop(pl->ms, pl->func, i);
			pl->classes[b] |= sync_classes(pl->ms->so, pl->func, i);
		}
	}
}

/* Whether the function calls itself, directly or through others, without a marker on the way. */
static bool recurs_freely(const struct place *pl)
{
	const struct callgraph *g = &pl->ms->so->calls;

	if (!g->recursive[pl->func])
		return false;
	for (uint32_t s = g->site_at[pl->func]; s < g->site_at[pl->func + 1]; s++)
		for (uint32_t i = 0; i < g->sites.at[s].n; i++) {
			uint32_t to = g->callees.at[g->sites.at[s].first + i];

			if (g->scc_of[to] == g->scc_of[pl->func] && !pl->ms->covered[to])
				return true;
		}
	return false;
}

static void mark_function(struct markers *ms, uint32_t func)
{
	struct place pl = {.ms = ms, .func = func, .f = &ms->so->p->funcs.at[func]};

	if (!ms->so->classes[func] || (pl.f->flags & (IR_FN_EXTERN | IR_FN_MODEL)))
		return;
	cfg_init(&pl.cfg, pl.f);
	loops_init(&pl.loops, &pl.cfg);
	pl.stops = xcalloc(pl.cfg.n, sizeof *pl.stops);
	pl.classes = xcalloc(pl.cfg.n, sizeof *pl.classes);
	find_stops(&pl);
	for (uint32_t k = pl.loops.at.n; k-- > 0;) /* inner loops have higher numbers */
		mark_loop(&pl, k);
	if (recurs_freely(&pl)) {
		add_marker(ms, func, pl.f->blocks.at[0].first, MARKER_RECURSION);
		pl.stops[0] = true;
	}
	ms->covered[func] = function_stops(&pl);
	free(pl.stops);
	free(pl.classes);
	loops_release(&pl.loops);
	cfg_release(&pl.cfg);
}

/* Barriers and heddle_epoch() are markers where they stand. */
static void mark_calls(struct markers *ms, uint32_t func)
{
	vec_each (&ms->so->p->funcs.at[func].insns, i) {
		int op = sync_op(ms->so, func, i, NULL);

		if (op == LOG_S_BARRIER_ENTER && !ms->opt.barriers &&
			!map_get(&ms->passed, key_of(func, i)))
			add_marker(ms, func, i, MARKER_BARRIER);
		if (op == SYNC_OP_EPOCH)
			add_marker(ms, func, i, MARKER_SOURCE);
	}
}

static int by_place(const void *x, const void *y)
{
	const struct marker *a = x, *b = y;

	if (a->func != b->func)
		return a->func < b->func ? -1 : 1;
	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

/* Places all markers, except for the barriers that are passed. */
static void place_all(struct markers *ms)
{
	const struct callgraph *g = &ms->so->calls;

	vec_clear(&ms->at);
	map_clear(&ms->by_place);
	memset(ms->covered, 0, ms->so->p->funcs.n * sizeof *ms->covered);
	vec_each (&ms->so->p->funcs, f)
		mark_calls(ms, f);
	for (uint32_t s = 0; s < g->nsccs; s++) /* callees first */
		for (uint32_t i = g->scc_at[s]; i < g->scc_at[s + 1]; i++)
			mark_function(ms, g->scc_func[i]);
}

/* A barrier is a marker only if a loop or recursion would need one without it. */
static void pass_barriers(struct markers *ms)
{
	struct vec_u64 barriers = {0};

	vec_each (&ms->at, i)
		if (ms->at.at[i].kind == MARKER_BARRIER)
			vec_push(&barriers, key_of(ms->at.at[i].func, ms->at.at[i].insn));
	for (uint32_t i = barriers.n; i-- > 0;) {
		uint32_t n = ms->at.n;

		*map_put(&ms->passed, barriers.at[i]) = 1;
		place_all(ms);
		if (ms->at.n < n)
			continue;
		map_del(&ms->passed, barriers.at[i]);
		place_all(ms);
	}
	vec_release(&barriers);
}

struct markers *markers_place(const struct sync_ops *so, const struct marker_options *opt)
{
	struct markers *ms = xcalloc(1, sizeof *ms);

	ms->so = so;
	ms->opt = *opt;
	ms->covered = xcalloc(so->p->funcs.n, sizeof *ms->covered);
	place_all(ms);
	if (!opt->all_barriers)
		pass_barriers(ms);
	if (ms->at.n)
		qsort(ms->at.at, ms->at.n, sizeof *ms->at.at, by_place);
	vec_each (&ms->at, i)
		*map_put(&ms->by_place, key_of(ms->at.at[i].func, ms->at.at[i].insn)) = i + 1;
	return ms;
}

void markers_free(struct markers *ms)
{
	vec_release(&ms->at);
	map_release(&ms->by_place);
	map_release(&ms->passed);
	free(ms->covered);
	free(ms);
}

const struct marker *markers_list(const struct markers *ms, uint32_t *n)
{
	*n = ms->at.n;
	return ms->at.at;
}

const char *marker_kind_name(enum marker_kind kind)
{
	static const char *const names[] = {
		"loop", "recursive function", "barrier", "heddle_epoch()"};

	return names[kind];
}
