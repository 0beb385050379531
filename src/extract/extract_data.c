/* Extraction of accesses: events with symbols for shared cells, shadows for other memory. */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/bitset.h"
#include "base/vec.h"

#include <assert.h>

/* ---- cells of an access --------------------------------------------------------------------- */

struct range { /* of bytes; it contains the cells [first, last) */
	uint64_t addr, size;
	uint32_t gen, first, last;
};

static struct range range_of(struct extractor *x, uint64_t addr, uint64_t size)
{
	struct range r = {addr, size, 0, 0, 0};
	const struct ctp_cell *cell;

	if (!cells_maybe(&x->cells, addr, size))
		return r;
	r.gen = touched_generation_ever(x->tr->touched, addr);
	r.first = cells_from(&x->cells, x->c, r.gen, addr);
	if (r.first == CTP_NONE) {
		r.first = 0;
		return r;
	}
	for (r.last = r.first; r.last < x->c->cells.n; r.last++) {
		cell = &x->c->cells.at[r.last];
		if (cell->gen != r.gen || cell->addr >= addr + size)
			break;
		if (cell->addr < addr || cell->addr + cell->size > addr + size) {
			extract_limit(x, "heap addresses were reused; recorded values are assumed");
			r.last = r.first;
			break;
		}
	}
	return r;
}

static bool has_cells(const struct range *r)
{
	return r->first < r->last;
}

/* A new data event. The caller adds its accesses before it makes another event. */
static struct ctp_event *begin_access(struct extractor *x, struct follow *f, enum ctp_kind kind,
	const struct range *r, uint32_t func, uint32_t insn, uint16_t flags)
{
	struct ctp_event *e = extract_event(x, kind, f, func, insn);

	e->flags |= flags;
	if (!(flags & CTP_NATIVE_USE))
		e->point = x->tr->at;
	e->first = x->c->accesses.n;
	e->at = r->addr;
	e->size = r->size;
	e->block = extract_block_of(x, r->gen);
	if (x->chunk && bitset_has(&x->cells.returned, r->gen))
		extract_limit(x, "returns of functions whose variables other threads use are not "
				 "modelled in parts of a long run");
	x->tr->accesses++;
	return e;
}

static void add_access(struct extractor *x, struct ctp_access a)
{
	assert(ctp_is_access(vec_last(&x->c->events).kind) && a.cell < x->c->cells.n);
	vec_push(&x->c->accesses, a);
	vec_last(&x->c->events).n++;
}

static term_t new_symbol(struct extractor *x, uint32_t cell)
{
	return term_fresh(x->ts, "r", 8 * x->c->cells.at[cell].size);
}

static u128 bytes_value(const uint8_t *b, uint32_t n)
{
	u128 v = 0;

	for (uint32_t i = n; i-- > 0;)
		v = v << 8 | b[i];
	return v;
}

/* ---- loads, stores, atomics ----------------------------------------------------------------- */

static const struct ir_insn *insn_of(const struct extractor *x, const struct follow_event *e)
{
	return &x->p->funcs.at[e->func].insns.at[e->insn];
}

static uint16_t access_flags(const struct follow_event *e)
{
	return (uint16_t)((e->order ? CTP_ATOMIC : 0) |
			  (e->kind == FOLLOW_WRITE || e->kind == FOLLOW_RMW ? CTP_WROTE : 0) |
			  (e->kind != FOLLOW_WRITE ? CTP_HAD_READ : 0));
}

/* Fills s with the shades of the bytes: new symbols for cells, shadows for other memory. syms gets
 * the symbols in the order of the cells. */
static void read_bytes(struct extractor *x, const struct range *r, u128 value, struct shade *s,
	term_t *syms)
{
	for (uint32_t i = 0; i < r->size; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * i);

		s[i] = shadow_get(&x->tr->mem, r->addr + i);
		if (!s[i].term.id || s[i].byte != byte)
			s[i] = (struct shade){.byte = byte};
	}
	for (uint32_t k = r->first; k < r->last; k++) {
		const struct ctp_cell *c = &x->c->cells.at[k];
		term_t sym = new_symbol(x, k);
		uint32_t at = (uint32_t)(c->addr - r->addr);

		syms[k - r->first] = sym;
		for (uint32_t i = 0; i < c->size; i++)
			s[at + i] = (struct shade){sym, (uint8_t)i, (uint8_t)(value >> 8 * (at + i))};
	}
}

