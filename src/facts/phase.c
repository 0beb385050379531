#include "facts/phase.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct edge { /* the instruction calls `callee`, directly or through a library function */
	uint32_t func, insn, callee;
};

struct search {
	struct phase *ph;
	const struct plan *pl;
	const struct ir_program *p;
	const struct native *natives;
	bool known_outside;      /* code outside can reach a traced function */
	VEC(struct edge) edges;  /* by ascending function, then instruction */
	uint32_t *edge_at;       /* by function: index of its first edge */
	struct bitset ending;    /* functions during which the early phase may end */
	struct bitset late, early; /* functions entered late, entered early */
	VEC(uint32_t) work;
	/* the current call */
	uint32_t func, insn;
	bool indirect, ends_here, callbacks;
};

/* ---- effects of calls ------------------------------------------------------------------------ */

static void add_edge(void *ctx, uint32_t callee)
{
	struct search *s = ctx;

	if (s->pl->funcs[callee].traced)
		vec_push(&s->edges, (struct edge){s->func, s->insn, callee});
}

static void enter_late(void *ctx, uint32_t callee)
{
	struct search *s = ctx;

	if (!s->pl->funcs[callee].traced)
		return;
	s->callbacks = true;
	if (bitset_add(&s->late, callee))
		vec_push(&s->work, callee);
}

/* does the library function call back only before it returns? */
static bool calls_at_once(const struct native *n)
{
	return n->flags & EFFECTS_MIDWAY || (n->call == CALL_SYNC && n->sync == LOG_S_ONCE);
}

static void call_of(void *ctx, uint32_t callee)
{
	struct search *s = ctx;
	const struct native *n = &s->natives[callee];

	if (n->call == CALL_TRACED) {
		add_edge(s, callee);
		return;
	}
	if (calls_at_once(n) && !s->indirect) {
		points_to_callbacks(s->pl->pt, s->func, s->insn, add_edge, s);
		return;
	}
	s->callbacks = false;
	points_to_callbacks(s->pl->pt, s->func, s->insn, enter_late, s);
	if (n->call == CALL_SYNC && n->sync == LOG_S_CREATE)
		s->ends_here = true;
	if (n->call == CALL_SYNC && n->sync == LOG_S_SIGACTION &&
		(s->callbacks || s->indirect || n->unknown))
		s->ph->handlers = s->ends_here = true;
	if (s->indirect || (n->unknown && n->call != CALL_PURE))
		s->ends_here |= s->known_outside;
}

static void look_at_call(struct search *s)
{
	const struct ir_func *f = &s->p->funcs.at[s->func];
	uint32_t callee = ir_callee(f, &f->insns.at[s->insn]);

	s->indirect = callee == IR_NONE;
	s->ends_here = false;
	if (!s->indirect)
		call_of(s, callee);
	else if (points_to_callees(s->pl->pt, s->func, s->insn, call_of, s))
		s->ends_here |= s->known_outside;
	if (s->ends_here)
		bitset_add(&s->ph->ends[s->func], s->insn);
}

static void look_at_calls(struct search *s)
{
	vec_each (&s->p->funcs, f) {
		s->edge_at[f] = s->edges.n;
		s->func = f;
		if (s->pl->funcs[f].traced)
			vec_each (&s->p->funcs.at[f].insns, i)
				if (s->p->funcs.at[f].insns.at[i].op == IR_CALL) {
					s->insn = i;
					look_at_call(s);
				}
	}
	s->edge_at[s->p->funcs.n] = s->edges.n;
}

/* ---- functions during which the early phase may end ------------------------------------------ */

