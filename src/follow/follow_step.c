/* Re-execution of instructions with logged values, hashed addresses or observed events. */
#include "machine/code.h"
#include "follow/follow_internal.h"

/* ---- queries of the translation (translate.c) ---------------------------------------------- */

bool follow_fast_call(const struct machine *m, uint32_t func)
{
	const struct follow *f = m->follow;

	return f->pl->funcs[func].traced && !f->whole && !follow_wants(f, FOLLOW_ENTER) &&
	       !follow_wants(f, FOLLOW_LEAVE);
}

uint32_t follow_block_hash(const struct machine *m, uint32_t func, uint32_t block)
{
	return m->follow->pl->funcs[func].block_hash[block];
}

bool follow_wants_branches(const struct machine *m)
{
	return follow_wants(m->follow, FOLLOW_BRANCH);
}

bool follow_fast_access(const struct machine *m, uint32_t func, const struct ir_insn *in,
	bool *logged, uint32_t *coef)
{
	const struct plan_insn *pi = follow_plan(m->follow, func, in);
	enum follow_kind k = in->op == IR_LOAD ? FOLLOW_READ : FOLLOW_WRITE;

	*logged = pi->what == PLAN_VALUES;
	*coef = pi->flags & PLAN_F_EVENT ? LOG_HASH_COEF(pi->order) : 0;
	return !(pi->flags & PLAN_F_EVENT) || !follow_wants(m->follow, k);
}

/* ---- operands -------------------------------------------------------------------------------- */

struct step_ctx { /* the current instruction */
	struct follow *f;
	struct machine *m;
	struct thread *t;
	struct frame *fr;
	const struct ir_func *fn;
	const struct ir_insn *in;
	const struct plan_insn *pi;
};

static struct val get_value(const struct step_ctx *c, ir_ref r)
{
	return frame_get(c->m, c->t, c->fr, r).v;
}

static void set_value(const struct step_ctx *c, uint32_t reg, struct val v)
{
	frame_set(c->m, c->t, c->fr, reg, (struct opnd){.v = v});
}

/* k: index of the address among the hashed addresses of the instruction */
static void hash_addr(const struct step_ctx *c, uint64_t a, uint32_t k)
{
	c->f->m.log.hash += a * LOG_HASH_COEF(c->pi->order + k);
}

/* Reads the next logged value, of the given type. */
static bool take_val(struct follow *f, ir_type type, struct val *v)
{
	*v = (struct val){0};
	if (!follow_take_value(f, v, ir_type_bytes(type)))
		return false;
	*v = val_of(val_u128(*v) & bits_mask(ir_type_bits(type)));
	return true;
}

/* Reads a value that is not logged. False if its bytes are not known: the re-execution ends. */
static bool mem_get(const struct step_ctx *c, uint64_t a, ir_type type, struct val *v)
{
	uint64_t bad;

	*v = (struct val){0};
	if (mem_read(&c->m->mem, a, v, NULL, ir_type_bytes(type), &bad) == MEM_UNDEF)
		return follow_known(c->f, a, ir_type_bytes(type));
	*v = val_of(val_u128(*v) & bits_mask(ir_type_bits(type)));
	return true;
}

static void mem_put(const struct step_ctx *c, uint64_t a, ir_type type, struct val v)
{
	uint64_t bad;

	mem_write(&c->m->mem, a, &v, NULL, ir_type_bytes(type), &bad);
}

static void tell_access(const struct step_ctx *c, enum follow_kind k, uint64_t a, ir_type type,
	struct val old, struct val v)
{
	struct follow_event e = {.kind = k,
		.order = (uint8_t)ir_order(c->in->flags),
		.addr = a,
		.size = ir_type_bytes(type),
		.old = old,
		.value = v};

	if ((c->pi->flags & PLAN_F_EVENT) && follow_wants(c->f, k))
		follow_tell(c->f, &e);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Whether no process can access the address, or the recorded one crashed on it. The access is then
 * the crash of the recorded run, or the re-execution diverged. */
static bool is_bad(const struct step_ctx *c, uint64_t a, ir_type type)
{
	const uint64_t *crash = c->f->opt.crash;

	if (a < MEM_PAGE)
		c->f->mres.fault = FAULT_NULL_DEREF;
	else if (a + (1ull << 47) >= 1ull << 48)
		c->f->mres.fault = FAULT_WILD_DEREF;
	else if (crash && *crash - a < ir_type_bytes(type))
		c->f->mres.fault = FAULT_NO_ACCESS;
	else
		return false;
	return true;
}

static enum step follow_load(const struct step_ctx *c)
{
	uint64_t a = get_value(c, c->in->arg[0]).lo;
	struct val v;

