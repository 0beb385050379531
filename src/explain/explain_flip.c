/* A decision that the schedule changes: what decides, its recorded outcome, and its outcome here */
#include "explain/explain_internal.h"

#include "base/base.h"
#include "explain/branch.h"
#include "explain/places.h"
#include "facts/fails.h"
#include "trace/address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 4, MAX_SOURCE = 60, MAX_BLOCKS = 8, NULL_END = 4096 };

/* ---- values ---------------------------------------------------------------------------------- */

/* the value of a term in the recorded run */
static u128 value_recorded(struct explainer *x, term_t t)
{
	const struct term_syms *syms = term_syms(x->c->ts, t);
	struct term_assign then;
	u128 v;

	term_assign_init(&then, x->c->ts);
	for (uint32_t i = 0; i < syms->n; i++) {
		uint64_t *a = map_get(&x->reader, syms->at[i].id);

		if (a)
			term_assign_set(&then, syms->at[i], x->c->accesses.at[*a].seen);
	}
	v = term_value(&then, t);
	term_assign_release(&then);
	return v;
}

/* Appends " (balance = 100, limit = 50)": the reads that the term depends on, each event once. */
static void add_values(struct explainer *x, term_t t, bool recorded, struct strbuf *out)
{
	const struct term_syms *syms = term_syms(x->c->ts, t);
	struct bitset told = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < syms->n && n < MAX_VALUES; i++) {
		uint64_t *a = map_get(&x->reader, syms->at[i].id);
		struct strbuf v = {0};

		if (a && bitset_add(&told, x->event_of[*a]) &&
			value_add(x, x->event_of[*a], false, recorded, &v)) {
			strbuf_adds(out, n++ ? ", " : " (");
			ctp_name_access(x->c, x->event_of[*a], out);
			strbuf_addf(out, " = %s", v.s);
		}
		strbuf_release(&v);
	}
	if (n)
		strbuf_addc(out, ')');
	bitset_release(&told);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static const struct ir_insn *insn_of(const struct explainer *x, const struct ctp_event *e)
{
	if (!x->p || e->func >= x->p->funcs.n || e->insn >= x->p->funcs.at[e->func].insns.n)
		return NULL;
	return &x->p->funcs.at[e->func].insns.at[e->insn];
}

static uint32_t block_with(const struct ir_func *f, uint32_t insn)
{
	uint32_t b = 0;

	while (b + 1 < f->blocks.n && insn - f->blocks.at[b].first >= f->blocks.at[b].n)
		b++;
	return b;
}

/* The place is above the branch in the source, though no loop leads back: the optimizer moved it */
static bool is_moved(const struct ir_pos *at, const struct ir_pos *branch)
{
	return at->line < branch->line && at->file == branch->file && at->func == branch->func &&
	       at->inlined_at == branch->inlined_at;
}

/* The place in the source behind an edge of the branch; NULL if it is not known. */
static const struct ir_pos *edge_target(
	const struct explainer *x, uint32_t func, uint32_t branch, uint32_t edge)
{
	const struct ir_func *f = &x->p->funcs.at[func];
	const struct ir_pos *from = &x->p->positions.at[f->insns.at[branch].pos];
	bool forward = f->edges.at[edge].to > block_with(f, branch);

	for (uint32_t n = 0, to = f->edges.at[edge].to; n < MAX_BLOCKS; n++) {
		const struct ir_block *b = &f->blocks.at[to];
		const struct ir_insn *last = &f->insns.at[b->first + b->n - 1];

		for (uint32_t i = b->first; i < b->first + b->n; i++) {
			uint32_t pos = f->insns.at[i].pos;

			if (pos && x->p->positions.at[pos].line &&
				!(forward && is_moved(&x->p->positions.at[pos], from)))
				return &x->p->positions.at[pos];
		}
		if (last->op != IR_BR)
			break;
		to = f->edges.at[last->arg[0]].to;
	}
	return NULL;
}

