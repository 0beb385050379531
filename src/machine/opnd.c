/* Conversions between operands and terms. */
#include "machine/machine.h"

#include "base/base.h"

term_t opnd_resize(struct machine *m, term_t t, uint32_t bits)
{
	uint32_t have = term_width(m->ts, t);

	return have > bits ? term_trunc(m->ts, t, bits) : term_zext(m->ts, t, bits);
}

term_t opnd_term(struct machine *m, struct opnd o, uint32_t bits)
{
	if (o.t.id)
		return opnd_resize(m, o.t, bits);
	return term_const(m->ts, bits, val_u128(o.v) & ~val_u128(o.u));
}

struct opnd opnd_of_term(struct machine *m, term_t t)
{
	u128 v;

	if (term_is_const(m->ts, t, &v))
		return (struct opnd){.v = val_of(v)};
	return (struct opnd){.t = t};
}

struct opnd opnd_narrow(struct machine *m, struct opnd o, uint32_t bits)
{
	u128 mask = bits_mask(bits);
	struct opnd r = {.v = val_of(val_u128(o.v) & mask), .u = val_of(val_u128(o.u) & mask)};

	return o.t.id ? opnd_of_term(m, opnd_resize(m, o.t, bits)) : r;
}

uint64_t opnd_term_base(struct machine *m, term_t t)
{
	struct terms *ts = m->ts;
	u128 v;

	for (;;) {
		if (term_is_const(ts, t, &v))
			return (uint64_t)v;
		switch (term_op(ts, t)) {
		case TERM_ADD:
			if (term_is_const(ts, term_arg(ts, t, 0), &v))
				return (uint64_t)v;
			t = term_arg(ts, t, 1);
			break;
		case TERM_ITE: t = term_arg(ts, t, 1); break;
		default: return 0;
		}
	}
}

enum mem_status opnd_put(struct machine *m, uint64_t a, struct opnd o, unsigned n, uint64_t *bad)
{
	struct mem_sym cells[16];

	BUG_ON(n > ARRAY_SIZE(cells));
	if (!o.t.id)
		return mem_write(&m->mem, a, &o.v, val_u128(o.u) ? (const uint8_t *)&o.u : NULL, n,
			bad);
	for (unsigned i = 0; i < n; i++)
		cells[i] = (struct mem_sym){o.t.id, (uint8_t)i};
	return mem_put_sym(&m->mem, a, cells, n, bad);
}
