#include "trace/address.h"

#include "base/search.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_MEMORY = 65536 }; /* no object lies below this address */

/* ---- threads --------------------------------------------------------------------------------- */

static bool is_create(const struct sync_event *e)
{
	return e->kind == LOG_S_CREATE && sync_succeeded(e);
}

/* Number of threads that the parent created before this one; UINT32_MAX: unknown. */
static uint32_t nth_of(const struct collected *c, uint32_t thread)
{
	uint32_t parent = c->h.threads.at[thread].parent, n = 0;

	if (parent >= c->h.threads.n)
		return UINT32_MAX;
	vec_each (&c->h.threads.at[parent].events, i) {
		const struct sync_event *e = &c->h.threads.at[parent].events.at[i];

		if (is_create(e) && e->extra == thread)
			return n;
		n += is_create(e);
	}
	return UINT32_MAX;
}

static uint32_t main_of(const struct collected *c)
{
	vec_each (&c->h.threads, i)
		if (c->h.threads.at[i].kind == LOG_T_MAIN)
			return i;
	return UINT32_MAX;
}

uint32_t address_thread(const struct collected *c, uint32_t parent, uint32_t nth)
{
	if (parent == UINT32_MAX)
		return main_of(c);
	vec_each (&c->h.threads.at[parent].events, i) {
		const struct sync_event *e = &c->h.threads.at[parent].events.at[i];

		if (is_create(e) && !nth--)
			return e->extra < c->h.threads.n ? e->extra : UINT32_MAX;
	}
	return UINT32_MAX;
}

/* Appends a name such as "main.0.2"; false if a creator in the chain is unknown. */
static bool name_thread(const struct collected *c, uint32_t thread, struct strbuf *out)
{
	uint32_t nth;

	if (thread >= c->h.threads.n)
		return false;
	if (c->h.threads.at[thread].kind == LOG_T_MAIN) {
		strbuf_adds(out, "main");
		return true;
	}
	nth = nth_of(c, thread);
	if (nth == UINT32_MAX || !name_thread(c, c->h.threads.at[thread].parent, out))
		return false;
	strbuf_addf(out, ".%u", nth);
	return true;
}

/* Thread with the name that `name` begins with, UINT32_MAX: none. *end: the first character after
 * the name. */
static uint32_t named_thread(const struct collected *c, const char *name, char **end)
{
	uint32_t t = main_of(c);

	*end = (char *)name + strcspn(name, ".+,");
	while (t != UINT32_MAX && **end == '.')
		t = address_thread(c, t, (uint32_t)strtoul(*end + 1, end, 10));
	return t;
}

/* ---- names of addresses ---------------------------------------------------------------------- */

/* Number of the thread's events before it had executed `index` instructions. */
static uint32_t events_before(const struct sync_thread *t, uint64_t index)
{
	return lower_bound(0, t->events.n, i, t->events.at[i].index, index);
}

uint32_t address_generation(
	const struct collected *c, uint32_t thread, uint64_t index, uint64_t addr)
{
	const struct sync_thread *t = &c->h.threads.at[thread];
	uint32_t n = events_before(t, index), gen;
	uint32_t after = n ? sync_order_last(&c->o, thread, n - 1) : 0;
	uint32_t before = n < t->events.n ? sync_order_first(&c->o, thread, n) : UINT32_MAX;

	gen = generation_at(&c->g, addr, after, before);
	return gen ? gen : generation_of_stack(&c->g, addr, after, before);
}

static bool is_alloc(const struct sync_event *e)
{
	return e->kind == LOG_S_ALLOC;
}

static bool name_block(const struct collected *c, const struct generation *g, struct strbuf *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->event; i++)
		n += is_alloc(&c->h.threads.at[g->thread].events.at[i]);
	strbuf_addf(out, "block %u of ", n);
	return name_thread(c, g->thread, out);
}

static bool name_generation(
	const struct collected *c, uint64_t addr, const struct generation *g, struct strbuf *out)
{
	bool known;

	if (g->kind == GEN_HEAP) {
		known = name_block(c, g, out);
	} else if (g->kind == GEN_LIBRARY) {
		return false;
	} else {
		strbuf_adds(out, "stack of ");
		known = name_thread(c, g->thread, out);
	}
	if (g->kind == GEN_LOCAL)
		strbuf_addf(out, ", variable %u of function %u", g->local, g->func);
	if (g->kind != GEN_STACK)
		strbuf_addf(out, "+%" PRIu64, addr - g->base);
	return known;
}