static void add_way(struct explainer *x, const struct ctp_event *e, bool yes, struct strbuf *out)
{
	const struct ir_insn *in = insn_of(x, e);
	const struct ir_pos *here = NULL, *there = NULL;
	const char *file, *slash;

	if (in && in->op == IR_CBR) {
		here = edge_target(x, e->func, e->insn, in->arg[yes ? 1 : 2]);
		there = edge_target(x, e->func, e->insn, in->arg[yes ? 2 : 1]);
	}
	if (!here || !there || !here->file ||
		(here->file == there->file && here->line == there->line && here->col == there->col)) {
		strbuf_adds(out, yes ? "true" : "false");
		return;
	}
	file = ir_str(x->p, here->file);
	slash = strrchr(file, '/');
	strbuf_addf(out, "continues at %s:%u", slash ? slash + 1 : file, here->line);
	if (here->file == there->file && here->line == there->line)
		strbuf_addf(out, ":%u", here->col);
}

static void add_case(const struct explainer *x, const struct ctp_event *e, u128 v, struct strbuf *out)
{
	const struct ir_insn *in = insn_of(x, e);
	const struct ir_func *f = in ? &x->p->funcs.at[e->func] : NULL;
	int64_t value = (int64_t)bits_signed(v, MIN(term_width(x->c->ts, e->operand), 64u));

	if (in && in->op != IR_SWITCH) {
		strbuf_addf(out, "jumps to 0x%" PRIx64, (uint64_t)v);
		return;
	}
	for (uint32_t i = 0; in && i < in->arg[2]; i++) {
		ir_ref r = f->extra.at[in->arg[1] + 1 + 2 * i];

		if (ir_is_const(r) && ir_const(f, r)->lo == (uint64_t)v) {
			strbuf_addf(out, "case %" PRId64, value);
			return;
		}
	}
	strbuf_addf(out, in ? "default" : "value %" PRId64, value);
}

static void add_function(const struct explainer *x, uint64_t addr, struct strbuf *out)
{
	const struct follow_snapshot *s = x->p ? trace_snapshot(x->c->trace) : NULL;
	uint32_t f = s ? follow_func_at(s, addr) : IR_NONE;

	if (!addr)
		strbuf_adds(out, "calls a null pointer");
	else if (x->p && f < x->p->funcs.n)
		strbuf_addf(out, "calls '%s'", ir_func_name(x->p, f));
	else
		strbuf_addf(out, "calls 0x%" PRIx64, addr);
}

/* "uses table[3]", "uses a null pointer" */
static void add_address(
	struct explainer *x, const struct ctp_event *e, uint64_t addr, bool outside, struct strbuf *out)
{
	if (addr < NULL_END) {
		strbuf_adds(out, "uses a null pointer");
		return;
	}
	strbuf_adds(out, "uses ");
	if (outside && e->flags & CTP_BASE_KNOWN)
		strbuf_addf(out, "byte %+" PRId64 " from ", (int64_t)(addr - ctp_base(e)));
	ctp_name_data(x->c, outside && e->flags & CTP_BASE_KNOWN ? ctp_base(e) : addr,
		MAX(e->size, 1u), out);
	strbuf_adds(out, outside ? ", outside of it" : "");
}

/* ---- the flip -------------------------------------------------------------------------------- */

/* The address lies outside of the object whose base it was computed from. */
static bool leaves_object(struct explainer *x, const struct ctp_event *e, uint64_t addr)
{
	uint64_t lo, size;

	return branch_bounds(x->c, e, &lo, &size) && e->size && e->size <= size &&
	       addr - lo > size - e->size;
}

static void add_outcome(struct explainer *x, uint32_t event, bool recorded, struct strbuf *out)
{
	const struct ctp_event *e = ctp_at(x->c, event);
	term_t t = e->operand.id ? e->operand : e->cond;
	u128 v = !t.id ? 0 : recorded ? value_recorded(x, t) : value_of(x, t);
	bool failed = e->kind == CTP_TRYFAIL || e->kind == CTP_SEM_FAIL;
	bool sem = e->kind == CTP_SEM_FAIL || e->kind == CTP_SEM_WAIT;

	switch (branch_kind(x->c, event)) {
	case FLIP_IF: add_way(x, e, recorded ? ctp_decided(e) : !ctp_decided(e), out); break;
	case FLIP_ASSERT: strbuf_adds(out, recorded ? "holds" : "fails"); break;
	case FLIP_SWITCH: add_case(x, e, v, out); break;
	case FLIP_CALL: add_function(x, (uint64_t)v, out); return;
	case FLIP_DIVISOR:
		strbuf_addf(out, "divides by %" PRId64,
			(int64_t)bits_signed(v, MIN(term_width(x->c->ts, t), 64u)));
		break;
	case FLIP_POINTER: add_address(x, e, (uint64_t)v, false, out); return;
	case FLIP_INDEX:
		add_address(x, e, (uint64_t)v, !recorded && leaves_object(x, e, (uint64_t)v), out);
		break;
	case FLIP_TRY:
		strbuf_addf(out, "%s%s ", recorded == failed ? "fails to " : "",
			sem ? (recorded == failed ? "take" : "takes")
			    : (recorded == failed ? "lock" : "locks"));
		add_object(x, e->object, out);
		return;
	default: break;
	}
	if (t.id)
		add_values(x, t, recorded, out);
}

