#include "explain/branch.h"

#include "base/hash.h"
#include "explain/places.h"

bool branch_decides(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	switch ((enum ctp_kind)e->kind) {
	case CTP_BRANCH:
	case CTP_ASSERT:
	case CTP_DIVISOR:
	case CTP_CALL: return true;
	case CTP_DEREF: return !(e->flags & (CTP_LENGTH | CTP_OUTSIDE));
	case CTP_SEM_FAIL: return true;
	case CTP_TRYFAIL: return !(e->flags & CTP_ERRORCHECK);
	case CTP_SEM_WAIT:
	case CTP_LOCK:
	case CTP_RDLOCK: return e->flags & CTP_TRIED;
	default: return false;
	}
}

enum flip_kind branch_kind(const struct ctp *c, uint32_t event)
{
	const struct ctp_event *e = ctp_at(c, event);

	switch ((enum ctp_kind)e->kind) {
	case CTP_BRANCH: return e->operand.id ? FLIP_SWITCH : FLIP_IF;
	case CTP_ASSERT: return e->operand.id ? FLIP_SWITCH : FLIP_ASSERT;
	case CTP_DIVISOR: return FLIP_DIVISOR;
	case CTP_CALL: return FLIP_CALL;
	case CTP_DEREF: return e->flags & CTP_BASE_KNOWN ? FLIP_INDEX : FLIP_POINTER;
	case CTP_TRYFAIL:
	case CTP_LOCK:
	case CTP_RDLOCK:
	case CTP_SEM_WAIT:
	case CTP_SEM_FAIL: return FLIP_TRY;
	default: return FLIP_NONE;
	}
}

bool branch_bounds(const struct ctp *c, const struct ctp_event *e, uint64_t *addr, uint64_t *size)
{
	if (e->kind != CTP_DEREF || !(e->flags & CTP_BASE_KNOWN))
		return false;
	if (e->block == CTP_NONE)
		return ctp_global_at(c, ctp_base(e), addr, size);
	*addr = c->blocks.at[e->block].addr;
	*size = c->blocks.at[e->block].size;
	return true;
}

/* ---- locations ------------------------------------------------------------------------------- */

void branch_places_init(struct branch_places *p, const struct ctp *c)
{
	*p = (struct branch_places){.c = c};
}

void branch_places_release(struct branch_places *p)
{
	map_release(&p->known);
}

uint32_t branch_family(enum flip_kind k)
{
	switch (k) {
	case FLIP_SWITCH:
	case FLIP_ASSERT: return FLIP_IF;
	case FLIP_INDEX:
	case FLIP_BOUNDS: return FLIP_POINTER;
	default: return k;
	}
}

static uint64_t hash_place(const struct ctp *c, uint32_t event, uint32_t kind)
{
	struct finding_place at;
	uint64_t h = hash_mix(1, kind);

	place_of_event(c, event, &at);
	if (at.file && at.col) {
		h = hash_mix(hash_mix_str(h, at.file), at.line);
		h = hash_mix(h, at.col);
		h = hash_mix_str(h, at.function);
	} else {
		h = hash_mix(hash_mix(h, ctp_at(c, event)->func), ctp_at(c, event)->insn);
	}
	finding_place_release(&at);
	return h;
}

uint64_t branch_place(struct branch_places *p, uint32_t event)
{
	const struct ctp_event *e = ctp_at(p->c, event);
	uint32_t kind = branch_family(branch_kind(p->c, event));
	uint64_t key = hash_mix(hash_mix((uint64_t)e->func << 32 | e->insn, kind), 1);
	uint64_t *at = map_put(&p->known, key);

	if (!*at)
		*at = hash_place(p->c, event, kind);
	return *at;
}
