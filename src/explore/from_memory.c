/*
 * The variables of the program in the initial state. A variable is ordinary memory with one symbol
 * for each scalar of its type; a global of more than MOST_WORDS bytes is a lazy region.
 */
#include "machine/code.h"
#include "base/base.h"
#include "explore/from_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_WORDS = 1 << 14 }; /* bytes: maximum size of a global with a symbol for each scalar */

/* ---- addresses ------------------------------------------------------------------------------- */

static uint64_t local_address(const struct from *f, const struct context_symbol *s)
{
	vec_each (&f->locals, i) {
		const struct from_local *l = &f->locals.at[i];

		if (l->thread == s->thread && l->frame == s->frame && l->local == s->id)
			return l->addr;
	}
	return 0;
}

/* Makes a primary object for the block of a CONTEXT_HEAP symbol; returns its address. */
static uint64_t heap_address(struct from *f, term_t sym, const struct context_symbol *s)
{
	struct pts_frame at = {s->func, s->insn};
	uint32_t object = points_to_of_allocation(f->pt, &at, 1);
	uint64_t size = points_to_object(f->pt, object)->size;
	struct lazy_region r = {.size = size, .object = object};
	char name[64];
	uint32_t k;

	snprintf(name, sizeof name, "heap!f%u.i%u", s->func, s->insn);
	r.bytes = r.initial = term_sym_array(f->ts, name);

	if (size == UINT64_MAX) {
		r.size = LAZY_STRIDE / 2;
		r.assumed = true;
	}
	k = lazy_add(f->m->sym->lazy, r);
	*map_put(&f->heaps, sym.id) = k + 1;
	return lazy_get(f->m->sym->lazy, k)->base;
}

static uint64_t address_of(struct from *f, term_t sym, const struct context_symbol *s)
{
	const struct machine *m = f->m;

	switch (s->kind) {
	case CONTEXT_GLOBAL:
		if (f->p->globals.at[s->id].flags & IR_G_TLS)
			return m->threads.at[f->ids[s->thread]]->tls +
			       m->globals.addr[s->id];
		return m->globals.addr[s->id];
	case CONTEXT_FUNC: return func_addr(s->id);
	case CONTEXT_LOCAL: return local_address(f, s);
	case CONTEXT_HEAP: return heap_address(f, sym, s);
	case CONTEXT_THREAD: return f->ids[s->thread] + 1;
	case CONTEXT_VALUE: break;
	}
	return 0;
}

/* The term with addresses in the place of their symbols. */
static term_t with_addresses(struct from *f, term_t t)
{
	struct term_subst s;
	const struct term_syms *syms = term_syms(f->ts, t);

	term_subst_init(&s, f->ts);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint64_t a = map_get_or(&f->addresses, syms->at[i].id, 0);

		if (a)
			term_subst_put(&s, syms->at[i], term_const(f->ts, 64, a));
	}
	t = term_subst(&s, t);
	term_subst_release(&s);
	return t;
}

/* Fills f->subst: an address for each symbol that stands for one. All symbols exist now. */
static void fill_addresses(struct from *f)
{
	term_subst_init(&f->subst, f->ts);
	for (uint32_t i = 0; i < terms_n_syms(f->ts); i++) {
		term_t sym = terms_sym_at(f->ts, i);
		const struct context_symbol *s = context_symbol(f->c, sym);
		uint64_t a;

		if (!s)
			continue;
		if (s->kind == CONTEXT_VALUE) {
			if (term_width(f->ts, sym) == 64)
				lazy_pointer(f->m->sym->lazy, sym);
			continue;
		}
		a = address_of(f, sym, s);
		if (!a)
			continue;
		term_subst_put(&f->subst, sym, term_const(f->ts, 64, a));
		*map_put(&f->addresses, sym.id) = a;
	}
	vec_each (&f->solved, i) /* in the addresses only: the others are solved */
		term_subst_put(&f->subst, f->solved.at[i].sym,
			with_addresses(f, f->solved.at[i].is));
	f->subst_ready = true;
}

