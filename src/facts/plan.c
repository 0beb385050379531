#include "facts/plan.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/search.h"
#include "facts/defs.h"
#include "facts/plan_memory.h"
#include "facts/plan_private.h"

#include <fnmatch.h>
#include <string.h>

enum { SEGMENT_MAX = 32 << 10 }; /* bytes: half a chunk, so that at most half is unused */

struct planner {
	struct plan *pl;
	const struct ir_program *p;
	const struct native *natives;
	const struct phase *phase;
	struct plan_memory *memory;
	bool whole;
	/* the current function */
	uint32_t func;
	const struct ir_func *f;
	struct plan_func *pf;
	struct plan_private priv;
};

/* ---- traced functions ----------------------------------------------------------------------- */

/* A pattern with a slash or a dot is for source files: no function of C has such a name. */
static bool matches_pattern(const char *pattern, const char *func, const char *file)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	if (!strpbrk(pattern, "/."))
		return !fnmatch(pattern, func, 0);
	return file && (!fnmatch(pattern, file, 0) || !fnmatch(pattern, base ? base + 1 : file, 0));
}

static bool is_excluded(const struct plan_options *opt, const struct ir_program *p, uint32_t func)
{
	const char *file = ir_diag_pos(p, p->funcs.at[func].pos).file;

	for (const char *const *e = opt->exclude; e && *e; e++)
		if (matches_pattern(*e, ir_func_name(p, func), file))
			return true;
	return false;
}

static bool *find_traced(struct plan *pl, const struct plan_options *opt, bool open)
{
	const struct ir_program *p = pl->p;
	bool *traced = arena_array(&pl->arena, bool, p->funcs.n + 1);
	uint32_t native = IR_FN_EXTERN | IR_FN_MODEL;

	if (open) /* a native object may define it too and replace its body */
		native |= IR_FN_WEAK;
	vec_each (&p->funcs, f)
		traced[f] = !(p->funcs.at[f].flags & native) && !is_excluded(opt, p, f);
	return traced;
}

/* ---- functions that code outside can call ---------------------------------------------------- */

struct taking {
	struct plan *pl;
	const struct ir_func *f;
};

static void add_thunk(struct plan *pl, uint32_t func)
{
	if (func != IR_NONE && pl->funcs[func].traced)
		pl->funcs[func].thunk = true;
}

static void take_ref(void *ctx, ir_ref r)
{
	struct taking *t = ctx;

	if (ir_is_const(r) && ir_const(t->f, r)->kind == IR_C_FUNC)
		add_thunk(t->pl, ir_const(t->f, r)->id);
}

/* marks the functions whose address the body uses for more than a direct call */
static void take_in_body(struct plan *pl, uint32_t func)
{
	struct taking t = {pl, &pl->p->funcs.at[func]};

	vec_each (&t.f->insns, i) {
		const struct ir_insn *in = &t.f->insns.at[i];

		if (ir_callee(t.f, in) == IR_NONE)
			ir_insn_each_use(t.f, in, take_ref, &t);
		else
			for (uint32_t k = 0; k < in->arg[2]; k++)
				take_ref(&t, t.f->extra.at[in->arg[1] + 2 * k]);
	}
	vec_each (&t.f->edges, e)
		for (uint32_t k = 0; k < t.f->edges.at[e].ncopies; k++)
			take_ref(&t, t.f->extra.at[t.f->edges.at[e].copies + 2 * k + 1]);
}

/* marks all functions that the body of a function that is not traced mentions */
static void take_all(struct plan *pl, uint32_t func)
{
	const struct ir_func *f = &pl->p->funcs.at[func];

	vec_each (&f->consts, i)
		if (f->consts.at[i].kind == IR_C_FUNC)
			add_thunk(pl, f->consts.at[i].id);
}

/* Functions that libraries may call by their name, for example a malloc of the program. */
static struct bitset find_exposed(const struct plan *pl)
{
	const struct ir_program *p = pl->p;
	struct bitset exposed = {0};

	vec_each (&p->funcs, f)
		if (pl->funcs[f].traced && !(p->funcs.at[f].flags & IR_FN_LOCAL) &&
			effects_find(ir_func_name(p, f)).kind != EFFECTS_UNKNOWN)
			bitset_add(&exposed, f);
	return exposed;
}

