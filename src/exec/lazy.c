#include "exec/lazy.h"

/* What states share until one of them changes it. */
struct regions {
	uint32_t refs;
	VEC(struct lazy_region) at;
	VEC(uint32_t) by_base; /* numbers by rising base */
	uint64_t next;         /* where the next primary object goes */
};

struct lazy {
	const struct lazy_ops *ops;
	struct regions *r;
};

/* ---- sharing -------------------------------------------------------------------------------------- */

static void regions_drop(struct regions *r)
{
	if (--r->refs)
		return;
	vec_release(&r->at);
	vec_release(&r->by_base);
	free(r);
}

static struct regions *own(struct lazy *l)
{
	struct regions *old = l->r, *r;

	if (old->refs == 1)
		return old;
	r = xcalloc(1, sizeof *r);
	r->refs = 1;
	r->next = old->next;
	vec_resize(&r->at, old->at.n);
	memcpy(r->at.at, old->at.at, old->at.n * sizeof *r->at.at);
	vec_resize(&r->by_base, old->by_base.n);
	memcpy(r->by_base.at, old->by_base.at, old->by_base.n * sizeof *r->by_base.at);
	regions_drop(old);
	return l->r = r;
}

struct lazy *lazy_new(const struct lazy_ops *ops)
{
	struct lazy *l = xcalloc(1, sizeof *l);

	l->ops = ops;
	l->r = xcalloc(1, sizeof *l->r);
	l->r->refs = 1;
	l->r->next = ADDR_LAZY;
	return l;
}

void lazy_free(struct lazy *l)
{
	if (!l)
		return;
	regions_drop(l->r);
	free(l);
}

struct lazy *lazy_copy(const struct lazy *l)
{
	struct lazy *c = xcalloc(1, sizeof *c);

	*c = *l;
	c->r->refs++;
	return c;
}

/* ---- regions --------------------------------------------------------------------------------------- */

/* how many regions begin at or below the address */
static uint32_t below(const struct regions *r, uint64_t a)
{
	uint32_t lo = 0, hi = r->by_base.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (r->at.at[r->by_base.at[mid]].base <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t lazy_add(struct lazy *l, struct lazy_region region)
{
	struct regions *r = own(l);
	uint32_t k;

	if (!region.base) {
		region.base = r->next;
		r->next += LAZY_STRIDE;
	}
	k = below(r, region.base);
	vec_push(&r->at, region);
	vec_push(&r->by_base, 0);
	memmove(r->by_base.at + k + 1, r->by_base.at + k,
		(r->by_base.n - 1 - k) * sizeof *r->by_base.at);
	r->by_base.at[k] = r->at.n - 1;
	return r->at.n - 1;
}

struct lazy_region *lazy_at(struct lazy *l, uint32_t region)
{
	return &own(l)->at.at[region];
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
	uint32_t k = below(r, a);
	const struct lazy_region *at;

	if (!k)
		return IR_NONE;
	at = &r->at.at[r->by_base.at[k - 1]];
	return a - at->base <= at->size ? r->by_base.at[k - 1] : IR_NONE;
}