	if (is_bad(c, a, c->in->type))
		return STEP_STOP;
	if (c->pi->what == PLAN_VALUES) {
		if (!take_val(c->f, c->in->type, &v))
			return STEP_STOP;
	} else {
		if (!mem_get(c, a, c->in->type, &v))
			return STEP_STOP;
	}
	if (c->pi->flags & PLAN_F_EVENT)
		hash_addr(c, a, 0);
	set_value(c, c->in->dst, v);
	tell_access(c, FOLLOW_READ, a, c->in->type, v, v);
	return STEP_NEXT;
}

static enum step follow_store(const struct step_ctx *c)
{
	uint64_t a = get_value(c, c->in->arg[0]).lo;
	struct val v = get_value(c, c->in->arg[1]);

	if (is_bad(c, a, c->in->type2))
		return STEP_STOP;
	if (c->pi->flags & PLAN_F_EVENT)
		hash_addr(c, a, 0);
	tell_access(c, FOLLOW_WRITE, a, c->in->type2, (struct val){0}, v);
	mem_put(c, a, c->in->type2, v);
	return STEP_NEXT;
}

static enum step follow_rmw(const struct step_ctx *c)
{
	uint64_t a = get_value(c, c->in->arg[0]).lo;
	struct val old, arg = get_value(c, c->in->arg[1]), out = {0};

	if (c->pi->what == PLAN_VALUES) {
		if (!take_val(c->f, c->in->type, &old))
			return STEP_STOP;
	} else {
		if (!mem_get(c, a, c->in->type, &old))
			return STEP_STOP;
	}
	if (eval_rmw(c->in, old, arg, &out) != EVAL_OK)
		return follow_end(c->f, FOLLOW_DIVERGED,
			"unsupported instruction '%s' on type '%s'", ir_ops[c->in->op].name,
			ir_type_name(c->in->type));
	if (c->pi->flags & PLAN_F_EVENT)
		hash_addr(c, a, 0);
	mem_put(c, a, c->in->type, out);
	set_value(c, c->in->dst, old);
	tell_access(c, FOLLOW_RMW, a, c->in->type, old, out);
	return STEP_NEXT;
}

static enum step follow_cas(const struct step_ctx *c)
{
	uint64_t a = get_value(c, c->in->arg[0]).lo;
	struct val old, same = {0}, neu = get_value(c, c->in->arg[2]);

	if (c->pi->what == PLAN_VALUES) {
		if (!take_val(c->f, c->in->type, &old) || !take_val(c->f, 1, &same))
			return STEP_STOP;
	} else {
		if (!mem_get(c, a, c->in->type, &old))
			return STEP_STOP;
		same.lo = val_u128(old) == val_u128(get_value(c, c->in->arg[1]));
	}
	if (c->pi->flags & PLAN_F_EVENT)
		hash_addr(c, a, 0);
	if (same.lo)
		mem_put(c, a, c->in->type, neu);
	set_value(c, c->in->dst, old);
	set_value(c, c->in->dst + 1, same);
	tell_access(c, same.lo ? FOLLOW_RMW : FOLLOW_CAS_FAIL, a, c->in->type, old,
		same.lo ? neu : old);
	return STEP_NEXT;
}

static void tell_bulk(
	const struct step_ctx *c, enum follow_kind k, uint64_t a, uint64_t n, const uint8_t *bytes)
{
	struct follow_event e = {.kind = k, .addr = a, .size = n, .bytes = bytes};

	if (n && follow_wants(c->f, k))
		follow_tell(c->f, &e);
}

enum { BULK_SPEED = 64 }; /* bytes that a block operation moves in the time of an instruction */

/* Gets the n bytes that a copy read, from the log or from memory, into f->bytes. */
static bool bulk_source(const struct step_ctx *c, uint64_t from, uint64_t n)
{
	struct follow *f = c->f;
	uint64_t bad;

	vec_reserve(&f->bytes, n + 1);
	if (c->pi->what == PLAN_BYTES)
		return follow_take_value(f, f->bytes.at, n);
	if (c->pi->what == PLAN_BULK)
		return follow_take(f, f->bytes.at, n);
	if (!follow_known(f, from, n))
		return false;
	mem_out(&c->m->mem, from, f->bytes.at, n, &bad);
	return true;
}

static enum step follow_bulk(const struct step_ctx *c)
{
	uint64_t to = get_value(c, c->in->arg[0]).lo, n = get_value(c, c->in->arg[2]).lo, from, bad;
	uint32_t k = 0;