static uint64_t instances_of(const struct explainer *x, uint32_t event)
{
	struct branch_places places;
	uint64_t place, n = 0;

	branch_places_init(&places, x->c);
	place = branch_place(&places, event);
	vec_each (&x->c->events, e)
		n += branch_decides(x->c, e) && branch_place(&places, e) == place;
	branch_places_release(&places);
	return n;
}

/* Removes a comment and a brace at the end of the line. */
static void trim_source(char *line)
{
	static const char *const behind[] = {"/*", "//"};
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		char *at = strstr(line, behind[i]);

		if (at && at > line && at[-1] == ' ')
			*at = 0;
	}
	for (n = strlen(line); n > 1 && strchr(" \t{", line[n - 1]); n--)
		line[n - 1] = 0;
}

/* "branch 'if (is_good)' depends on the schedule" */
static char *make_title(struct explainer *x, uint32_t event, enum flip_kind kind)
{
	struct finding_place at;
	struct strbuf b = {0};
	char *line;

	place_of_event(x->c, event, &at);
	line = sources_line(&x->src, at.file, at.line);
	if (line)
		trim_source(line);
	strbuf_adds(&b, flip_kind_words[kind == FLIP_BOUNDS ? FLIP_INDEX : kind]);
	if (line && *line) {
		size_t n = strlen(line);

		if (n > MAX_SOURCE)
			for (n = MAX_SOURCE; n && (line[n] & 0xc0) == 0x80; n--)
				;
		strbuf_adds(&b, " '");
		strbuf_add(&b, line, n);
		strbuf_adds(&b, line[n] ? "…'" : "'");
	} else if (at.function) {
		strbuf_addf(&b, " in '%s'", at.function);
	}
	strbuf_adds(&b, " depends on the schedule");
	free(line);
	finding_place_release(&at);
	return strbuf_detach(&b);
}

static uint64_t value_of_operand(struct explainer *x, const struct ctp_event *e)
{
	switch ((enum ctp_kind)e->kind) {
	case CTP_SEM_FAIL:
	case CTP_TRYFAIL: return 1;
	case CTP_SEM_WAIT:
	case CTP_LOCK:
	case CTP_RDLOCK: return 0;
	case CTP_DIVISOR: return (uint64_t)value_recorded(x, e->operand);
	default: return ctp_recorded(e);
	}
}

/* A name for the address that was used or called which is valid in other runs; NULL. */
static char *address_of(const struct explainer *x, const struct ctp_event *e)
{
	struct strbuf b = {0};
	uint32_t gen = 0;
	bool known;

	if ((e->kind != CTP_DEREF && e->kind != CTP_CALL) || !x->c->trace || !x->c->sync)
		return NULL;
	if (e->block != CTP_NONE && ctp_recorded(e) - x->c->blocks.at[e->block].addr <
					    x->c->blocks.at[e->block].size)
		gen = x->c->blocks.at[e->block].gen;
	for (uint32_t t = 0; !gen && t < trace_nthreads(x->c->trace); t++)
		if (trace_thread(x->c->trace, t)->id == x->c->threads.at[e->thread].id)
			gen = address_generation(x->c->sync, t, e->index, ctp_recorded(e));
	known = address_name(x->c->trace, x->c->sync, ctp_recorded(e), gen, &b);
	if (known)
		return strbuf_detach(&b);
	strbuf_release(&b);
	return NULL;
}

