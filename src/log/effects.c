#include "log/effects.h"

#include <string.h>

#include "base/base.h"
#include "log/words.h"

struct reads { /* collects the ranges that walk_call() finds to be read */
	effects_peek peek;
	void *ctx;
	struct effects_range *out;
	uint32_t n, max;
};

static bool walk_peek(void *ctx, uint64_t addr, void *to, uint32_t n)
{
	struct reads *r = ctx;

	return r->peek(r->ctx, addr, to, n);
}

static void walk_range(void *ctx, bool write, uint64_t addr, uint64_t n)
{
	struct reads *r = ctx;

	if (!write && r->n < r->max)
		r->out[r->n++] = (struct effects_range){addr, n};
}

static bool walk_fault(void *ctx)
{
	(void)ctx;
	return false;
}

#include "log/effects_walk.h"

static const char *const names[] = {
#define PURE(name, ...)   #name,
#define EFFECT(name, ...) #name,
#define SETJMP(name)      #name,
#define LONGJMP(name)     #name,
#include "log/libc.def"
};
_Static_assert(ARRAY_SIZE(names) == EFFECTS_COUNT, "names of effects");

struct effects_entry effects_find(const char *name)
{
	const struct log_sync_fn *sync = log_sync_find(name);

	for (uint32_t i = 0; i < EFFECTS_COUNT; i++)
		if (!strcmp(names[i], name))
			return (struct effects_entry){effects_table[i].kind,
				effects_table[i].flags, i};
	if (sync)
		return (struct effects_entry){EFFECTS_SYNC, 0, sync->kind};
	return (struct effects_entry){EFFECTS_UNKNOWN, 0, 0};
}

/* Whether the effect writes only to a block that the call allocates. Not so for getline, which
 * reads the pointer first and may reuse the block there. */
static bool writes_new_block(const struct effects_row *row, const struct effect *e)
{
	if (!(row->flags & EFFECTS_ALLOC))
		return false;
	for (const struct effect *o = row->effects; o->op != EFFECT_END; o++)
		if (o->op == EFFECT_RW && o->base == e->base)
			return false;
	return true;
}

static void add_write(struct effects_writes *w, const struct effects_row *row,
	const struct effect *e)
{
	switch ((enum effect_op)e->op) {
	case EFFECT_W:
	case EFFECT_RW:
		if (e->via || e->base == EFFECT_RESULT)
			w->deep |= !writes_new_block(row, e);
		else
			w->args |= 1u << MIN(e->base, 31);
		break;
	case EFFECT_POLL: w->args |= 1u << e->base; break;
	case EFFECT_IOV_W:
	case EFFECT_MSG_W:
		w->args |= e->op == EFFECT_MSG_W ? 1u << e->base : 0;
		w->deep = true;
		break;
	case EFFECT_PRINT:
	case EFFECT_WPRINT: w->format = (int8_t)e->base; break;
	case EFFECT_VPRINT: w->args |= 1u << e->i; break;
	case EFFECT_SCAN:
	case EFFECT_OLD_SCAN: w->args |= UINT32_MAX << (e->base + 1); break;
	case EFFECT_END:
	case EFFECT_R:
	case EFFECT_IOV_R:
	case EFFECT_MSG_R: break;
	}
}

struct effects_writes effects_writes(uint32_t number)
{
	struct effects_writes w = {.format = -1};
	const struct effects_row *row;

	if (number >= EFFECTS_COUNT)
		return (struct effects_writes){UINT32_MAX, true, -1};
	row = &effects_table[number];
	for (const struct effect *e = row->effects; e->op != EFFECT_END; e++)
		add_write(&w, row, e);
	return w;
}

int effects_reads(uint32_t number, uint64_t result, const uint64_t *args, uint32_t nargs,
	effects_peek peek, void *ctx, struct effects_range *out, uint32_t max)
{
	struct reads r = {.peek = peek, .ctx = ctx, .out = out, .max = max};

	if (number >= EFFECTS_COUNT || !walk_call(&r, number, result, args, nargs))
		return -1;
	return (int)r.n;
}