static void find_thunks(struct plan *pl, const struct bitset *exposed, bool open)
{
	const struct ir_program *p = pl->p;

	add_thunk(pl, ir_find_func(p, "main"));
	vec_each (&p->ctors, i)
		add_thunk(pl, p->ctors.at[i].func);
	vec_each (&p->dtors, i)
		add_thunk(pl, p->dtors.at[i].func);
	vec_each (&p->globals, g)
		vec_each (&p->globals.at[g].relocs, i)
			if (p->globals.at[g].relocs.at[i].kind == IR_C_FUNC)
				add_thunk(pl, p->globals.at[g].relocs.at[i].id);
	vec_each (&p->funcs, f) {
		if (pl->funcs[f].traced)
			take_in_body(pl, f);
		else
			take_all(pl, f);
		if ((open && !(p->funcs.at[f].flags & IR_FN_LOCAL)) || bitset_has(exposed, f))
			add_thunk(pl, f);
	}
}

/* ---- instructions --------------------------------------------------------------------------- */

static uint32_t results_bytes(const struct planner *pn, const struct ir_insn *in)
{
	uint32_t n = ir_insn_ndst(in), sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += ir_type_bytes(pn->f->regs.at[in->dst + i].type);
	return sum;
}

static void log_results(struct planner *pn, struct plan_insn *pi, const struct ir_insn *in)
{
	pi->bytes = results_bytes(pn, in);
	pi->what = pi->bytes ? PLAN_VALUES : PLAN_NOTHING;
}

static void plan_alloca(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	if (plan_private_local(&pn->priv, insn))
		pi->flags |= PLAN_F_PRIVATE;
	else
		log_results(pn, pi, &pn->f->insns.at[insn]);
}

/* Loads of constants are not logged even if plan_options.whole is set: constants are known wherever
 * reading begins, and the address of a label, which only constants hold, has a meaning only in the
 * process. */
static bool constant_at(const struct planner *pn, ir_ref at)
{
	struct pts_locs locs = {0};
	bool all;

	points_to_get(pn->pl->pt, pn->func, at, &locs);
	all = locs.list.n;
	vec_each (&locs.list, i) {
		const struct pts_object *o =
			points_to_object(pn->pl->pt, locs.list.at[i].object);

		all &= o->kind == PTS_K_GLOBAL && (pn->p->globals.at[o->id].flags &
							  (IR_G_CONST | IR_G_EXTERN)) == IR_G_CONST;
	}
	pts_locs_release(&locs);
	return all;
}

static void plan_read(struct planner *pn, uint32_t insn, struct plan_insn *pi, bool also_written)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];
	uint32_t width = MAX(ir_type_bytes(in->type), 1);
	unsigned access;

	if (plan_private_at(&pn->priv, in->arg[0])) {
		pi->flags |= PLAN_F_PRIVATE;
		return;
	}
	access = plan_memory_read(pn->memory, pn->func, insn, in->arg[0], width);
	if (also_written)
		access |= plan_memory_write(pn->memory, pn->func, insn, in->arg[0], width);
	/* volatile: something outside the program may change it, such as a debugger or another
	 * process */
	if (in->flags & IR_F_VOLATILE &&
		plan_memory_write(pn->memory, pn->func, insn, in->arg[0], width) & ACCESS_EVENT)
		access |= ACCESS_LOG | ACCESS_EVENT;
	if (access & ACCESS_EVENT)
		pi->flags |= PLAN_F_EVENT;
	if (access & ACCESS_LOG || (pn->whole && !constant_at(pn, in->arg[0])))
		log_results(pn, pi, in);
}

static void plan_load(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	plan_read(pn, insn, pi, false);
	pn->pl->nloads++;
	pn->pl->nlogged += pi->what != PLAN_NOTHING;
}

static void plan_store(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];

	if (plan_private_at(&pn->priv, in->arg[0]))
		pi->flags |= PLAN_F_PRIVATE;
	else if (plan_memory_write(pn->memory, pn->func, insn, in->arg[0],
			 MAX(ir_type_bytes(in->type2), 1)) & ACCESS_EVENT)
		pi->flags |= PLAN_F_EVENT;
}

/* the source of a copy: its bytes are in the segment if they are few, else in their own
 * reservation */
static void plan_source(struct planner *pn, uint32_t insn, struct plan_insn *pi, uint32_t n)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];
	unsigned access = plan_private_at(&pn->priv, in->arg[1])
				? 0
				: plan_memory_read(pn->memory, pn->func, insn, in->arg[1], n);

	if (access & ACCESS_EVENT)
		pi->flags |= PLAN_F_EVENT | PLAN_F_READ;
	if (!(access & ACCESS_LOG || pn->whole))
		return;
	if (n <= PLAN_INLINE) {
		pi->what = PLAN_BYTES;
		pi->bytes = n;
	} else {
		pi->what = PLAN_BULK;
		pi->flags |= PLAN_F_BREAK;
	}
}