static void write_bytes(struct extractor *x, const struct range *r, term_t value, u128 put)
{
	uint32_t k = r->first;
	u128 v;

	if (term_is_const(x->ts, value, &v)) {
		shadow_clear(&x->tr->mem, r->addr, r->size);
		return;
	}
	for (uint32_t i = 0; i < r->size; i++) {
		while (k < r->last && x->c->cells.at[k].addr + x->c->cells.at[k].size <= r->addr + i)
			k++;
		if (k < r->last && x->c->cells.at[k].addr <= r->addr + i)
			shadow_put(&x->tr->mem, r->addr + i, (struct shade){0});
		else
			shadow_put(&x->tr->mem, r->addr + i, shade_of(value, i, put));
	}
}

/* Adds the accesses of the last event; syms NULL: no read; value TERM_NONE: no write. */
static void add_accesses(struct extractor *x, const struct range *r, const term_t *syms, u128 seen,
	term_t value, u128 put)
{
	for (uint32_t k = r->first; k < r->last; k++) {
		const struct ctp_cell *c = &x->c->cells.at[k];
		uint32_t low = 8 * (uint32_t)(c->addr - r->addr), bits = 8 * c->size;
		struct ctp_access a = {.cell = k};

		if (syms) {
			a.sym = syms[k - r->first];
			a.seen = seen >> low & term_mask(bits);
		}
		if (value.id) {
			a.value = term_extract(x->ts, value, low, bits);
			a.put = put >> low & term_mask(bits);
		}
		add_access(x, a);
	}
}

/* Fixes bytes of the thread's own memory that depend on symbols. */
static void fix_shadows(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;

	if (!shadow_any(&x->tr->mem, addr, size))
		return;
	for (uint64_t a = addr; a < end;) {
		struct shade s[16];
		uint32_t n = 0;
		term_t t;
		u128 v = 0;

		for (; a + n < end && n < 16; n++) {
			s[n] = shadow_get(&x->tr->mem, a + n);
			if (!s[n].term.id)
				break;
		}
		for (uint32_t i = n; i-- > 0;)
			v = v << 8 | s[i].byte;
		if ((t = shades_join(x->ts, s, n)).id)
			extract_fix(x, f, func, insn, t, v);
		a += n ? n : 1;
	}
}

/* Fixes published bytes: other threads read their recorded values without an event. */
static void publish_bytes(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	if (!x->cells.published.n || !shadow_any(&x->tr->mem, e->addr, e->size) ||
		!cells_published(&x->cells, x->tr->stream,
			touched_generation_ever(x->tr->touched, e->addr), e->addr, e->size))
		return;
	fix_shadows(x, f, e->func, e->insn, e->addr, e->size);
	shadow_clear(&x->tr->mem, e->addr, e->size);
}

static void step_load(
	struct extractor *x, struct follow *f, const struct follow_event *e, bool logged)
{
	const struct ir_insn *in = insn_of(x, e);
	struct range r = range_of(x, e->addr, e->size);
	struct shade s[16];
	term_t syms[16], t;

	if (!has_cells(&r) && !shadow_any(&x->tr->mem, e->addr, e->size)) {
		step_set(x, in->dst, TERM_NONE);
		return;
	}
	read_bytes(x, &r, val_u128(e->value), s, syms);
	if (has_cells(&r)) {
		begin_access(x, f, CTP_READ, &r, e->func, e->insn, access_flags(e));
		add_accesses(x, &r, syms, val_u128(e->value), TERM_NONE, 0);
	}
	t = shades_join(x->ts, s, (uint32_t)e->size);
	if (t.id)
		t = term_trunc(x->ts, t, ir_type_bits(in->type));
	step_set(x, in->dst, t);
	if (logged && t.id) {
		x->tr->doubt_reg = in->dst;
		x->tr->doubt_value = val_u128(e->value);
	}
}

