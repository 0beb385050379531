/*
 * Strings of the initial state of --from: an object of unknown size with unknown contents. The
 * length is a symbol that depends on the address and on the contents of the memory: an
 * uninterpreted function, of which is known only that the byte there is 0. So it may be larger than
 * the real length. The string is assumed to end inside its object, like every access to such an
 * object.
 */
#include "symbolic/summary.h"

#include "base/vec.h"
#include "symbolic/lazy.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1 << 20 }; /* an assumption: keeps addresses inside of the object */

/* Are all objects that the string may be in of unknown size? */
static bool is_all_unknown(struct scall *s, const struct vec_resolved *at)
{
	for (uint32_t i = 0; i < at->n; i++)
		if (at->at[i].region == IR_NONE ||
			!lazy_get(s->m->sym->lazy, at->at[i].region)->assumed)
			return false;
	return at->n != 0;
}

static term_t make_length(struct scall *s, term_t addr, const struct vec_resolved *at)
{
	struct terms *ts = s->ts;
	uint64_t contents = 0;
	char name[80];
	term_t n;

	for (uint32_t i = 0; i < at->n; i++)
		contents = contents * 31 + lazy_get(s->m->sym->lazy, at->at[i].region)->bytes.id;
	snprintf(name, sizeof name, "length#%u#%llu", addr.id, (unsigned long long)contents);
	n = term_sym(ts, name, 64);
	sym_assume(s->m, term_ult(ts, n, term_const(ts, 64, LONGEST)));
	for (uint32_t i = 0; i < at->n; i++) {
		term_t bytes = lazy_get(s->m->sym->lazy, at->at[i].region)->bytes;

		sym_assume(s->m,
			term_implies(ts, at->at[i].guard,
				term_eq(ts, term_read(ts, bytes, term_add(ts, at->at[i].offset, n)),
					term_const(ts, 8, 0))));
	}
	return n;
}

enum step summary_unknown_length(struct scall *s, term_t *length)
{
	term_t addr = opnd_term(s->m, s->args[0], 64);
	struct vec_resolved at = {0};
	uint64_t bad;

	*length = TERM_NONE;
	if (!lazy_is_initial(s->m->sym->lazy) || (!s->args[0].t.id && val_u128(s->args[0].u)) ||
		mem_valid(&s->m->mem, opnd_base(s->m, s->args[0]), 1, &bad))
		return STEP_NEXT;
	if (resolve(s->m, s->t, addr, 1, TERM_NONE, false, &at) != STEP_NEXT) {
		vec_release(&at);
		return STEP_STOP;
	}
	if (is_all_unknown(s, &at))
		*length = make_length(s, addr, &at);
	vec_release(&at);
	return STEP_NEXT;
}

/* The copy has the contents of the string, if the string begins with its object. */
static void fill_copy(struct scall *s, uint64_t base, term_t length)
{
	struct lazy *l = s->m->sym->lazy;
	uint32_t copy = lazy_find(l, base);
	struct vec_resolved at = {0};
	term_t bytes = term_fresh_array(s->ts, "copy");
	u128 offset;

	if (copy == IR_NONE)
		return;
	if (resolve(s->m, s->t, opnd_term(s->m, s->args[0], 64), 1, TERM_NONE, false, &at) ==
			STEP_NEXT &&
		at.n == 1 && term_is_const(s->ts, at.at[0].offset, &offset) && !offset)
		bytes = lazy_get(l, at.at[0].region)->bytes;
	vec_release(&at);
	lazy_at(l, copy)->bytes = lazy_at(l, copy)->below =
		term_write(s->ts, bytes, length, term_const(s->ts, 8, 0));
	lazy_at(l, copy)->init = TERM_NONE;
}

static enum step s_strdup(struct scall *s)
{
	term_t n;

	if (summary_unknown_length(s, &n) == STEP_STOP)
		return STEP_STOP;
	if (!n.id)
		return STEP_NEXT;
	if (sym_alloc(s->m, s->t, opnd_of_term(s->m, term_add(s->ts, n, term_const(s->ts, 64, 1))),
		    16, false, &s->ret[0]) == STEP_STOP)
		return STEP_STOP;
	if (s->ret[0].v.lo)
		fill_copy(s, s->ret[0].v.lo, n);
	s->done = true;
	return STEP_NEXT;
}

summary_fn summary_unknown_find(const char *name)
{
	return !strcmp(name, "strdup") || !strcmp(name, "__strdup") ? s_strdup : NULL;
}