term_t from_term(struct from *f, term_t t)
{
	return f->subst_ready ? term_subst(&f->subst, t) : t;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Size in bytes of the scalar that begins at the offset of the type; 0 = unknown. */
static uint32_t scalar_at(const struct ir_program *p, uint32_t dtype, uint64_t off)
{
	for (int depth = 0; dtype && depth < 32; depth++) {
		const struct ir_dtype *d = &p->dtypes.at[dtype];

		switch (d->kind) {
		case IR_D_TYPEDEF:
		case IR_D_CV: dtype = d->elem; continue;
		case IR_D_ARRAY:
			if (!d->elem || !p->dtypes.at[d->elem].size) {
				dtype = d->elem;
				continue;
			}
			off %= p->dtypes.at[d->elem].size;
			dtype = d->elem;
			continue;
		case IR_D_STRUCT: {
			uint32_t in = 0;
			uint64_t from = 0;

			vec_each (&d->fields, i)
				if (d->fields.at[i].bit_offset / 8 <= off) {
					in = d->fields.at[i].dtype;
					from = d->fields.at[i].bit_offset / 8;
				}
			dtype = in;
			off -= from;
			continue;
		}
		case IR_D_BASE:
		case IR_D_ENUM:
		case IR_D_PTR: return off ? 0 : (uint32_t)(d->kind == IR_D_PTR ? 8 : d->size);
		default: return 0;
		}
	}
	return 0;
}

static unsigned word_at(const struct from *f, uint32_t dtype, uint64_t off, uint64_t size)
{
	uint32_t n = scalar_at(f->p, dtype, off);

	if (!n || n > 16 || n > size - off)
		n = off % 8 == 0 && size - off >= 8 ? 8 : off % 4 == 0 && size - off >= 4 ? 4 : 1;
	return n;
}

/* Fills [addr, addr + size) with symbols, except the parts of a global that context_untouched()
 * says keep their initial bytes. Their names are NAME+OFFSET!KEY; no other variable has the key. */
static void make_symbols(struct from *f, struct machine *m, uint64_t addr, uint64_t size, uint32_t dtype,
	uint32_t object, const char *name, const char *key, uint32_t global)
{
	uint64_t bad;
	unsigned n;

	for (uint64_t off = 0; off < size; off += n) {
		char *text;
		term_t s;

		n = word_at(f, dtype, off, size);
		if (global != IR_NONE && context_untouched(f->c, global, off, n))
			continue;
		text = xasprintf("%s+%llu!%s", name, (unsigned long long)off, key);
		s = term_sym(f->ts, text, 8 * n);
		free(text);
		*map_put(&f->words, s.id) = object + 1;
		if (n == 8)
			lazy_pointer(m->sym->lazy, s);
		opnd_put(m, addr + off, (struct opnd){.t = s}, n, &bad);
	}
}

static void make_region(struct from *f, struct machine *m, uint64_t addr, uint64_t size,
	uint32_t object, const char *key)
{
	struct lazy_region r = {.base = addr, .size = size, .object = object};
	char *name = xasprintf("variable!%s", key);

	r.bytes = r.initial = term_sym_array(f->ts, name);
	free(name);
	mem_unmap(&m->mem, addr, size);
	lazy_add(m->sym->lazy, r);
}

static void make_global(struct from *f, struct machine *m, uint32_t g)
{
	const struct ir_global *gl = &f->p->globals.at[g];
	uint32_t object = points_to_of_global(f->pt, g);
	char key[32];

	if (gl->flags & (IR_G_CONST | IR_G_EXTERN | IR_G_MODEL | IR_G_TLS) || !gl->size ||
		!m->globals.addr[g])
		return;
	snprintf(key, sizeof key, "g%u", g);
	if (gl->size <= MOST_WORDS)
		make_symbols(f, m, m->globals.addr[g], gl->size, gl->dtype, object,
			ir_str(f->p, gl->name), key, g);
	else if (!context_untouched(f->c, g, 0, gl->size))
		make_region(f, m, m->globals.addr[g], gl->size, object, key);
}

/* Each thread of the context has its own copy. */
static void make_thread_local(struct from *f, struct machine *m, uint32_t g)
{
	const struct ir_global *gl = &f->p->globals.at[g];
	char key[48];

	if ((gl->flags & (IR_G_CONST | IR_G_EXTERN | IR_G_MODEL | IR_G_TLS)) != IR_G_TLS)
		return;
	vec_each (&f->threads, k) {
		snprintf(key, sizeof key, "g%u.T%u", g, f->threads.at[k].id);
		make_symbols(f, m, m->threads.at[f->ids[k]]->tls + m->globals.addr[g], gl->size, gl->dtype,
			points_to_of_global(f->pt, g), ir_str(f->p, gl->name), key, IR_NONE);
	}
}

static void make_local(struct from *f, struct machine *m, const struct from_local *l)
{
	const struct ir_func *fn = &f->p->funcs.at[l->func];
	const struct ir_local *v = &fn->locals.at[l->local];
	char key[64];

	snprintf(key, sizeof key, "T%u.%u.l%u", f->threads.at[l->thread].id, l->frame, l->local);
	make_symbols(f, m, l->addr, l->size, v->dtype, points_to_of_local(f->pt, l->func, l->local),
		v->name ? ir_str(f->p, v->name) : "local", key, IR_NONE);
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* Writes a definition that must have reached the places, unless its address is symbolic. */
static void define_memory(struct from *f, struct machine *m, const struct context_memory *d)
{
	term_t base = from_term(f, d->base), value = from_term(f, d->value);
	unsigned n = term_width(f->ts, value) / 8;
	uint32_t k;
	uint64_t bad;
	u128 a;

	if (!term_is_const(f->ts, base, &a))
		return;
	a += (u128)(s128)d->offset;
	k = lazy_find(m->sym->lazy, (uint64_t)a);
	if (k != IR_NONE) {
		struct lazy_region *r = lazy_at(m->sym->lazy, k);
		term_t at = term_const(f->ts, 64, (uint64_t)a - r->base);

		r->bytes = r->below = term_write_n(f->ts, r->bytes, at, value);
		return;
	}
	opnd_put(m, (uint64_t)a, opnd_of_term(m, value), n, &bad);
}

void from_memory(struct from *f, struct machine *m)
{
	const struct context_memory *d;
	uint32_t n;

	f->ops = (struct lazy_ops){.targets = from_targets, .ctx = f,
		.check_initial = f->opt.check_initial};
	m->sym->lazy = lazy_new(&f->ops);
	d = context_memory(f->c, &n);
	fill_addresses(f);
	vec_each (&f->p->globals, g) {
		make_global(f, m, g);
		make_thread_local(f, m, g);
	}
	vec_each (&f->locals, i)
		make_local(f, m, &f->locals.at[i]);
	for (uint32_t i = 0; i < n; i++)
		define_memory(f, m, &d[i]);
}
