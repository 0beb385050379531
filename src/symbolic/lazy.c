#include "symbolic/lazy.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"

/* What all copies of one lazy heap share: targets and write logs in the arena, which only grows, and
 * the slots of primary objects. */
struct family {
	uint32_t refs;
	struct arena arena;
	struct map slots; /* initial array -> slot of the primary object + 1 */
};

struct origin {
	uint32_t region;
	term_t offset;
};

/* The contents of a lazy heap. Copies share it until one of them changes it (own_regions()). */
struct regions {
	uint32_t refs;
	VEC(struct lazy_region) at;
	VEC(uint32_t) by_base;    /* indices into at, by rising base */
	VEC(struct origin) reads;
	struct map read_of;       /* term -> 1 + index in reads */
	struct vec_u32 adopted;   /* terms */
	struct map pointers;      /* term -> 1, or struct vec_lazy_target * after its first use */
};

struct lazy {
	const struct lazy_ops *ops;
	struct family *family;
	struct regions *r;
};

/* ---- sharing --------------------------------------------------------------------------------- */

static void regions_drop(struct regions *r)
{
	if (--r->refs)
		return;
	vec_release(&r->at);
	vec_release(&r->by_base);
	vec_release(&r->reads);
	vec_release(&r->adopted);
	map_release(&r->read_of);
	map_release(&r->pointers);
	free(r);
}

static void copy_map(struct map *to, const struct map *from)
{
	map_each (from, i)
		*map_put(to, from->slots[i].key) = from->slots[i].val;
}

#define copy_vec(to, from)                                                                         \
	do {                                                                                       \
		vec_resize(to, (from)->n);                                                         \
		if ((from)->n)                                                                     \
			memcpy((to)->at, (from)->at, (from)->n * sizeof *(to)->at);                \
	} while (0)

static struct regions *own_regions(struct lazy *l)
{
	struct regions *old = l->r, *r;

	if (old->refs == 1)
		return old;
	r = xcalloc(1, sizeof *r);
	r->refs = 1;
	copy_vec(&r->at, &old->at);
	copy_vec(&r->by_base, &old->by_base);
	copy_vec(&r->reads, &old->reads);
	copy_vec(&r->adopted, &old->adopted);
	copy_map(&r->read_of, &old->read_of);
	copy_map(&r->pointers, &old->pointers);
	regions_drop(old);
	return l->r = r;
}

struct lazy *lazy_new(const struct lazy_ops *ops)
{
	struct lazy *l = xcalloc(1, sizeof *l);

	l->ops = ops;
	l->r = xcalloc(1, sizeof *l->r);
	l->r->refs = 1;
	l->family = xcalloc(1, sizeof *l->family);
	l->family->refs = 1;
	arena_init(&l->family->arena);
	return l;
}

void lazy_free(struct lazy *l)
{
	if (!l)
		return;
	regions_drop(l->r);
	if (!--l->family->refs) {
		arena_release(&l->family->arena);
		map_release(&l->family->slots);
		free(l->family);
	}
	free(l);
}

struct lazy *lazy_copy(const struct lazy *l)
{
	struct lazy *c = xcalloc(1, sizeof *c);

