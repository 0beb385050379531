/* Cells: symbolic bytes and bytes with some undefined bits. */
#include "memory/mem_page.h"

#include "base/base.h"
#include "base/search.h"

#include <stdlib.h>

/* ---- the table of a page --------------------------------------------------------------------- */

struct mem_cells *cells_ref(struct mem_cells *c)
{
	if (c)
		c->refs++;
	return c;
}

void cells_unref(struct mem_cells *c)
{
	if (c && !--c->refs)
		free(c);
}

/* the first cell at or after the offset */
static uint32_t first_cell_from(const struct mem_cells *c, unsigned off)
{
	return lower_bound(0, c->n, i, c->at[i].off, off);
}

const struct mem_cell *cells_find(const struct mem_page *p, unsigned off)
{
	uint32_t i;

	if (!p->cells)
		return NULL;
	i = first_cell_from(p->cells, off);
	return i < p->cells->n && p->cells->at[i].off == off ? &p->cells->at[i] : NULL;
}

/* The page's table, unshared, with room for one more cell. */
static struct mem_cells *own_cells(struct mem_page *p)
{
	struct mem_cells *c = p->cells, *old = c;
	uint32_t cap = c ? c->n + c->n / 2 + 8 : 8;

	if (c && c->refs == 1 && c->n < c->cap)
		return c;
	c = xmalloc(sizeof *c + cap * sizeof *c->at);
	*c = (struct mem_cells){.refs = 1, .cap = cap, .n = old ? old->n : 0};
	if (old)
		memcpy(c->at, old->at, old->n * sizeof *c->at);
	cells_unref(old);
	return p->cells = c;
}

void cells_put(struct mem_page *p, struct mem_cell cell)
{
	struct mem_cells *c = own_cells(p);
	uint32_t i = first_cell_from(c, cell.off);

	if (i == c->n || c->at[i].off != cell.off) {
		memmove(c->at + i + 1, c->at + i, (c->n - i) * sizeof *c->at);
		c->n++;
	}
	c->at[i] = cell;
}

void cells_drop(struct mem_page *p, unsigned off, unsigned n)
{
	struct mem_cells *c = p->cells;
	uint32_t from, to;

	if (!c)
		return;
	from = first_cell_from(c, off);
	to = first_cell_from(c, off + n);
	if (from == to)
		return;
	c = own_cells(p);
	memmove(c->at + from, c->at + to, (c->n - to) * sizeof *c->at);
	c->n -= to - from;
	if (!c->n) {
		cells_unref(c);
		p->cells = NULL;
	}
}

void cells_tidy(struct mem_page *p)
{
	struct mem_cells *c = p->cells;
	uint32_t stale = 0, n = 0;

	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		stale += bit(p->init, c->at[i].off);
	if (!stale)
		return;
	c = own_cells(p);
	for (uint32_t i = 0; i < c->n; i++)
		if (!bit(p->init, c->at[i].off))
			c->at[n++] = c->at[i];
	c->n = n;
	if (!n) {
		cells_unref(c);
		p->cells = NULL;
	}
}

/* ---- symbolic bytes -------------------------------------------------------------------------- */

enum mem_status mem_put_sym(struct mem *m, uint64_t a, const struct mem_sym *cells, unsigned n,
	uint64_t *bad)
{
	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_find(m, no);

		if (p->readonly) {
			*bad = no << MEM_PAGE_BITS | off;
			return MEM_READONLY;
		}
	}
	EACH_PIECE(a, n)
	{
		struct mem_page *p = page_for_write(m, no);

		for (uint64_t i = 0; i < len; i++, cells++) {
			if (!cells->term)
				continue;
			bits_fill(p->init, (unsigned)(off + i), 1, false);
			cells_put(p, (struct mem_cell){.off = (uint16_t)(off + i),
					     .byte = cells->byte, .term = cells->term});
		}
	}
	return MEM_OK;
}

enum mem_status mem_get_sym(struct mem *m, uint64_t a, struct mem_sym *cells, uint8_t *to,
	uint8_t *mask, unsigned n, uint64_t *bad)
{
	if (!mem_valid(m, a, n, bad))
		return MEM_INVALID;
	EACH_PIECE(a, n)
	{
		const struct mem_page *p = page_find(m, no);

		memcpy(to, p->bytes + off, len);
		memset(mask, 0, len);
		memset(cells, 0, len * sizeof *cells);
		for (uint64_t i = 0; i < len; i++) {
			const struct mem_cell *c;

			if (bit(p->init, (unsigned)(off + i)))
				continue;
			c = cells_find(p, (unsigned)(off + i));
			if (c && c->term)
				cells[i] = (struct mem_sym){c->term, c->byte};
			else
				mask[i] = c ? c->undef : 0xff;
		}
		to += len;
		mask += len;
		cells += len;
	}
	return MEM_OK;
}