static void step_store(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	const struct ir_insn *in = insn_of(x, e);
	struct range r = range_of(x, e->addr, e->size);
	uint32_t bits = 8 * (uint32_t)e->size;
	u128 put = val_u128(e->value);
	term_t t = step_shadow(x, in->arg[1]);

	if (t.id)
		t = term_zext(x->ts, t, bits);
	if (has_cells(&r)) {
		begin_access(x, f, CTP_WRITE, &r, e->func, e->insn, access_flags(e));
		add_accesses(x, &r, NULL, 0, t.id ? t : term_const(x->ts, bits, put), put);
	}
	if (t.id)
		write_bytes(x, &r, t, put);
	else
		shadow_clear(&x->tr->mem, e->addr, e->size);
	publish_bytes(x, f, e);
}

/* The new value of an atomic update. *fixed: it has no term; the caller fixes the operands. */
static term_t updated_value(struct extractor *x, struct follow *f, const struct follow_event *e,
	term_t old, bool *fixed)
{
	const struct ir_func *fn = &x->p->funcs.at[e->func];
	const struct ir_insn *in = insn_of(x, e);
	uint32_t bits = ir_type_bits(in->type);
	term_t t;

	if (in->op == IR_CAS) {
		term_t same = term_eq(x->ts, old, step_term(x, f, fn, in->arg[1]));

		return term_ite(x->ts, same, step_term(x, f, fn, in->arg[2]), old);
	}
	t = ops_rmw(x->ts, in, old, step_term(x, f, fn, in->arg[1]));
	*fixed = !t.id;
	return t.id ? t : term_const(x->ts, bits, val_u128(e->value));
}

static void step_update(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	const struct ir_func *fn = &x->p->funcs.at[e->func];
	const struct ir_insn *in = insn_of(x, e);
	struct range r = range_of(x, e->addr, e->size);
	uint32_t bits = ir_type_bits(in->type), width = 8 * (uint32_t)e->size;
	u128 seen = val_u128(e->old), put = val_u128(e->value);
	struct shade s[16];
	term_t syms[16], old, neu, arg = step_shadow(x, in->arg[1]);
	bool fixed = false;

	read_bytes(x, &r, seen, s, syms);
	old = shades_join(x->ts, s, (uint32_t)e->size);
	old = old.id ? term_trunc(x->ts, old, bits) : term_const(x->ts, bits, seen);
	neu = term_zext(x->ts, updated_value(x, f, e, old, &fixed), width);
	if (has_cells(&r)) {
		begin_access(x, f, CTP_RMW, &r, e->func, e->insn, access_flags(e));
		add_accesses(x, &r, syms, seen, neu, put);
	}
	write_bytes(x, &r, neu, put);
	publish_bytes(x, f, e);
	if (fixed) {
		extract_fix(x, f, e->func, e->insn, old, seen);
		if (arg.id)
			extract_fix(x, f, e->func, e->insn, arg, step_value(f, in->arg[1]));
	}
	if (in->op == IR_CAS)
		step_set(x, in->dst + 1, term_eq(x->ts, old, step_term(x, f, fn, in->arg[1])));
	step_set(x, in->dst, fixed ? TERM_NONE : old);
}

void data_access(struct extractor *x, struct follow *f, const struct follow_event *e, bool logged)
{
	switch (e->kind) {
	case FOLLOW_READ: step_load(x, f, e, logged); break;
	case FOLLOW_WRITE: step_store(x, f, e); break;
	default: step_update(x, f, e); break;
	}
}

/* ---- block operations ----------------------------------------------------------------------- */

static struct shade bulk_shade(const struct tracer *tr, uint64_t i, uint8_t byte)
{
	if (i < tr->bulk.n && tr->bulk.at[i].term.id && tr->bulk.at[i].byte == byte)
		return tr->bulk.at[i];
	return (struct shade){.byte = byte};
}

/* Puts the shadows of the block operation at its destination. bytes: the recorded value, NULL if it
 * is not logged. A byte with another value than its shadow loses the shadow. */
static void bulk_arrives(struct extractor *x, const uint8_t *bytes)
{
	struct tracer *tr = x->tr;

	shadow_clear(&tr->mem, tr->bulk_to, tr->bulk_n);
	for (uint64_t i = 0; i < tr->bulk.n; i++)
		if (tr->bulk.at[i].term.id && (!bytes || bytes[i] == tr->bulk.at[i].byte))
			shadow_put(&tr->mem, tr->bulk_to + i, tr->bulk.at[i]);
}

