#include "specialize/specialize.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "specialize/specialize_internal.h"

#include <stdlib.h>
#include <string.h>

struct specializer {
	struct ir_program *p;
	const struct spec_schedule *s;
	uint32_t first;   /* the function of frame i is first + i */
	struct map nodes; /* function -> struct nodes * */
	spec_is_sync is_sync;
	void *ctx;
};

static const struct nodes *nodes_of(struct specializer *z, uint32_t func)
{
	uint64_t *slot = map_put(&z->nodes, func);
	struct nodes *n;

	if (!*slot) {
		n = xcalloc(1, sizeof *n);
		nodes_init(n, &z->p->funcs.at[func], func, z->is_sync, z->ctx);
		*slot = map_ptr(n);
	}
	return (const struct nodes *)(uintptr_t)*slot;
}

static uint32_t name_copy(struct specializer *z, uint32_t frame)
{
	char *s = xasprintf("%s.%u", ir_func_name(z->p, z->s->frames.at[frame].func), frame);
	uint32_t id = intern_strn(&z->p->strs, s, strlen(s));

	free(s);
	return id;
}

static int specialize_frame(struct specializer *z, uint32_t frame)
{
	const struct spec_frame *fr = &z->s->frames.at[frame];
	struct spec_copy *copies = xcalloc(fr->syncs.n + 1, sizeof *copies);
	struct ir_func f = {0};
	char *why;
	int rc = 0;

	vec_each (&fr->syncs, i) {
		const struct spec_sync *s = &fr->syncs.at[i];
		uint32_t to = s->frame != IR_NONE    ? s->frame
			      : s->thread != IR_NONE ? z->s->threads.at[s->thread]
						     : IR_NONE;

		copies[i].func = to == IR_NONE ? IR_NONE : z->first + to;
		copies[i].original = to == IR_NONE ? IR_NONE : z->s->frames.at[to].func;
	}
	why = copy_frame(z->p, fr, nodes_of(z, fr->func), copies, &f);
	if (why) {
		rc = error_at(ir_diag_pos(z->p, z->p->funcs.at[fr->func].pos),
			"cannot specialize '%s': %s", ir_func_name(z->p, fr->func), why);
		ir_func_drop_body(&f);
		f = (struct ir_func){.flags = IR_FN_EXTERN};
	}
	f.name = name_copy(z, frame);
	f.flags |= IR_FN_LOCAL;
	f.flags &= ~(uint32_t)(IR_FN_WEAK | IR_FN_HIDDEN | IR_FN_USED);
	vec_push(&z->p->funcs, f);
	free(copies);
	free(why);
	return rc;
}

/* The copy of main takes its name; what refers to main by its address keeps the original. */
static void replace_main(struct specializer *z)
{
	uint32_t copy = z->first + z->s->threads.at[0];
	struct ir_func *f = &z->p->funcs.at[z->s->frames.at[z->s->threads.at[0]].func];
	struct ir_func *g = &z->p->funcs.at[copy];
	uint32_t name = f->name;

	f->name = g->name;
	g->name = name;
	g->flags = (g->flags & ~(uint32_t)IR_FN_LOCAL) | (f->flags & IR_FN_LOCAL);
	f->flags |= IR_FN_LOCAL;
	*map_put(&z->p->func_by_name, name) = copy;
}

int specialize_program(
	struct ir_program *p, const struct spec_schedule *s, spec_is_sync is_sync, void *ctx)
{
	struct specializer z = {
		.p = p, .s = s, .first = p->funcs.n, .is_sync = is_sync, .ctx = ctx};
	int rc = 0;

	vec_each (&s->frames, i)
		rc |= specialize_frame(&z, i);
	if (!rc && s->threads.n)
		replace_main(&z);
	map_each (&z.nodes, i) {
		struct nodes *n = (struct nodes *)(uintptr_t)z.nodes.slots[i].val;

		nodes_release(n);
		free(n);
	}
	map_release(&z.nodes);
	return rc;
}

void spec_schedule_release(struct spec_schedule *s)
{
	vec_each (&s->frames, i)
		vec_release(&s->frames.at[i].syncs);
	vec_release(&s->frames);
	vec_release(&s->threads);
}