static uint64_t global_at(const struct trace *t, uint32_t global)
{
	const struct ir_program *p = trace_program(t);
	const struct follow_snapshot *s = trace_snapshot(t);

	if (!s || global >= p->globals.n || (p->globals.at[global].flags & IR_G_TLS))
		return 0;
	return follow_global_addr(s, global);
}

static bool name_global(const struct trace *t, uint64_t addr, struct strbuf *out)
{
	const struct ir_program *p = trace_program(t);
	const struct follow_snapshot *s = trace_snapshot(t);
	uint32_t func = s ? follow_func_at(s, addr) : IR_NONE;

	if (func != IR_NONE) {
		strbuf_addf(out, "function %u", func);
		return true;
	}
	vec_each (&p->globals, i) {
		uint64_t at = global_at(t, i);

		if (at && addr >= at && addr - at < p->globals.at[i].size) {
			strbuf_addf(out, "global %u+%" PRIu64, i, addr - at);
			return true;
		}
	}
	return false;
}

bool address_name(const struct trace *t, const struct collected *c, uint64_t addr, uint32_t gen,
	struct strbuf *out)
{
	struct strbuf b = {0};
	bool known;

	if (addr < NO_MEMORY)
		strbuf_addf(&b, "0x%" PRIx64, addr);
	known = b.n || (gen ? name_generation(c, addr, &c->g.at.at[gen], &b)
			    : name_global(t, addr, &b));
	if (known)
		strbuf_add(out, b.s, b.n);
	strbuf_release(&b);
	return known;
}

/* ---- addresses of names ---------------------------------------------------------------------- */

/* Address that "N of THREAD+OFFSET" names; 0 if this run did not allocate that block. */
static uint64_t block_at(const struct collected *c, const char *name)
{
	char *end;
	uint32_t nth = (uint32_t)strtoul(name, &end, 10), t;
	uint64_t base = 0;

	t = strncmp(end, " of ", 4) ? UINT32_MAX : named_thread(c, end + 4, &end);
	if (t == UINT32_MAX)
		return 0;
	vec_each (&c->h.threads.at[t].events, i)
		if (is_alloc(&c->h.threads.at[t].events.at[i]) && !nth--)
			base = c->h.threads.at[t].events.at[i].object;
	return base ? base + strtoull(end, NULL, 10) : 0;
}

/* Result as of address_is(). Compares the names. If one of them lacks the variable, equal threads
 * do not show that the addresses are the same: -1. */
static int stack_is(const struct trace *t, const struct collected *c, const char *name,
	uint64_t addr, uint32_t gen)
{
	struct strbuf b = {0};
	int is = -1;

	if (address_name(t, c, addr, gen, &b)) {
		bool vague = !strchr(name, ',') || !strchr(b.s, ',');
		size_t n = vague ? strcspn(name, ",") : strlen(name) + 1;

		if (strncmp(name, b.s, n) || (vague && strcspn(b.s, ",") != n))
			is = 0;
		else if (!vague)
			is = 1;
	}
	strbuf_release(&b);
	return is;
}

int address_is(const struct trace *t, const struct collected *c, const char *name, uint64_t addr,
	uint32_t gen)
{
	uint64_t offset = 0;
	uint32_t id;

	if (!strncmp(name, "0x", 2))
		return strtoull(name, NULL, 16) == addr;
	if (addr < NO_MEMORY)
		return 0;
	if (sscanf(name, "function %u", &id) == 1)
		return !trace_snapshot(t) || id >= trace_program(t)->funcs.n
			       ? -1
			       : follow_func_addr(trace_snapshot(t), id) == addr;
	if (sscanf(name, "global %u+%" SCNu64, &id, &offset) == 2)
		return !global_at(t, id) ? -1 : global_at(t, id) + offset == addr;
	if (!strncmp(name, "block ", 6))
		return block_at(c, name + 6) == addr;
	return strncmp(name, "stack of ", 9) ? -1 : stack_is(t, c, name, addr, gen);
}
