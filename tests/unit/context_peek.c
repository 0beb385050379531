#include "context_peek.h"

#include "context/context_internal.h"

bool context_peek(const struct context *c, term_t sym, struct context_peek *out)
{
	const struct symbol *s = symbol_get(c, sym);
	const struct frame *f;

	if (!s || s->frame == IR_NONE || s->is.kind != CONTEXT_VALUE || s->is.reg == IR_NONE)
		return false;
	f = &c->frames.at[s->frame];
	if (f->kind == FRAME_RETURNED)
		return false;
	*out = (struct context_peek){f->func, s->is.reg, IR_NONE, 0};
	if (f->kind == FRAME_LISTED) {
		out->thread = f->owner;
		out->below = (int32_t)c->hidden.at[f->owner] - (int32_t)f->depth;
	}
	return true;
}