	if (n > UINT32_MAX / 2)
		return follow_end(c->f, FOLLOW_DIVERGED, "a block operation of %llu bytes",
			(unsigned long long)n);
	c->f->work += n / BULK_SPEED;
	c->m->fuel -= (int64_t)(n / BULK_SPEED);
	if (c->in->op == IR_MEMSET) {
		vec_reserve(&c->f->bytes, n + 1);
		memset(c->f->bytes.at, (int)get_value(c, c->in->arg[1]).lo, n);
	} else {
		from = get_value(c, c->in->arg[1]).lo;
		if (!bulk_source(c, from, n))
			return STEP_STOP;
		if (c->pi->flags & PLAN_F_READ) {
			hash_addr(c, from, k++);
			tell_bulk(c, FOLLOW_READ, from, n, c->f->bytes.at);
		}
	}
	if (c->pi->flags & PLAN_F_WRITE) {
		hash_addr(c, to, k++);
		tell_bulk(c, FOLLOW_WRITE, to, n, c->f->bytes.at);
	}
	mem_in(&c->m->mem, to, c->f->bytes.at, n, &bad);
	return STEP_NEXT;
}

static enum step follow_va(const struct step_ctx *c)
{
	uint64_t to = get_value(c, c->in->arg[0]).lo, bad;
	uint8_t list[24];

	if (c->in->op == IR_VA_END)
		return STEP_NEXT;
	if (c->pi->what == PLAN_VA || c->pi->what == PLAN_BYTES) {
		if (!follow_take_value(c->f, list, sizeof list))
			return STEP_STOP;
	} else {
		if (!follow_known(c->f, get_value(c, c->in->arg[1]).lo, sizeof list))
			return STEP_STOP;
		mem_out(&c->m->mem, get_value(c, c->in->arg[1]).lo, list, sizeof list, &bad);
	}
	if (c->pi->flags & PLAN_F_READ)
		hash_addr(c, get_value(c, c->in->arg[1]).lo, 0);
	if (c->pi->flags & PLAN_F_WRITE)
		hash_addr(c, to, c->pi->flags & PLAN_F_READ ? 1 : 0);
	mem_in(&c->m->mem, to, list, sizeof list, &bad);
	return STEP_NEXT;
}

/* ---- the stack ------------------------------------------------------------------------------- */

/* Allocates a variable whose address is not logged on the machine's stack. */
static uint64_t private_var(const struct step_ctx *c, uint64_t size, uint64_t align)
{
	uint64_t a = ALIGN_UP(c->t->sp, MAX(align, (uint64_t)16));

	c->t->sp = a + size + 16;
	return a;
}

static enum step follow_alloca(const struct step_ctx *c)
{
	const struct ir_local *l = &c->fn->locals.at[c->in->imm];
	uint64_t n = get_value(c, c->in->arg[0]).lo, size;
	struct val a = {0};

	if (__builtin_mul_overflow(n, l->size, &size) || size > 1ull << 40)
		return follow_end(c->f, FOLLOW_DIVERGED, "a stack variable that is too large");
	if (c->pi->what == PLAN_VALUES) {
		struct follow_event e = {
			.kind = FOLLOW_LOCAL, .size = size, .local = (uint32_t)c->in->imm};

		if (!follow_take_value(c->f, &a.lo, 8) || !follow_range(c->f, a.lo, size))
			return STEP_STOP;
		e.addr = a.lo;
		if (follow_wants(c->f, FOLLOW_LOCAL))
			follow_tell(c->f, &e);
	} else {
		a.lo = private_var(c, size, l->align);
	}
	set_value(c, c->in->dst, a);
	return STEP_NEXT;
}

static enum step follow_stack_pointer(const struct step_ctx *c)
{
	struct follow *f = c->f;
	struct val v;