static void bulk_shadows(struct extractor *x)
{
	struct tracer *tr = x->tr;

	vec_clear(&tr->bulk);
	if (!shadow_any(&tr->mem, tr->bulk_from, tr->bulk_n))
		return;
	vec_resize(&tr->bulk, (uint32_t)tr->bulk_n);
	for (uint64_t i = 0; i < tr->bulk_n; i++)
		tr->bulk.at[i] = shadow_get(&tr->mem, tr->bulk_from + i);
}

/* The heap block that an operation on a range at addr was meant for; CTP_NONE. */
static uint32_t range_block(struct extractor *x, uint64_t addr)
{
	uint32_t block = extract_block(x, addr);

	return block != CTP_NONE && addr - x->c->blocks.at[block].addr < x->c->blocks.at[block].size
		       ? block
		       : CTP_NONE;
}

static uint64_t room_at(const struct extractor *x, uint32_t block, uint64_t addr)
{
	return x->c->blocks.at[block].size - (addr - x->c->blocks.at[block].addr);
}

/* If the range leaves its heap block, adds an event that says so. flags: CTP_NATIVE_USE or 0. */
static void check_range(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	uint64_t addr, uint64_t size, uint16_t flags)
{
	uint32_t block = range_block(x, addr);
	struct ctp_event *e;

	if (block == CTP_NONE || size <= room_at(x, block, addr))
		return;
	e = extract_event(x, CTP_DEREF, f, func, insn);
	e->cond = term_bool(x->ts, true);
	e->flags |= CTP_OUTSIDE | flags;
	e->at = addr;
	e->size = size;
	e->block = block;
}

/* Guards the length of a block operation on the ranges at addr[0..k): another length is another
 * path, and may lead out of the heap block of a range. The guard is about the range that has the
 * least room. The addresses have their guards already. */
static void guard_length(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	term_t n, const uint64_t *addr, uint32_t k)
{
	uint64_t size = x->tr->bulk_n, base = 0;
	uint32_t block = CTP_NONE;
	struct ctp_event *e;

	for (uint32_t i = 0; i < k; i++) {
		uint32_t b = range_block(x, addr[i]);

		if (b == CTP_NONE ||
			(block != CTP_NONE && room_at(x, block, base) <= room_at(x, b, addr[i])))
			continue;
		block = b;
		base = addr[i];
	}
	if (block == CTP_NONE) {
		extract_fix(x, f, func, insn, n, size);
		return;
	}
	e = extract_guard(x, CTP_DEREF, f, func, insn,
		term_eq(x->ts, n, term_const(x->ts, term_width(x->ts, n), size)));
	if (!e)
		return;
	e->flags |= CTP_BASE_KNOWN | CTP_LENGTH;
	e->operand = term_add(x->ts, term_const(x->ts, 64, base), term_zext(x->ts, n, 64));
	e->at = base + size;
	e->of.base = base;
	e->block = block;
}

/* The guards of the addresses and the length of a block operation. */
static void guard_bulk(
	struct extractor *x, struct follow *f, uint32_t func, uint32_t insn, const struct ir_insn *in)
{
	const struct tracer *tr = x->tr;
	const uint64_t addr[] = {tr->bulk_to, tr->bulk_from};
	uint8_t flags = x->pl->funcs[func].insn[insn].flags;
	uint32_t k = in->op == IR_MEMSET ? 1 : 2;
	term_t n = step_shadow(x, in->arg[2]);
	bool fixed = true;

	for (uint32_t i = k; i-- > 0;) {
		if (tr->bulk_n)
			step_address(x, f, func, insn, in->arg[i], tr->bulk_n);
		else
			fixed &= !step_shadow(x, in->arg[i]).id;
	}
	if (n.id && fixed)
		guard_length(x, f, func, insn, n, addr, k);
	else if (n.id)
		extract_fix(x, f, func, insn, n, tr->bulk_n);
	for (uint32_t i = 0; i < k; i++)
		check_range(x, f, func, insn, addr[i], tr->bulk_n,
			flags & PLAN_F_EVENT ? 0 : CTP_NATIVE_USE);
}