static int by_callee(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void find_ending(struct search *s)
{
	struct edge *in = xmalloc((s->edges.n + 1) * sizeof *in), key, *e;
	struct vec_u32 work = {0};

	if (s->edges.n)
		memcpy(in, s->edges.at, s->edges.n * sizeof *in);
	qsort(in, s->edges.n, sizeof *in, by_callee);
	vec_each (&s->p->funcs, f)
		if (s->ph->ends[f].n && bitset_add(&s->ending, f))
			vec_push(&work, f);
	while (work.n) {
		key.callee = vec_pop(&work);
		e = bsearch(&key, in, s->edges.n, sizeof *in, by_callee);
		while (e && e > in && e[-1].callee == key.callee)
			e--;
		for (; e && e < in + s->edges.n && e->callee == key.callee; e++)
			if (bitset_add(&s->ending, e->func))
				vec_push(&work, e->func);
	}
	vec_release(&work);
	free(in);
}

/* ---- inside a function ----------------------------------------------------------------------- */

/* The instructions at which the early phase may end. Calls of setjmp are among them: a longjmp may
 * return there after the end. */
static struct bitset ends_in(const struct search *s, uint32_t func)
{
	const struct ir_func *f = &s->p->funcs.at[func];
	struct bitset at = {0};
	uint32_t callee;

	bitset_or(&at, &s->ph->ends[func]);
	for (uint32_t i = s->edge_at[func]; i < s->edge_at[func + 1]; i++)
		if (bitset_has(&s->ending, s->edges.at[i].callee))
			bitset_add(&at, s->edges.at[i].insn);
	vec_each (&f->insns, i) {
		callee = ir_callee(f, &f->insns.at[i]);
		if (callee != IR_NONE && s->natives[callee].call == CALL_SETJMP)
			bitset_add(&at, i);
	}
	return at;
}

static void mark_from(const struct ir_func *f, uint32_t block, uint32_t first, bool *late,
	struct vec_u32 *work)
{
	struct ir_block b = f->blocks.at[block];
	const struct ir_insn *t = ir_terminator(f, block);

	if (late[b.first + b.n - 1] && late[first])
		return;
	for (uint32_t i = first; i < b.first + b.n; i++)
		late[i] = true;
	for (uint32_t k = 0; k < ir_insn_nedges(t); k++)
		vec_push(work, f->edges.at[ir_insn_edge(f, t, k)].to);
}

static bool *mark_late(struct search *s, uint32_t func)
{
	const struct ir_func *f = &s->p->funcs.at[func];
	bool *late = arena_array(&s->ph->arena, bool, f->insns.n + 1);
	struct vec_u32 work = {0};
	struct bitset at = {0};

	if (!bitset_has(&s->ending, func))
		return late;
	at = ends_in(s, func);
	vec_each (&f->blocks, b) {
		uint32_t i = bitset_next(&at, f->blocks.at[b].first);

		if (i < f->blocks.at[b].first + f->blocks.at[b].n)
			mark_from(f, b, i, late, &work);
	}
	while (work.n) {
		uint32_t b = vec_pop(&work);

		mark_from(f, b, f->blocks.at[b].first, late, &work);
	}
	vec_release(&work);
	bitset_release(&at);
	return late;
}

/* ---- functions that are called early or late ------------------------------------------------- */

static void enter_function(struct search *s, uint32_t func, bool late)
{
	if (bitset_add(late ? &s->late : &s->early, func))
		vec_push(&s->work, func);
}

static void follow_calls(struct search *s)
{
	while (s->work.n) {
		uint32_t f = vec_pop(&s->work);
		bool all = bitset_has(&s->late, f);

		if (!s->ph->late[f])
			s->ph->late[f] = mark_late(s, f);
		for (uint32_t i = s->edge_at[f]; i < s->edge_at[f + 1]; i++)
			enter_function(s, s->edges.at[i].callee,
				all || s->ph->late[f][s->edges.at[i].insn]);
	}
}

/* Enters constructors, then main. If the early phase may end in one of them, the next ones are
 * late. */
static void start_search(struct search *s)
{
	uint32_t main_ = ir_find_func(s->p, "main");
	bool late = false;

	vec_each (&s->p->ctors, i) {
		uint32_t f = s->p->ctors.at[i].func;

		if (s->pl->funcs[f].traced) {
			enter_function(s, f, late);
			late |= bitset_has(&s->ending, f);
		} else {
			late |= s->known_outside;
		}
	}
	if (main_ != IR_NONE && s->pl->funcs[main_].traced)
		enter_function(s, main_, late);
	vec_each (&s->p->dtors, i)
		if (s->pl->funcs[s->p->dtors.at[i].func].traced)
			enter_function(s, s->p->dtors.at[i].func, true);
}

static void find_known_outside(struct search *s)
{
	vec_each (&s->p->funcs, f)
		if (s->pl->funcs[f].traced &&
			points_to_outside(s->pl->pt, points_to_of_func(s->pl->pt, f))) {
			s->known_outside = true;
			enter_function(s, f, true);
		}
}

static void fill_phases(struct search *s)
{
	vec_each (&s->p->funcs, f) {
		bool any = false;

		if (bitset_has(&s->late, f) || !bitset_has(&s->early, f)) {
			s->ph->late[f] = NULL;
			continue;
		}
		vec_each (&s->p->funcs.at[f].insns, i)
			any |= s->ph->late[f][i];
		if (!any)
			bitset_add(&s->ph->early, f);
	}
}

void phase_init(struct phase *ph, const struct plan *pl, const struct native *natives)
{
	struct search s = {.ph = ph, .pl = pl, .p = pl->p, .natives = natives};

	*ph = (struct phase){0};
	arena_init(&ph->arena);
	ph->late = arena_array(&ph->arena, bool *, pl->p->funcs.n + 1);
	s.edge_at = xcalloc(pl->p->funcs.n + 1, sizeof *s.edge_at);
	ph->nfuncs = pl->p->funcs.n;
	ph->ends = arena_array(&ph->arena, struct bitset, ph->nfuncs + 1);
	find_known_outside(&s);
	look_at_calls(&s);
	find_ending(&s);
	start_search(&s);
	follow_calls(&s);
	fill_phases(&s);
	bitset_release(&s.ending);
	bitset_release(&s.late);
	bitset_release(&s.early);
	vec_release(&s.edges);
	vec_release(&s.work);
	free(s.edge_at);
}

void phase_release(struct phase *ph)
{
	for (uint32_t f = 0; f < ph->nfuncs; f++)
		bitset_release(&ph->ends[f]);
	bitset_release(&ph->early);
	arena_release(&ph->arena);
}
