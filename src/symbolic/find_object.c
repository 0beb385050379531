#include "symbolic/find_object.h"

#include "base/base.h"
#include "base/vec.h"

static bool contains_address(uint64_t base, uint64_t size, uint64_t a)
{
	return a - base <= size; /* includes the address one past the end: a red zone follows */
}

static bool find_var(struct machine *m, uint64_t a, struct object *o)
{
	struct thread *t;
	uint64_t k = (a - ADDR_STACK) / STACK_STRIDE;

	if (k >= m->threads.n)
		return false;
	t = m->threads.at[k];
	vec_each (&t->vars, i)
		if (contains_address(t->vars.at[i].base, t->vars.at[i].size, a)) {
			o->base = t->vars.at[i].base;
			o->size = t->vars.at[i].size;
			return true;
		}
	for (uint32_t i = 0; i < MIN(t->ndead, (uint32_t)DEAD_VARS); i++)
		if (contains_address(t->dead[i].base, t->dead[i].size, a)) {
			o->base = t->dead[i].base;
			o->size = t->dead[i].size;
			o->dead = true;
			return true;
		}
	return false;
}

static bool find_global(struct machine *m, uint64_t a, uint64_t tls, struct object *o)
{
	uint32_t g = globals_find(&m->globals, m->p, a);

	if (!tls) {
		if (g == IR_NONE ||
			!contains_address(m->globals.addr[g], m->p->globals.at[g].size, a))
			return false;
		o->base = m->globals.addr[g];
		o->size = m->p->globals.at[g].size;
		o->readonly = m->p->globals.at[g].flags & IR_G_CONST;
		return true;
	}
	vec_each (&m->p->globals, i) {
		const struct ir_global *gl = &m->p->globals.at[i];

		if ((gl->flags & (IR_G_EXTERN | IR_G_TLS)) == IR_G_TLS &&
			contains_address(tls + m->globals.addr[i], gl->size, a)) {
			o->base = tls + m->globals.addr[i];
			o->size = gl->size;
			return true;
		}
	}
	return false;
}

void object_of_region(struct machine *m, uint32_t k, struct object *o)
{
	const struct lazy_region *r = lazy_get(m->sym->lazy, k);
	u128 live;

	*o = (struct object){.base = r->base, .size = r->size, .region = k,
		.readonly = r->readonly};
	o->dead = r->live.id && term_is_const(m->ts, r->live, &live) && !live;
}

bool find_object(struct machine *m, uint64_t a, struct object *o)
{
	struct heap_block *h;
	uint32_t k;

	*o = (struct object){.region = IR_NONE};
	if (m->sym->lazy && (k = lazy_find(m->sym->lazy, a)) != IR_NONE) {
		object_of_region(m, k, o);
		return true;
	}
	if (a >= ADDR_TLS && a < ADDR_END) {
		uint64_t tid = (a - ADDR_TLS) / TLS_STRIDE;

		o->dead = tid < m->threads.n && m->threads.at[tid]->state == THREAD_DONE;
		return tid < m->threads.n && find_global(m, a, m->threads.at[tid]->tls, o);
	}
	if (a >= ADDR_STACK && a < ADDR_TLS)
		return find_var(m, a, o);
	if (a >= ADDR_HEAP && a < ADDR_STACK) {
		h = heap_find(&m->heap, a);
		if (!h || !contains_address(h->base, h->size, a))
			return false;
		o->base = h->base;
		o->size = h->size;
		o->dead = h->freed;
		return true;
	}
	return a >= ADDR_CONST && a < ADDR_HEAP && find_global(m, a, 0, o);
}