void data_bulk_begins(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn)
{
	const struct ir_insn *in = &x->p->funcs.at[func].insns.at[insn];
	uint8_t flags = x->pl->funcs[func].insn[insn].flags;
	struct tracer *tr = x->tr;
	term_t byte;

	tr->bulk_to = (uint64_t)step_value(f, in->arg[0]);
	tr->bulk_n = (uint64_t)step_value(f, in->arg[2]);
	tr->bulk_from = in->op == IR_MEMSET ? 0 : (uint64_t)step_value(f, in->arg[1]);
	tr->bulk_event = CTP_NONE;
	vec_clear(&tr->bulk);
	guard_bulk(x, f, func, insn, in);
	if (!tr->bulk_n || tr->bulk_n > UINT32_MAX / 2)
		return;
	if (in->op == IR_MEMSET && (byte = step_shadow(x, in->arg[1])).id) {
		vec_resize(&tr->bulk, (uint32_t)tr->bulk_n);
		vec_each (&tr->bulk, i)
			tr->bulk.at[i] = shade_of(byte, 0, step_value(f, in->arg[1]));
	} else if (in->op != IR_MEMSET && !(flags & PLAN_F_READ)) {
		bulk_shadows(x);
	}
	if (!(flags & (PLAN_F_READ | PLAN_F_WRITE)))
		bulk_arrives(x, NULL);
}

/* Adds a read of each cell of the range. unseen: the value is not recorded. */
static void read_cells(struct extractor *x, const struct range *r, const uint8_t *bytes, bool unseen)
{
	for (uint32_t k = r->first; k < r->last; k++) {
		const struct ctp_cell *c = &x->c->cells.at[k];
		struct ctp_access a = {.cell = k, .sym = new_symbol(x, k)};

		if (bytes)
			a.seen = bytes_value(bytes + (c->addr - r->addr), c->size);
		if (unseen)
			bitset_add(&x->unseen, x->c->accesses.n);
		add_access(x, a);
	}
}

void data_bulk_read(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	struct range r = range_of(x, e->addr, e->size);

	bulk_shadows(x);
	if (has_cells(&r)) {
		uint32_t first = x->c->accesses.n;

		begin_access(x, f, CTP_READ, &r, e->func, e->insn, CTP_HAD_READ);
		tr->bulk_event = x->c->events.n - 1;
		read_cells(x, &r, e->bytes, false);
		vec_resize(&tr->bulk, (uint32_t)tr->bulk_n);
		for (uint32_t k = first; k < x->c->accesses.n; k++) {
			const struct ctp_access *a = &x->c->accesses.at[k];
			const struct ctp_cell *c = &x->c->cells.at[a->cell];

			for (uint32_t i = 0; i < c->size; i++)
				tr->bulk.at[c->addr - r.addr + i] = shade_of(a->sym, i, a->seen);
		}
	}
	if (!(x->pl->funcs[e->func].insn[e->insn].flags & PLAN_F_WRITE))
		bulk_arrives(x, e->bytes);
}

static void write_cells(struct extractor *x, const struct range *r, const uint8_t *bytes)
{
	for (uint32_t k = r->first; k < r->last; k++) {
		const struct ctp_cell *c = &x->c->cells.at[k];
		uint64_t at = c->addr - r->addr;
		struct ctp_access a = {.cell = k, .put = bytes_value(bytes + at, c->size)};
		struct shade s[16];

		for (uint32_t i = 0; i < c->size; i++)
			s[i] = bulk_shade(x->tr, at + i, bytes[at + i]);
		a.value = shades_join(x->ts, s, c->size);
		if (!a.value.id)
			a.value = term_const(x->ts, 8 * c->size, a.put);
		add_access(x, a);
		shadow_clear(&x->tr->mem, c->addr, c->size);
	}
}

void data_bulk_write(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	struct range r = range_of(x, e->addr, e->size);
	struct ctp_event *ev;

	bulk_arrives(x, e->bytes);
	if (!has_cells(&r)) {
		publish_bytes(x, f, e);
		return;
	}
	if (tr->bulk_event != CTP_NONE) { /* a copy between shared cells is one event */
		ev = &x->c->events.at[tr->bulk_event];
		ev->kind = CTP_RMW;
		ev->flags |= CTP_WROTE;
		ev->at = r.addr;
		ev->block = extract_block_of(x, r.gen);
	} else {
		begin_access(x, f, CTP_WRITE, &r, e->func, e->insn, CTP_WROTE);
	}
	write_cells(x, &r, e->bytes);
	publish_bytes(x, f, e);
}