/* The block at the address is freed in the witness, and no later block has the address. */
static bool is_freed(const struct explainer *x, uint64_t addr)
{
	bool freed = false;

	vec_each (&x->c->blocks, i) {
		const struct ctp_block *b = &x->c->blocks.at[i];
		bool there = b->alloc == CTP_NONE || bitset_has(&x->done, b->alloc);

		if (addr - b->addr >= MAX(b->size, 1u) || !there)
			continue;
		freed = b->free != CTP_NONE && bitset_has(&x->done, b->free);
		if (!freed)
			return false;
	}
	return freed;
}

/* Why the flip itself is a failure; NULL: it is not known to be one. */
static const char *failure_reason(
	struct explainer *x, const struct ctp_event *e, enum flip_kind kind)
{
	uint64_t v = e->operand.id ? (uint64_t)value_of(x, e->operand) : 0;

	switch (kind) {
	case FLIP_ASSERT: return "the other way is a failure";
	case FLIP_SWITCH: return e->kind == CTP_ASSERT ? "the other way is a failure" : NULL;
	case FLIP_DIVISOR: return "the divisor is zero";
	case FLIP_BOUNDS: return "the access is outside of its object";
	case FLIP_CALL: return v < NULL_END ? "a null pointer is called" : NULL;
	case FLIP_POINTER:
	case FLIP_INDEX:
		return v < NULL_END	? "the pointer is null"
		       : is_freed(x, v) ? "the memory was freed"
					: NULL;
	default: return NULL;
	}
}

/* ---- a guard whose other side fails ------------------------------------------------------------ */

/* The other edge of the branch leads to a failed assertion of the same line: its message tells it
 * from other failures. */
static bool fails_on_line(const struct explainer *x, const struct ctp_event *e)
{
	const struct ir_insn *in = insn_of(x, e);
	const struct ir_func *f = in ? &x->p->funcs.at[e->func] : NULL;
	const struct ir_pos *at, *here;
	const struct ir_block *b;

	if (!in || in->op != IR_CBR)
		return false;
	here = &x->p->positions.at[in->pos];
	b = &f->blocks.at[f->edges.at[in->arg[ctp_decided(e) ? 2 : 1]].to];
	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		uint32_t callee = ir_callee(f, &f->insns.at[i]);

		if (callee == IR_NONE || !asserts_name(ir_func_name(x->p, callee)))
			continue;
		at = &x->p->positions.at[f->insns.at[i].pos];
		return at->line == here->line && at->file == here->file;
	}
	return false;
}

void explain_guard(struct explainer *x)
{
	uint32_t event = x->v->nkeys ? x->v->key[0] : CTP_NONE;
	const struct ctp_event *e = event == CTP_NONE ? NULL : ctp_at(x->c, event);

	if (!e || e->kind != CTP_ASSERT || x->v->certain || !x->p || fails_on_line(x, e))
		return;
	x->f->flip = (struct finding_flip){.kind = branch_kind(x->c, event),
		.class_ = FLIP_BUG,
		.thread = e->thread,
		.func = e->func,
		.insn = e->insn,
		.index = e->index ? e->index - 1 : 0,
		.value = value_of_operand(x, e),
		.point = e->point};
}

/* ---- the flip of a BRANCH ---------------------------------------------------------------------- */

void explain_flip(struct explainer *x)
{
	const char *fails;
	uint32_t event = x->v->key[0];
	const struct ctp_event *e = ctp_at(x->c, event);
	struct strbuf then = {0}, now = {0};
	struct finding_flip *fl = &x->f->flip;
	enum flip_kind kind = branch_kind(x->c, event);

	if (kind == FLIP_INDEX && leaves_object(x, e, (uint64_t)value_of(x, e->operand)))
		kind = FLIP_BOUNDS;
	add_outcome(x, event, true, &then);
	add_outcome(x, event, false, &now);
	*fl = (struct finding_flip){.kind = kind,
		.class_ = FLIP_UNCLEAR,
		.recorded = strbuf_detach(&then),
		.flipped = strbuf_detach(&now),
		.thread = e->thread,
		.func = e->func,
		.insn = e->insn,
		.index = e->index ? e->index - 1 : 0,
		.value = value_of_operand(x, e),
		.address = address_of(x, e),
		.point = ctp_is_guard(e->kind) ? e->point : e->point + 1,
		.instances = instances_of(x, event)};
	fails = failure_reason(x, e, kind);
	if (fails) {
		fl->class_ = FLIP_BUG;
		fl->why = xstrdup(fails);
	}
	free(x->f->title);
	x->f->title = make_title(x, event, kind);
}