	if (c->in->op == IR_STACKRESTORE) {
		v = get_value(c, c->in->arg[0]);
		for (uint32_t i = f->saves.n; i-- > 0;)
			if (f->saves.at[i].value == v.lo) {
				c->t->sp = f->saves.at[i].sp;
				f->saves.n = i;
				break;
			}
		return STEP_NEXT;
	}
	if (!take_val(f, c->in->type, &v))
		return STEP_STOP;
	if (c->in->op == IR_STACKSAVE) {
		while (f->saves.n && vec_last(&f->saves).sp > c->t->sp)
			f->saves.n--; /* of a frame that has returned */
		vec_push(&f->saves, (struct follow_save){v.lo, c->t->sp});
	}
	set_value(c, c->in->dst, v);
	return STEP_NEXT;
}

/* Reads the logged results of an instruction that the machine cannot execute. */
static enum step follow_results(const struct step_ctx *c)
{
	uint32_t n = ir_insn_ndst(c->in);

	for (uint32_t i = 0; i < n; i++) {
		struct val v;

		if (!take_val(c->f, c->fn->regs.at[c->in->dst + i].type, &v))
			return STEP_STOP;
		set_value(c, c->in->dst + i, v);
	}
	return STEP_NEXT;
}

static enum step follow_fence(const struct step_ctx *c)
{
	struct follow_event e = {.kind = FOLLOW_FENCE, .order = (uint8_t)ir_order(c->in->flags)};

	if (follow_wants(c->f, FOLLOW_FENCE) && !(c->in->flags & IR_F_COMPILER))
		follow_tell(c->f, &e);
	return STEP_NEXT;
}

void follow_block(struct machine *m, struct thread *t, uint32_t block)
{
	uint32_t k = follow_block_hash(m, top(t)->func, block);

	if (k)
		m->log.hash = m->log.hash * LOG_HASH_MUL + k;
}

/* ---- branches -------------------------------------------------------------------------------- */

void follow_branch(struct machine *m, struct thread *t, uint32_t insn)
{
	struct frame *fr = top(t);
	const struct ir_func *fn = frame_func(m, fr);
	const struct ir_insn *in = &fn->insns.at[insn];
	struct follow_event e = {.kind = FOLLOW_BRANCH, .value = frame_get(m, t, fr, in->arg[0]).v};

	if (in->op == IR_CBR) {
		e.taken = !(e.value.lo & 1);
	} else if (in->op == IR_SWITCH) {
		const uint32_t *x = fn->extra.at + in->arg[1];

		for (uint32_t i = 0; i < in->arg[2]; i++)
			if (val_u128(code_const(m, ir_const(fn, x[1 + 2 * i]))) ==
				val_u128(e.value)) {
				e.taken = 1 + i;
				break;
			}
	}
	follow_tell(m->follow, &e);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

enum step follow_insn(struct machine *m, struct thread *t, const struct ir_insn *in, bool *mine)
{
	struct frame *fr = top(t);
	struct step_ctx c = {
		m->follow, m, t, fr, frame_func(m, fr), in, follow_plan(m->follow, fr->func, in)};

	*mine = true;
	c.f->points += (c.pi->flags & PLAN_F_EVENT) != 0;
	switch (ir_ops[in->op].shape) {
	case IR_S_LOAD: return follow_load(&c);
	case IR_S_STORE: return follow_store(&c);
	case IR_S_RMW: return follow_rmw(&c);
	case IR_S_CAS: return follow_cas(&c);
	case IR_S_BULK: return follow_bulk(&c);
	case IR_S_VA: return follow_va(&c);
	case IR_S_ALLOCA: return follow_alloca(&c);
	case IR_S_PTR0:
	case IR_S_PTR1: return follow_stack_pointer(&c);
	case IR_S_LIFE: return STEP_NEXT;
	case IR_S_FENCE: return follow_fence(&c);
	case IR_S_ASM: return follow_results(&c);
	case IR_S_CBR:
	case IR_S_SWITCH:
		if (follow_wants(c.f, FOLLOW_BRANCH))
			follow_branch(m, t, (uint32_t)(in - c.fn->insns.at));
		break;
	case IR_S_NONE:
		if (in->op == IR_PAUSE)
			return STEP_NEXT;
		break;
	default: break;
	}
	*mine = false;
	return STEP_NEXT;
}
