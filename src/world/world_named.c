/* Inputs with names: objects of heddle_input() and results of system calls. */
#include "world/world_internal.h"

#include "base/base.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* ---- heddle_input() -------------------------------------------------------------------------- */

const struct world_object *world_objects(const struct world *w, uint32_t *n)
{
	*n = w->objects.n;
	return w->objects.at;
}

term_t world_object_byte(struct terms *ts, const struct world_object *o, uint64_t i)
{
	static const char *const others[] = {"argv", "stdin", "file:", "env:", "syscall:", "object:"};
	const char *before = "";
	char name[256];

	for (size_t k = 0; k < ARRAY_SIZE(others); k++)
		if (!strncmp(o->name, others[k], strlen(others[k])))
			before = "object:";
	if (o->number > 1)
		snprintf(name, sizeof name, "%s%.160s#%u[%llu]", before, o->name, o->number,
			(unsigned long long)i);
	else
		snprintf(name, sizeof name, "%s%.160s[%llu]", before, o->name,
			(unsigned long long)i);
	return term_sym(ts, name, 8);
}

void world_give(struct world *w, const char *name, uint32_t number, const uint8_t *bytes, uint64_t n)
{
	struct world_given *g = vec_add(&w->given);

	g->name = intern_str(&w->files->host->paths, name);
	g->number = number;
	g->bytes = bytes_new(bytes, NULL, n);
}

static const struct bytes *find_given(const struct world *w, uint32_t name, uint32_t number)
{
	vec_each (&w->given, i)
		if (w->given.at[i].name == name && w->given.at[i].number == number)
			return w->given.at[i].bytes;
	return NULL;
}

enum step world_input(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	const char *name)
{
	struct wcall c = {.m = m, .t = t, .w = m->world};
	struct intern *names = &m->world->files->host->paths;
	uint32_t id = intern_str(names, name);
	struct world_object o = {intern_get(names, id), 1, size};
	struct wbuf b = {.n = size};
	const struct bytes *given;
	enum step st;

	vec_each (&c.w->objects, i)
		o.number += !strcmp(c.w->objects.at[i].name, name);
	given = find_given(c.w, id, o.number);
	if (size > GUEST_MAX)
		return fault_memory(m, t, addr, size, true, MEM_INVALID, addr);
	if (guest_may_put(&c, addr, size) == STEP_STOP)
		return STEP_STOP;
	vec_push(&c.w->objects, o);
	c.w->changes++;
	if (given)
		return guest_put(&c, addr, given->known, NULL, MIN(size, given->n));
	if (!m->sym)
		return STEP_NEXT;
	b.known = xcalloc(1, size + 1);
	b.terms = xcalloc(size + 1, sizeof *b.terms);
	for (uint64_t i = 0; i < size; i++)
		b.terms[i] = world_object_byte(m->ts, &o, i).id;
	st = guest_put(&c, addr, b.known, b.terms, size);
	wbuf_release(&b);
	return st;
}

/* ---- results of system calls ----------------------------------------------------------------- */

const struct world_result *world_results(const struct world *w, uint32_t *n)
{
	*n = w->results.n;
	return w->results.at;
}

static void result_name(long nr, char *to, size_t n)
{
	const char *call = world_call_name(nr);

	if (call)
		snprintf(to, n, "syscall:%s", call);
	else
		snprintf(to, n, "syscall:%ld", nr);
}

term_t world_result_term(struct terms *ts, const struct world_result *r)
{
	char call[64], name[96];

	result_name(r->nr, call, sizeof call);
	snprintf(name, sizeof name, "%s#%u", call, r->number);
	return term_sym(ts, name, 64);
}

static struct world_result next_result(const struct wcall *c, long nr)
{
	struct world_result r = {nr, 1};

	vec_each (&c->w->results, i)
		r.number += c->w->results.at[i].nr == nr;
	return r;
}

term_t result_add(struct wcall *c, long nr)
{
	struct world_result r = next_result(c, nr);

	vec_push(&c->w->results, r);
	c->w->changes++;
	return world_result_term(c->m->ts, &r);
}

static term_t least_error(struct terms *ts)
{
	return term_const(ts, 64, (u128)(int64_t)-4095);
}

bool result_given(struct wcall *c, long nr, int64_t *value)
{
	struct world_result r = next_result(c, nr);
	const struct bytes *b;
	char name[64];

	if (c->m->sym || c->resumed || !c->w->given.n)
		return false;
	result_name(nr, name, sizeof name);
	b = find_given(c->w, intern_str(&c->w->files->host->paths, name), r.number);
	if (!b || b->n != sizeof *value)
		return false;
	memcpy(value, b->known, sizeof *value);
	vec_push(&c->w->results, r);
	c->w->changes++;
	return true;
}

enum step result_shorten(struct wcall *c, uint64_t *n)
{
	struct terms *ts = c->m->ts;
	struct world_result r = next_result(c, c->nr);
	bool less;
	struct val v;
	term_t t;

	if (c->given && c->value > 0 && (uint64_t)c->value < *n)
		*n = (uint64_t)c->value;
	if (!c->asked || *n < 2)
		return STEP_NEXT;
	t = world_result_term(ts, &r);
	if (sym_decide(c->m, c->t,
		    term_and(ts, term_slt(ts, term_const(ts, 64, 0), t),
			    term_slt(ts, t, term_const(ts, 64, *n))),
		    &less) != STEP_NEXT)
		return STEP_STOP;
	if (!less)
		return STEP_NEXT;
	if (sym_value(c->m, c->t, (struct opnd){.t = t}, 64, "the length of a short read or write",
		    SYM_VALUES, &v) != STEP_NEXT)
		return STEP_STOP;
	*n = v.lo;
	return STEP_NEXT;
}

/* The symbol is at least -4095, the least error. */
struct opnd result_any(struct wcall *c, long nr)
{
	struct terms *ts = c->m->ts;
	term_t t = result_add(c, nr);

	sym_assume(c->m, term_sle(ts, least_error(ts), t));
	return (struct opnd){.t = t};
}

bool result_may_fail(const struct wcall *c, long nr)
{
	for (uint32_t i = 0; i < c->w->opt.nfail; i++)
		if (c->w->opt.fail[i] == nr)
			return c->m->sym && !c->resumed;
	return false;
}

enum step result_decide(struct wcall *c, long nr, bool *fails)
{
	struct terms *ts = c->m->ts;
	struct world_result r = next_result(c, nr);

	return sym_decide(c->m, c->t,
		term_slt(ts, world_result_term(ts, &r), term_const(ts, 64, 0)), fails);
}
