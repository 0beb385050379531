#include "extract/extract_shadow.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

enum { PAGE = 64 };

struct page {
	struct shade at[PAGE];
	uint64_t used; /* bit i: byte i has a shadow */
};

static struct page *page_at(const struct shadow_mem *m, uint64_t addr)
{
	return m->pages.n ? (struct page *)(uintptr_t)map_get_or(&m->pages, addr / PAGE, 0) : NULL;
}

void shadow_mem_release(struct shadow_mem *m)
{
	map_each (&m->pages, i)
		free((void *)(uintptr_t)m->pages.slots[i].val);
	map_release(&m->pages);
}

/* The bits of [addr, end) in the page of addr. */
static uint64_t page_bits(uint64_t addr, uint64_t end)
{
	uint64_t from = addr % PAGE, n = MIN(PAGE - from, end - addr);

	return (n == PAGE ? ~0ull : (1ull << n) - 1) << from;
}

bool shadow_any(const struct shadow_mem *m, uint64_t addr, uint64_t n)
{
	uint64_t end = addr + n;

	if (!m->pages.n)
		return false;
	for (; addr < end; addr = (addr / PAGE + 1) * PAGE) {
		struct page *p = page_at(m, addr);

		if (p && (p->used & page_bits(addr, end)))
			return true;
	}
	return false;
}

void shadow_clear(struct shadow_mem *m, uint64_t addr, uint64_t n)
{
	uint64_t end = addr + n;

	if (!m->pages.n)
		return;
	for (; addr < end; addr = (addr / PAGE + 1) * PAGE) {
		struct page *p = page_at(m, addr);

		if (p)
			p->used &= ~page_bits(addr, end);
	}
}

struct shade shadow_get(const struct shadow_mem *m, uint64_t addr)
{
	struct page *p = page_at(m, addr);

	return p && p->used >> addr % PAGE & 1 ? p->at[addr % PAGE] : (struct shade){0};
}

void shadow_put(struct shadow_mem *m, uint64_t addr, struct shade s)
{
	struct page *p = page_at(m, addr);

	if (!s.term.id) {
		if (p)
			p->used &= ~(1ull << addr % PAGE);
		return;
	}
	if (!p) {
		p = xcalloc(1, sizeof *p);
		*map_put(&m->pages, addr / PAGE) = map_ptr(p);
	}
	p->at[addr % PAGE] = s;
	p->used |= 1ull << addr % PAGE;
}

/* The shades [i, j) as one term; they are consecutive bytes of one term, or all constant. */
static term_t run(struct terms *ts, const struct shade *s, uint32_t i, uint32_t j)
{
	u128 v = 0;

	if (s[i].term.id)
		return term_extract(ts, s[i].term, 8u * s[i].part, 8 * (j - i));
	for (uint32_t k = j; k-- > i;)
		v = v << 8 | s[k].byte;
	return term_const(ts, 8 * (j - i), v);
}

term_t shades_join(struct terms *ts, const struct shade *s, uint32_t n)
{
	term_t all = TERM_NONE;
	bool any = false;

	for (uint32_t i = 0; i < n; i++)
		any |= s[i].term.id != 0;
	if (!any)
		return TERM_NONE;
	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && term_same(s[j].term, s[i].term) &&
				(!s[i].term.id || s[j].part == s[i].part + (j - i));)
			j++;
		all = all.id ? term_concat(ts, run(ts, s, i, j), all) : run(ts, s, i, j);
	}
	return all;
}

/* ---- registers ------------------------------------------------------------------------------ */

void shadow_frames_release(struct shadow_frames *s)
{
	vec_release(&s->at);
	vec_release(&s->regs);
}

void shadow_push(struct shadow_frames *s, uint32_t func, uint32_t nregs)
{
	uint32_t base = s->regs.n;

	vec_reserve(&s->regs, base + nregs + 1);
	s->regs.n = base + nregs;
	memset(s->regs.at + base, 0, nregs * sizeof *s->regs.at);
	vec_push(&s->at, (struct shadow_frame){.func = func, .base = base});
}

void shadow_pop(struct shadow_frames *s)
{
	s->regs.n = shadow_top(s)->base;
	s->at.n--;
}

void shadow_set_reg(struct shadow_frames *s, uint32_t reg, term_t t)
{
	struct shadow_frame *f = shadow_top(s);
	term_t *at = &s->regs.at[f->base + reg];

	f->nshadows += (t.id != 0) - (at->id != 0);
	*at = t;
}