	*c = *l;
	c->r->refs++;
	c->family->refs++;
	return c;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* the number of regions that begin at or below the address */
static uint32_t count_below(const struct regions *r, uint64_t a)
{
	return upper_bound(0, r->by_base.n, i, r->at.at[r->by_base.at[i]].base, a);
}

/* The base of the primary object with the initial array. If more names than slots exist, this state
 * takes a slot that it does not use. */
static uint64_t primary_base(struct lazy *l, term_t initial)
{
	const uint64_t slots = (ADDR_CONST - ADDR_LAZY) / LAZY_STRIDE;
	uint64_t *at = map_put(&l->family->slots, initial.id), base;

	BUG_ON(!initial.id || l->r->at.n >= slots);
	if (!*at)
		*at = l->family->slots.n;
	for (uint64_t k = *at - 1;; k++) {
		base = ADDR_LAZY + k % slots * LAZY_STRIDE;
		if (lazy_find(l, base) == IR_NONE)
			return base;
	}
}

uint32_t lazy_add(struct lazy *l, struct lazy_region region)
{
	struct regions *r = own_regions(l);
	uint32_t k;

	if (!region.base)
		region.base = primary_base(l, region.initial);
	k = count_below(r, region.base);
	vec_push(&r->at, region);
	vec_push(&r->by_base, 0);
	memmove(r->by_base.at + k + 1, r->by_base.at + k,
		(r->by_base.n - 1 - k) * sizeof *r->by_base.at);
	r->by_base.at[k] = r->at.n - 1;
	return r->at.n - 1;
}

struct lazy_region *lazy_at(struct lazy *l, uint32_t region)
{
	return &own_regions(l)->at.at[region];
}

const struct lazy_region *lazy_get(const struct lazy *l, uint32_t region)
{
	return &l->r->at.at[region];
}

uint32_t lazy_count(const struct lazy *l)
{
	return l->r->at.n;
}

uint32_t lazy_find(const struct lazy *l, uint64_t a)
{
	const struct regions *r = l->r;
	uint32_t k = count_below(r, a);
	const struct lazy_region *at;

	if (!k)
		return IR_NONE;
	at = &r->at.at[r->by_base.at[k - 1]];
	return a - at->base <= at->size ? r->by_base.at[k - 1] : IR_NONE;
}

void lazy_log(struct lazy *l, uint32_t region, term_t offset, term_t value, term_t when)
{
	struct lazy_region *r = lazy_at(l, region);
	struct lazy_write *w = arena_new(&l->family->arena, struct lazy_write);

	if (!r->log)
		r->below = r->bytes;
	*w = (struct lazy_write){r->log, offset, value, when};
	r->log = w;
}

/* ---- pointers -------------------------------------------------------------------------------- */

void lazy_pointer(struct lazy *l, term_t sym)
{
	uint64_t *v = map_put(&own_regions(l)->pointers, sym.id);

	if (!*v)
		*v = 1;
}

bool lazy_is_pointer(const struct lazy *l, term_t t)
{
	return map_get(&l->r->pointers, t.id) || map_get(&l->r->read_of, t.id);
}

void lazy_note_read(struct lazy *l, term_t value, uint32_t region, term_t offset)
{
	struct regions *r;

	if (map_get(&l->r->read_of, value.id))
		return;
	r = own_regions(l);
	vec_push(&r->reads, (struct origin){region, offset});
	*map_put(&r->read_of, value.id) = r->reads.n;
}

bool lazy_origin(const struct lazy *l, term_t value, uint32_t *region, term_t *offset)
{
	uint64_t k = map_get_or(&l->r->read_of, value.id, 0);

	if (!k)
		return false;
	*region = l->r->reads.at[k - 1].region;
	*offset = l->r->reads.at[k - 1].offset;
	return true;
}

void lazy_adopt(struct lazy *l, term_t object)
{
	vec_push(&own_regions(l)->adopted, object.id);
}

uint32_t lazy_adopted_count(const struct lazy *l)
{
	return l->r->adopted.n;
}

term_t lazy_adopted(const struct lazy *l, uint32_t i)
{
	return (term_t){l->r->adopted.at[i]};
}

bool lazy_is_initial(const struct lazy *l)
{
	return l && l->ops && l->ops->targets;
}

bool lazy_checks_initial(const struct lazy *l)
{
	return l->ops && l->ops->check_initial;
}

/* Whether the value is the initial contents of the region at a known offset. */
static bool is_at(struct machine *m, term_t value, uint32_t region, term_t offset)
{
	term_t initial = lazy_get(m->sym->lazy, region)->initial;
	u128 k;

	return initial.id && term_is_const(m->ts, offset, &k) &&
	       term_same(value, term_read_n(m->ts, initial, offset, term_width(m->ts, value) / 8));
}

void lazy_name(struct machine *m, term_t t, struct strbuf *out)
{
	enum { LONGEST = 256 }; /* of the name of an array, which grows along a list */
	uint32_t region;
	const char *array;
	term_t offset;
	u128 k;

	if (term_op(m->ts, t) == TERM_SYM) {
		strbuf_adds(out, term_name(m->ts, t));
		return;
	}
	if (term_is_const(m->ts, t, &k)) {
		strbuf_addf(out, "%#llx", (unsigned long long)k);
		return;
	}
	if (lazy_origin(m->sym->lazy, t, &region, &offset) && is_at(m, t, region, offset)) {
		array = term_name(m->ts, lazy_get(m->sym->lazy, region)->initial);
		if (strlen(array) <= LONGEST && term_is_const(m->ts, offset, &k)) {
			strbuf_addf(out, "%s[%llu]", array, (unsigned long long)k);
			return;
		}
	}
	strbuf_addf(out, "t%u", t.id);
}

/* Adds the primary object of target i, which has neither region nor base. */
static uint32_t add_primary(struct machine *m, term_t pointer, const struct vec_lazy_target *v, uint32_t i)
{
	const struct lazy_target *t = &v->at[i];
	struct lazy_region r = {.size = t->size, .object = t->object, .name = t->name};
	struct strbuf name = {0};
	uint32_t nth = 0;

	if (t->size == UINT64_MAX) {
		r.size = LAZY_STRIDE / 2;
		r.assumed = true;
	}
	for (uint32_t k = 0; k < i; k++)
		nth += v->at[k].made && v->at[k].object == t->object;
	strbuf_adds(&name, "object!(");
	lazy_name(m, pointer, &name);
	strbuf_addf(&name, ").%u.%u", t->object, nth);
	r.bytes = r.initial = term_sym_array(m->ts, name.s);
	strbuf_release(&name);
	return lazy_add(m->sym->lazy, r);
}

const struct vec_lazy_target *lazy_targets(struct machine *m, term_t pointer)
{
	struct lazy *l = m->sym->lazy;
	uint64_t known = map_get_or(&l->r->pointers, pointer.id, 0);
	struct vec_lazy_target v = {0}, *kept;

	if (known > 1)
		return (const struct vec_lazy_target *)(uintptr_t)known;
	if (l->ops && l->ops->targets)
		l->ops->targets(l->ops->ctx, m, pointer, &v);
	if (!v.n)
		return NULL;
	vec_each (&v, i)
		if (v.at[i].region == IR_NONE && !v.at[i].base) {
			v.at[i].region = add_primary(m, pointer, &v, i);
			v.at[i].made = true;
		}
	kept = arena_new(&l->family->arena, struct vec_lazy_target);
	kept->n = kept->cap = v.n;
	kept->at = arena_alloc(&l->family->arena, v.n * sizeof *v.at);
	memcpy(kept->at, v.at, v.n * sizeof *v.at);
	vec_release(&v);
	*map_put(&own_regions(l)->pointers, pointer.id) = map_ptr(kept);
	return kept;
}