static bool may_be_heap(const struct planner *pn, ir_ref at)
{
	struct pts_locs locs = {0};
	bool heap = false;

	points_to_get(pn->pl->pt, pn->func, at, &locs);
	vec_each (&locs.list, i)
		heap |= points_to_object(pn->pl->pt, locs.list.at[i].object)->kind == PTS_K_HEAP;
	pts_locs_release(&locs);
	return heap;
}

/* An operation of unknown length on a block of the heap is an event even if only this thread uses
 * the block: with another length it may leave the block, and a replay must stop before it. */
static void plan_range(struct planner *pn, const struct ir_insn *in, struct plan_insn *pi)
{
	if (may_be_heap(pn, in->arg[0]))
		pi->flags |= PLAN_F_EVENT | PLAN_F_WRITE;
	if (in->op != IR_MEMSET && may_be_heap(pn, in->arg[1]))
		pi->flags |= PLAN_F_EVENT | PLAN_F_READ;
}

static void plan_bulk(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];
	uint32_t n = ACCESS_ALL;
	int64_t k;

	if (defs_constant(pn->f, in->arg[2], &k) && k >= 0 && k < ACCESS_ALL)
		n = (uint32_t)k;
	if (!n)
		return;
	if (in->op != IR_MEMSET)
		plan_source(pn, insn, pi, n);
	if (n == ACCESS_ALL && phase_late(pn->phase, pn->func, insn))
		plan_range(pn, in, pi);
	if (plan_private_at(&pn->priv, in->arg[0])) {
		if (in->op == IR_MEMSET || plan_private_at(&pn->priv, in->arg[1]))
			pi->flags |= PLAN_F_PRIVATE;
	} else if (plan_memory_write(pn->memory, pn->func, insn, in->arg[0], n) & ACCESS_EVENT) {
		pi->flags |= PLAN_F_EVENT | PLAN_F_WRITE;
	}
}

static void plan_va(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];

	if (in->op == IR_VA_END)
		return;
	if (in->op == IR_VA_COPY && !pn->whole &&
		!(plan_memory_read(pn->memory, pn->func, insn, in->arg[1], 24) & ACCESS_LOG))
		return;
	pi->what = PLAN_VA;
	pi->bytes = 24;
}

static void plan_call(struct planner *pn, uint32_t insn, struct plan_insn *pi)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];
	uint32_t callee = ir_callee(pn->f, in);

	pi->call = callee == IR_NONE ? CALL_INDIRECT : pn->natives[callee].call;
	if (pi->call != CALL_PURE)
		pi->flags |= PLAN_F_BREAK;
	if (phase_ends(pn->phase, pn->func, insn))
		pi->flags |= PLAN_F_LATE;
	if (pi->call == CALL_EFFECT)
		pi->effect = pn->natives[callee].effect;
	if (pi->call == CALL_PURE || pi->call == CALL_EFFECT || pi->call == CALL_UNKNOWN)
		log_results(pn, pi, in);
}

static void plan_insn(struct planner *pn, uint32_t insn)
{
	const struct ir_insn *in = &pn->f->insns.at[insn];
	struct plan_insn *pi = &pn->pf->insn[insn];

	switch (ir_ops[in->op].shape) {
	case IR_S_ALLOCA: plan_alloca(pn, insn, pi); break;
	case IR_S_LOAD: plan_load(pn, insn, pi); break;
	case IR_S_STORE: plan_store(pn, insn, pi); break;
	case IR_S_RMW:
	case IR_S_CAS: plan_read(pn, insn, pi, true); break;
	case IR_S_BULK: plan_bulk(pn, insn, pi); break;
	case IR_S_VA: plan_va(pn, insn, pi); break;
	case IR_S_CALL: plan_call(pn, insn, pi); break;
	case IR_S_ASM:
	case IR_S_PTR0: log_results(pn, pi, in); break;
	default: break;
	}
}

/* ---- segments and blocks --------------------------------------------------------------------- */

static uint32_t count_addresses(const struct plan_insn *pi)
{
	if (!(pi->flags & PLAN_F_EVENT))
		return 0;
	return (pi->flags & PLAN_F_READ && pi->flags & PLAN_F_WRITE) ? 2 : 1;
}

