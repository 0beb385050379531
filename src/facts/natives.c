#include "facts/natives.h"

#include "base/vec.h"
#include "facts/externs.h"
#include "log/words.h"

static void classify_native(struct native *n, const char *name)
{
	struct effects_entry e = effects_find(name);

	switch ((enum effects_kind)e.kind) {
	case EFFECTS_UNKNOWN: n->call = CALL_UNKNOWN; break;
	case EFFECTS_SYNC:
		n->call = CALL_SYNC;
		n->object = log_sync_find(name)->object;
		n->sync = (uint8_t)e.number;
		n->heap = n->sync == LOG_S_ALLOC || n->sync == LOG_S_REALLOC;
		break;
	case EFFECTS_SETJMP: n->call = CALL_SETJMP; break;
	case EFFECTS_LONGJMP: n->call = CALL_LONGJMP; break;
	case EFFECTS_PURE:
	case EFFECTS_EFFECT:
		n->call = e.kind == EFFECTS_PURE ? CALL_PURE : CALL_EFFECT;
		n->effect = e.number;
		n->flags = e.flags;
		n->heap = e.flags & EFFECTS_ALLOC;
		break;
	}
}

struct native *natives_resolve(struct arena *a, const struct ir_program *p, const bool *traced)
{
	struct native *all = arena_array(a, struct native, p->funcs.n + 1);
	const struct extern_summary **externs = externs_resolve(a, p);

	vec_each (&p->funcs, f) {
		all[f].object = -1;
		all[f].call = CALL_TRACED;
		if (traced[f])
			continue;
		all[f].call = CALL_UNKNOWN;
		if (p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL))
			classify_native(&all[f], ir_func_name(p, f));
		all[f].unknown = all[f].call == CALL_UNKNOWN || !externs[f] ||
				 extern_keeps(externs[f]);
	}
	return all;
}