/* ---- library functions ---------------------------------------------------------------------- */

void data_native_read(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	uint64_t addr, uint64_t size)
{
	struct range r = range_of(x, addr, size);
	uint32_t read = x->c->events.n;
	struct ctp_event *e;

	if (!has_cells(&r))
		return;
	begin_access(x, f, CTP_READ, &r, func, insn, CTP_HAD_READ | CTP_NATIVE_USE);
	read_cells(x, &r, NULL, true);
	if (x->tr->prints)
		return;
	e = extract_event(x, CTP_FIX, f, func, insn);
	e->cond = term_bool(x->ts, true);
	x->c->nfixed++;
	vec_push(&x->late, (struct late_fix){read, x->c->events.n - 1});
}

/* Whether the call is a join that writes the result of the joined thread. A symbol stands for the
 * result until the events of that thread exist. */
static bool takes_result(struct extractor *x, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	uint32_t t = tr->joined;

	return t != CTP_NONE && e->size <= 8 && tr->arg_vals.n > 1 && tr->arg_vals.at[1] == e->addr;
}

/* Whether the call is a sem_getvalue() that writes the value. */
static bool takes_value(const struct extractor *x, const struct follow_event *e)
{
	const struct tracer *tr = x->tr;

	return tr->value_event != CTP_NONE && e->size == 4 && tr->arg_vals.n > 1 &&
	       tr->arg_vals.at[1] == e->addr;
}

/* The term that stands for the bytes that the current call writes; TERM_NONE: they are the same in
 * every linearization. */
static term_t written_term(struct extractor *x, const struct follow_event *e)
{
	u128 v = e->size <= 16 ? bytes_value(e->bytes, (uint32_t)e->size) : 0;

	if (takes_result(x, e))
		return extract_result(x, x->tr->joined, v);
	if (takes_value(x, e)) {
		struct ctp_access *a =
			&x->c->accesses.at[ctp_at(x->c, x->tr->value_event)->first];

		a->seen = v;
		return a->sym;
	}
	return TERM_NONE;
}

static void native_write(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct tracer *tr = x->tr;
	struct range r = range_of(x, e->addr, e->size);
	term_t t = written_term(x, e);

	shadow_clear(&tr->mem, e->addr, e->size);
	vec_clear(&tr->bulk);
	if (t.id) {
		vec_resize(&tr->bulk, (uint32_t)e->size);
		for (uint32_t i = 0; i < e->size; i++) {
			tr->bulk.at[i] = (struct shade){t, (uint8_t)i, e->bytes[i]};
			shadow_put(&tr->mem, e->addr + i, tr->bulk.at[i]);
		}
		publish_bytes(x, f, e);
	}
	if (!has_cells(&r))
		return;
	begin_access(x, f, CTP_WRITE, &r, e->func, e->insn, CTP_WROTE | CTP_NATIVE_USE);
	write_cells(x, &r, e->bytes);
}

void data_native(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	check_range(x, f, e->func, e->insn, e->addr, e->size, CTP_NATIVE_USE);
	if (e->kind == FOLLOW_NATIVE_WRITE) {
		native_write(x, f, e);
		return;
	}
	if (!x->tr->prints)
		fix_shadows(x, f, e->func, e->insn, e->addr, e->size);
	data_native_read(x, f, e->func, e->insn, e->addr, e->size);
}

void data_pure(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	struct effects_range r[CELLS_RANGES];
	uint64_t args[CELLS_ARGS];
	uint32_t n = MIN(x->tr->arg_vals.n, (uint32_t)CELLS_ARGS);

	for (uint32_t i = 0; i < n; i++)
		args[i] = (uint64_t)x->tr->arg_vals.at[i];
	n = cells_pure_reads(&x->cells, f, e->callee, e->value.lo, args, n, r);
	for (uint32_t i = 0; i < n; i++) {
		fix_shadows(x, f, e->func, e->insn, r[i].addr, r[i].n);
		data_native_read(x, f, e->func, e->insn, r[i].addr, r[i].n);
	}
}
