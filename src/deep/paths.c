#include "deep/paths.h"

#include "base/base.h"
#include "base/hash.h"
#include "trace/trace.h"

/* ---- ways -------------------------------------------------------------------------------- */

/* The target block of a switch for a value: several values may have the same. */
static uint64_t get_switch_target(
	const struct ir_func *fn, const struct ir_insn *in, uint64_t value)
{
	const uint32_t *ex = fn->extra.at + in->arg[1];

	for (uint32_t i = 0; i < in->arg[2]; i++) {
		ir_ref r = ex[1 + 2 * i];

		if (ir_is_const(r) && ir_const(fn, r)->lo == value)
			return fn->edges.at[ex[2 + 2 * i]].to;
	}
	return fn->edges.at[ex[0]].to;
}

static uint64_t get_way(const struct ctp *c, const struct ctp_event *e)
{
	const struct ir_program *p = c->trace ? trace_program(c->trace) : NULL;
	const struct ir_func *fn = p && e->func < p->funcs.n ? &p->funcs.at[e->func] : NULL;
	const struct ir_insn *in = fn && e->insn < fn->insns.n ? &fn->insns.at[e->insn] : NULL;

	if (in && in->op == IR_SWITCH && (e->kind == CTP_BRANCH || e->kind == CTP_ASSERT))
		return get_switch_target(fn, in, ctp_decided(e));
	return ctp_recorded(e);
}

uint64_t paths_edge(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);
	uint64_t h = hash_mix(e->kind == CTP_ASSERT ? CTP_BRANCH : e->kind, e->func);

	h = hash_mix(h, e->insn);
	if (e->kind == CTP_CREATE) /* the path implies its number, and so the name of the thread */
		h = hash_mix(h, 0);
	else if (ctp_has_peer(e->kind))
		h = hash_mix(h, ctp_peer(e) < c->threads.n ? ctp_thread_name(c, ctp_peer(e)) : 0);
	else
		h = hash_mix(h, e->kind == CTP_DEREF ? ctp_base(e) : e->object);
	h = hash_mix(h, ctp_has_mutex(e->kind) ? ctp_mutex(e) : 0);
	/* the FIX behind a FREE decides which block it frees */
	h = hash_mix(h, e->kind == CTP_FREE && e->operand.id ? 0 : get_way(c, e));
	for (uint32_t i = e->first; i < e->first + e->n; i++)
		h = hash_mix(h, c->cells.at[c->accesses.at[i].cell].addr);
	return h;
}

/* Hash of the decision that the event makes, equal for all its outcomes. */
static uint64_t hash_decision(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);
	enum ctp_kind kind = e->kind;

	if (ctp_is_guard(kind))
		return hash_mix(hash_mix(CTP_BRANCH, e->func), e->insn) | 1;
	switch (kind) {
	case CTP_JOIN:
	case CTP_JOINFAIL: kind = CTP_JOINFAIL; break;
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_TRYFAIL: kind = CTP_TRYFAIL; break;
	case CTP_SEM_WAIT:
	case CTP_SEM_FAIL: kind = CTP_SEM_FAIL; break;
	case CTP_WOKEN:
	case CTP_TIMEOUT: kind = CTP_TIMEOUT; break;
	default: return paths_edge(c, event) | 1;
	}
	return hash_mix(hash_mix(hash_mix(kind, e->func), e->insn), e->object) | 1;
}

/* ---- the tree ---------------------------------------------------------------------------- */

void paths_release(struct paths *p)
{
	map_release(&p->at);
	vec_release(&p->nodes);
}

const struct path_node *paths_node(const struct paths *p, uint64_t name)
{
	const uint64_t *at = map_get(&p->at, name);

	return at ? &p->nodes.at[*at - 1] : NULL;
}

static struct path_node *put_node(struct paths *p, uint64_t name, bool *fresh)
{
	uint64_t *at = map_put(&p->at, name);

	*fresh = !*at;
	if (!*at) {
		vec_push(&p->nodes, (struct path_node){.name = name});
		*at = p->nodes.n;
	}
	BUG_ON(p->nodes.at[*at - 1].name != name);
	return &p->nodes.at[*at - 1];
}

void paths_names(const struct ctp *c, uint32_t thread, struct path_names *out)
{
	const struct ctp_thread *t = &c->threads.at[thread];
	uint64_t h = hash_mix(ctp_thread_name(c, thread), 1);

	vec_clear(out);
	for (uint32_t e = t->first; e < t->first + t->n; e++) {
		vec_push(out, h);
		if (!paths_skips(ctp_at(c, e)))
			h = hash_mix(h, paths_edge(c, e));
	}
	vec_push(out, h);
}

bool paths_goes_on(const struct ctp *c, uint32_t thread)
{
	const struct ctp_thread *t = &c->threads.at[thread];

	return t->cut && t->n && ctp_at(c, t->first + t->n - 1)->kind != CTP_FAIL;
}

bool paths_add(struct paths *p, const struct ctp *c, uint32_t thread, bool *odd)
{
	const struct ctp_thread *t = &c->threads.at[thread];
	struct path_names names = {0};
	bool fresh, any;

	paths_names(c, thread, &names);
	BUG_ON(names.n != t->n + 1);
	put_node(p, names.at[0], &fresh);
	p->threads += fresh;
	any = fresh;
	for (uint32_t i = 0; i < t->n; i++) {
		struct path_node *node;
		uint64_t next = hash_decision(c, t->first + i);

		if (names.at[i + 1] == names.at[i])
			continue;
		put_node(p, names.at[i + 1], &fresh);
		any |= fresh;
		if (!fresh)
			continue;
		node = &p->nodes.at[*map_get(&p->at, names.at[i]) - 1];
		*odd |= node->ways && node->next != next;
		node->next = next;
		node->ways++;
	}
	vec_release(&names);
	return any;
}

uint64_t paths_count(const struct paths *p)
{
	uint64_t n = 0;

	vec_each (&p->nodes, i)
		n += !p->nodes.at[i].ways;
	return n;
}