/* the results of a call that ends its segment are the first values of the next one */
static bool logs_in_next(const struct plan_insn *pi)
{
	return pi->flags & PLAN_F_BREAK && pi->call != CALL_NONE;
}

struct cutter {
	VEC(struct plan_segment) list;
	uint32_t order;
};

static void cut_block(const struct planner *pn, struct cutter *c, struct ir_block b)
{
	struct plan_segment s = {.first = b.first};
	struct plan_insn *pi;
	uint32_t carried;

	c->order = 0;
	for (uint32_t i = b.first; i < b.first + b.n; i++) {
		pi = &pn->pf->insn[i];
		if (!logs_in_next(pi) && s.n && s.bytes + pi->bytes > SEGMENT_MAX) {
			vec_push(&c->list, s);
			s = (struct plan_segment){.first = i};
			c->order = 0;
		}
		pi->order = (uint8_t)c->order;
		c->order += count_addresses(pi);
		s.n++;
		carried = logs_in_next(pi) ? pi->bytes : 0;
		s.bytes += pi->bytes - carried;
		if (pi->flags & PLAN_F_BREAK) {
			vec_push(&c->list, s);
			s = (struct plan_segment){.first = i + 1, .bytes = carried};
			c->order = 0;
		}
	}
	BUG_ON(!s.n); /* because a terminator is not a break */
	vec_push(&c->list, s);
}

static void cut_segments(struct planner *pn)
{
	struct cutter c = {0};

	vec_each (&pn->f->blocks, b)
		cut_block(pn, &c, pn->f->blocks.at[b]);
	pn->pf->nsegments = c.list.n;
	pn->pf->segment = arena_memdup(&pn->pl->arena, c.list.at, c.list.n * sizeof *c.list.at);
	vec_release(&c.list);
}

static uint32_t block_constant(uint32_t func, uint32_t block)
{
	uint32_t h = (uint32_t)hash_u64((uint64_t)func << 32 | block) & INT32_MAX;

	return h ? h : 1;
}

/* If only this branch leads to its two targets, one constant is enough to distinguish them. The
 * later block keeps its constant, so that usually the body of a loop has none. */
static void tell_by_other(struct planner *pn, const struct ir_insn *branch, const uint32_t *npreds)
{
	const struct ir_edge *edge = pn->f->edges.at;
	uint32_t a, b;

	if (branch->op != IR_CBR)
		return;
	a = edge[branch->arg[1]].to;
	b = edge[branch->arg[2]].to;
	if (a != b && npreds[a] == 1 && npreds[b] == 1)
		pn->pf->block_hash[MIN(a, b)] = 0;
}

static void hash_blocks(struct planner *pn)
{
	const struct ir_func *f = pn->f;
	uint32_t *npreds = xcalloc(f->blocks.n + 1, sizeof *npreds);
	bool *jumped = xcalloc(f->blocks.n + 1, sizeof *jumped);

	vec_each (&f->blocks, b) {
		const struct ir_insn *t = ir_terminator(f, b);

		for (uint32_t k = 0; k < ir_insn_nedges(t); k++) {
			uint32_t to = f->edges.at[ir_insn_edge(f, t, k)].to;

			npreds[to]++;
			jumped[to] = t->op == IR_BR;
		}
	}
	pn->pf->block_hash = arena_array(&pn->pl->arena, uint32_t, f->blocks.n + 1);
	vec_each (&f->blocks, b)
		if (npreds[b] != 1 || !jumped[b])
			pn->pf->block_hash[b] = block_constant(pn->func, b);
	vec_each (&f->blocks, b)
		tell_by_other(pn, ir_terminator(f, b), npreds);
	free(npreds);
	free(jumped);
}

static uint32_t entry_bytes(const struct ir_func *f)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < f->nparams; i++)
		if (f->params[i].byval)
			sum += 8 + f->params[i].byval;
	BUG_ON(sum > UINT32_MAX);
	return (uint32_t)sum;
}

static void plan_function(struct planner *pn, uint32_t func)
{
	pn->func = func;
	pn->f = &pn->p->funcs.at[func];
	pn->pf = &pn->pl->funcs[func];
	pn->pf->insn = arena_array(&pn->pl->arena, struct plan_insn, pn->f->insns.n + 1);
	pn->pf->entry_bytes = entry_bytes(pn->f);
	plan_private_init(&pn->priv, pn->f, pn->whole);
	vec_each (&pn->f->insns, i)
		plan_insn(pn, i);
	plan_private_release(&pn->priv);
	cut_segments(pn);
	hash_blocks(pn);
}

