/* Connects a struct sym to a machine: the table of operations for the machine (extension.h). */
#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbolic/lazy.h"
#include "symbolic/sym_internal.h"

static bool is_incomplete(const struct machine *m)
{
	return m->sym->incomplete;
}

static void note_exit(struct machine *m, term_t status)
{
	m->sym->status = status;
}

static bool has_lazy_memory(const struct machine *m)
{
	return m->sym->lazy != NULL;
}

static bool describe_region(const struct machine *m, uint64_t addr, struct region_info *out)
{
	uint32_t k = m->sym->lazy ? lazy_find(m->sym->lazy, addr) : IR_NONE;
	const struct lazy_region *r;
	u128 live;

	if (k == IR_NONE)
		return false;
	r = lazy_get(m->sym->lazy, k);
	*out = (struct region_info){
		.base = r->base, .size = r->size, .name = r->name, .assumed = r->assumed};
	out->freed = r->live.id && term_is_const(m->ts, r->live, &live) && !live;
	return true;
}

static enum step check_invariant(
	struct machine *m, struct thread *t, const char *operation, struct opnd object)
{
	const struct sym *s = m->sym;

	return s->ops->invariant ? s->ops->invariant(s->ctx, m, t, operation, object) : STEP_NEXT;
}

static const struct symbolic_ops ops = {
	.assume = sym_assume,
	.decide = sym_decide,
	.value = sym_value,
	.divide = sym_divide,
	.opaque = sym_opaque,
	.incomplete = sym_incomplete,
	.is_incomplete = is_incomplete,
	.exits = note_exit,
	.address = sym_address,
	.load = sym_load,
	.store = sym_store,
	.readable = sym_readable,
	.bulk = sym_bulk,
	.alloc = sym_alloc,
	.free = sym_free,
	.alloc_size = sym_alloc_size,
	.has_regions = has_lazy_memory,
	.find_region = describe_region,
	.callee = sym_callee,
	.summary = summary_call,
	.sync = check_invariant,
	.save = sym_save,
	.restore = sym_restore,
	.same = sym_same,
	.bytes = sym_state_bytes,
	.drop = sym_drop,
};

void sym_release(struct sym *s)
{
	map_release(&s->bases);
	map_release(&s->opaque_of);
	vec_release(&s->opaque);
	vec_release(&s->path);
	vec_release(&s->fixed);
	vec_release(&s->switches);
	if (s->reduced.ts)
		term_subst_release(&s->reduced);
}

void sym_attach(struct machine *m, struct sym *s, struct terms *ts)
{
	BUG_ON(m->sym || m->follow);
	m->sym = s;
	m->ts = ts;
	m->symbolic_ops = &ops;
}
