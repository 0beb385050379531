#include "cover/place.h"

#include "base/vec.h"
#include "symbolic/find_object.h"

static void print_memory(struct machine *m, uint64_t a, struct strbuf *out)
{
	struct object o;
	uint32_t g;

	if (!find_object(m, a, &o)) {
		strbuf_addf(out, "0x%llx", (unsigned long long)a);
		return;
	}
	if (a >= ADDR_GLOBAL && a < ADDR_HEAP) {
		g = globals_find(&m->globals, m->p, o.base);
		strbuf_adds(out, g == IR_NONE ? "global" : ir_str(m->p, m->p->globals.at[g].name));
	} else if (a >= ADDR_STACK && a < ADDR_TLS) {
		uint32_t t = (uint32_t)((a - ADDR_STACK) / STACK_STRIDE);

		strbuf_addf(out, "T%u ", t);
		for (uint32_t i = 0; t < m->threads.n && i < m->threads.at[t]->vars.n; i++) {
			const struct stack_var *v = &m->threads.at[t]->vars.at[i];
			const struct ir_func *fn = &m->p->funcs.at[v->func];

			if (v->base != o.base || v->local >= fn->locals.n)
				continue;
			strbuf_addf(out, "%s.%s", ir_func_name(m->p, v->func),
				fn->locals.at[v->local].name
					? ir_str(m->p, fn->locals.at[v->local].name)
					: "local");
		}
	} else
		strbuf_addf(out, "%s 0x%llx", a < ADDR_STACK ? "heap" : "thread-local",
			(unsigned long long)o.base);
	if (a != o.base)
		strbuf_addf(out, "+%llu", (unsigned long long)(a - o.base));
}

void place_print(struct machine *m, const struct initial_place *at, struct strbuf *out)
{
	const struct frame *f;
	const struct ir_func *fn;

	if (at->reg == IR_NONE) {
		print_memory(m, at->addr, out);
		return;
	}
	f = &m->threads.at[at->thread]->frames.at[at->frame];
	fn = frame_func(m, f);
	strbuf_addf(out, "T%u %s.", at->thread, ir_func_name(m->p, f->func));
	if (fn->regs.at[at->reg].name)
		strbuf_adds(out, ir_str(m->p, fn->regs.at[at->reg].name));
	else
		strbuf_addf(out, "%%%u", at->reg);
}

/* The value of a place in the machine's state. */
term_t place_value(struct machine *m, const struct initial_place *at)
{
	struct mem_sym cells[16];
	uint8_t known[16], undefined[16];
	uint64_t bad;
	term_t t = TERM_NONE;

	if (at->reg != IR_NONE) {
		struct thread *th = m->threads.at[at->thread];

		return opnd_term(m, frame_get(m, th, &th->frames.at[at->frame], at->reg), at->bits);
	}
	if (mem_get_sym(&m->mem, at->addr, cells, known, undefined, at->bits / 8, &bad) != MEM_OK)
		return term_const(m->ts, at->bits, 0);
	for (unsigned i = 0; i < at->bits / 8; i++) {
		term_t b = cells[i].term
				   ? opnd_resize(m, (term_t){cells[i].term}, 8u * cells[i].byte + 8)
				   : term_const(m->ts, 8, known[i]);

		if (cells[i].term)
			b = term_extract(m->ts, b, 8u * cells[i].byte, 8);
		t = t.id ? term_concat(m->ts, b, t) : b;
	}
	return t;
}

void place_set(struct machine *m, const struct initial_place *at, term_t value)
{
	struct opnd o = opnd_of_term(m, value);
	uint64_t bad;

	if (at->reg != IR_NONE) {
		struct thread *t = m->threads.at[at->thread];

		frame_set(m, t, &t->frames.at[at->frame], at->reg, o);
		return;
	}
	opnd_put(m, at->addr, o, at->bits / 8, &bad);
}