/* ---- the hash -------------------------------------------------------------------------------- */

static uint64_t mix_hash(uint64_t h, uint64_t x)
{
	return hash_u64(h ^ x) + h * 31;
}

static uint64_t hash_function(uint64_t h, const struct ir_func *f, const struct plan_func *pf)
{
	h = mix_hash(h, (uint64_t)pf->entry_bytes << 32 | f->insns.n);
	vec_each (&f->insns, i) {
		const struct plan_insn *pi = &pf->insn[i];

		h = mix_hash(h, (uint64_t)f->insns.at[i].op << 56 | (uint64_t)pi->what << 48 |
					(uint64_t)pi->flags << 40 | (uint64_t)pi->call << 32 |
					(uint64_t)pi->effect << 8 | pi->order);
		h = mix_hash(h, pi->bytes);
	}
	for (uint32_t i = 0; i < pf->nsegments; i++)
		h = mix_hash(h, (uint64_t)pf->segment[i].first << 32 | pf->segment[i].bytes);
	vec_each (&f->blocks, b)
		h = mix_hash(h, pf->block_hash[b]);
	return h;
}

static uint64_t hash_plan(const struct plan *pl)
{
	const struct ir_program *p = pl->p;
	uint64_t h = mix_hash(LOG_VERSION, p->globals.n);
	const char *name;

	vec_each (&p->globals, g)
		h = mix_hash(h, p->globals.at[g].size << 8 | p->globals.at[g].flags);
	vec_each (&p->funcs, f) {
		name = ir_func_name(p, f);
		h = mix_hash(h, hash_bytes(name, strlen(name)));
		h = mix_hash(h, (uint64_t)pl->funcs[f].traced << 1 | pl->funcs[f].thunk);
		if (pl->funcs[f].traced)
			h = hash_function(h, &p->funcs.at[f], &pl->funcs[f]);
	}
	return h;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static struct points_to *analyse_pointers(const struct plan *pl, const struct native *natives,
	const struct bitset *exposed, bool open)
{
	struct bitset unknown = {0};
	struct points_to_options opt = {
		.open = open, .unknown = &unknown, .exposed = exposed, .direct_only = true};
	struct points_to *pt;

	vec_each (&pl->p->funcs, f)
		if (natives[f].unknown)
			bitset_add(&unknown, f);
	pt = points_to_new(pl->p, &opt);
	bitset_release(&unknown);
	return pt;
}

struct plan *plan_new(const struct ir_program *p, const struct plan_options *opt, bool open)
{
	static const struct plan_options plain;
	struct plan *pl = xcalloc(1, sizeof *pl);
	struct planner pn = {.pl = pl, .p = p};
	struct bitset exposed;
	struct phase ph;
	bool *traced;

	opt = opt ? opt : &plain;
	pl->p = p;
	arena_init(&pl->arena);
	pl->funcs = arena_array(&pl->arena, struct plan_func, p->funcs.n + 1);
	traced = find_traced(pl, opt, open);
	vec_each (&p->funcs, f)
		pl->funcs[f].traced = traced[f];
	exposed = find_exposed(pl);
	find_thunks(pl, &exposed, open);
	pn.natives = natives_resolve(&pl->arena, p, traced);
	pl->pt = analyse_pointers(pl, pn.natives, &exposed, open);
	phase_init(&ph, pl, pn.natives);
	pn.phase = &ph;
	bitset_or(&pl->early, &ph.early);
	pn.memory = plan_memory_new(pl, pn.natives, &ph, open);
	pn.whole = pl->whole = opt->whole;
	vec_each (&p->funcs, f)
		if (traced[f])
			plan_function(&pn, f);
	plan_memory_free(pn.memory);
	phase_release(&ph);
	bitset_release(&exposed);
	pl->hash = hash_plan(pl);
	return pl;
}

void plan_free(struct plan *pl)
{
	if (!pl)
		return;
	points_to_free(pl->pt);
	bitset_release(&pl->early);
	arena_release(&pl->arena);
	free(pl);
}

const struct plan_segment *plan_segment_at(const struct plan_func *f, uint32_t insn)
{
	uint32_t k;

	return search_find(0, f->nsegments, i, f->segment[i].first, insn, &k) ? &f->segment[k] : NULL;
}
