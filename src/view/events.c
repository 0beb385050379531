/*
 * `heddle trace --events`: prints one line for each event. Each thread is re-executed separately
 * and its lines are stored in memory or a temporary file. Then they are printed in the observed
 * order, in blocks: the events of a thread between two synchronization events. A single thread is
 * printed during its re-execution.
 */
#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "finding/json.h"
#include "view/view.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPOOL_MEMORY = 1 << 20 };

struct spool {              /* the lines of one thread */
	struct strbuf text; /* lines that are not in the file yet */
	FILE *file;
	uint64_t written;     /* bytes in the file */
	VEC(uint64_t) begins; /* begins[k]: offset of block k + 1, which starts with event k */
	bool failed;
	/* the state of the thread during its re-execution */
	uint32_t events; /* synchronization events so far */
	double time;     /* of the last of them, in seconds */
	struct live_locals locals;
	struct strbuf line, var;
	struct json json;
};

struct printing {
	struct view *v;
	struct spool *spools; /* by thread */
	bool direct;          /* a single thread: lines go directly to the output */
};

/* ---- storing lines -------------------------------------------------------------------------- */

static void spill_lines(struct printing *p, struct spool *s)
{
	FILE *to = p->direct ? stdout : s->file;

	if (!s->text.n || s->failed)
		return;
	if (!to && !(to = s->file = tmpfile())) {
		s->failed = true;
		error_("cannot create a temporary file: %s", strerror(errno));
		return;
	}
	if (fwrite(s->text.s, 1, s->text.n, to) != s->text.n) {
		s->failed = true;
		error_("cannot write%s: %s", p->direct ? "" : " a temporary file", strerror(errno));
	}
	s->written += s->text.n;
	strbuf_clear(&s->text);
}

static void put_line(struct printing *p, struct spool *s)
{
	utf8_add_clean(&s->text, s->line.s, s->line.n);
	strbuf_addc(&s->text, '\n');
	if (s->text.n > SPOOL_MEMORY)
		spill_lines(p, s);
}

static void next_block(struct spool *s)
{
	vec_push(&s->begins, s->written + s->text.n);
}

/* ---- contents of a line --------------------------------------------------------------------- */

struct line {
	const char *kind;
	struct access_name name;
	struct strbuf *var, value; /* var: that of the spool */
	const struct follow_event *e;
	const struct sync_event *sync; /* FOLLOW_SYNC; else NULL */
	uint32_t gen;
};

static ir_type type_of(const struct view *v, const struct follow_event *e)
{
	const struct ir_insn *in;

	if (e->func >= v->p->funcs.n || e->insn >= v->p->funcs.at[e->func].insns.n)
		return IR_VOID;
	in = &v->p->funcs.at[e->func].insns.at[e->insn];
	return in->op == IR_STORE ? in->type2 : in->type;
}

static void add_value(struct view *v, struct line *l, struct val val)
{
	const struct follow_event *e = l->e;

	if (e->size > 16)
		strbuf_addf(&l->value, "%" PRIu64 " bytes", e->size);
	else
		names_value(&l->value, v->p, l->name.dtype, type_of(v, e), e->size, val);
}

static void add_bytes_of(struct line *l)
{
	const struct follow_event *e = l->e;

	strbuf_addf(&l->value, "%" PRIu64 " byte%s", e->size, e->size == 1 ? "" : "s");
	if (!e->bytes || !e->size)
		return;
	strbuf_addc(&l->value, ':');
	for (uint64_t i = 0; i < MIN(e->size, 16u); i++)
		strbuf_addf(&l->value, " %02x", e->bytes[i]);
	if (e->size > 16)
		strbuf_adds(&l->value, " …");
}

static void describe_data(struct printing *p, uint32_t thread, struct spool *s, struct line *l)
{
	const struct follow_event *e = l->e;
	const struct insn_names *in = names_of(&p->v->names, e->func, e->insn);
	const struct live_local *own = live_locals_at(&s->locals, e->addr);
	bool native = e->kind == FOLLOW_NATIVE_READ || e->kind == FOLLOW_NATIVE_WRITE;
	bool bulk = !native && e->func < p->v->p->funcs.n &&
		    ir_ops[p->v->p->funcs.at[e->func].insns.at[e->insn].op].shape == IR_S_BULK;

	if (!native)
		l->name = bulk && e->kind == FOLLOW_READ ? in->from : in->to;
	if (l->name.text) {
		strbuf_adds(l->var, l->name.text);
	} else if (own && p->v->p->funcs.at[own->func].locals.at[own->local].name) {
		const struct ir_local *lo = &p->v->p->funcs.at[own->func].locals.at[own->local];

		strbuf_adds(l->var, ir_str(p->v->p, lo->name));
		names_path(l->var, p->v->p, lo->dtype, e->addr - own->base, e->size);
	} else {
		l->gen = view_generation(p->v, thread, s->events, e->addr);
		view_data(l->var, p->v, e->addr, e->size, l->gen);
	}
	if (native || bulk || e->size > 16) {
		add_bytes_of(l);
	} else if (e->kind == FOLLOW_RMW) {
		add_value(p->v, l, e->old);
		strbuf_adds(&l->value, " -> ");
		add_value(p->v, l, e->value);
	} else if (e->kind == FOLLOW_CAS_FAIL) {
		add_value(p->v, l, e->old);
		strbuf_adds(&l->value, ", compare failed");
	} else {
		add_value(p->v, l, e->value);
	}
}

static void describe_sync(struct printing *p, uint32_t thread, struct spool *s, struct line *l)
{
	const struct sync_event *e = l->sync;

	l->kind = sync_kind_name(e->kind);
	if (e->object)
		view_sync_object(l->var, p->v, thread, s->events - 1);
	switch (e->kind) {
	case LOG_S_ALLOC:
		strbuf_addf(&l->value, "%" PRIu64 " bytes at 0x%" PRIx64, e->value, e->object);
		break;
	case LOG_S_FREE:
	case LOG_S_REALLOC: strbuf_addf(&l->value, "0x%" PRIx64, e->object); break;
	case LOG_S_CREATE:
	case LOG_S_JOIN:
	case LOG_S_DETACH:
	case LOG_S_CANCEL:
		if (e->extra != LOG_NONE)
			strbuf_addf(&l->value, "thread %u", view_thread_id(p->v, e->extra));
		break;
	default: break;
	}
	if (e->result && !(e->flags & LOG_F_MORE) && e->kind != LOG_S_FORK &&
		e->kind != LOG_S_BARRIER_LEAVE)
		strbuf_addf(&l->value, "%sreturned %d%s%s", l->value.n ? ", " : "", e->result,
			e->result > 1 && strerrorname_np(e->result) ? " " : "",
			e->result > 1 && strerrorname_np(e->result) ? strerrorname_np(e->result)
								    : "");
}

static void describe_line(struct printing *p, uint32_t thread, struct spool *s, struct line *l)
{
	const struct follow_event *e = l->e;
	const struct ir_program *ir = p->v->p;

	l->kind = event_kind_name(e->kind);
	switch (e->kind) {
	case FOLLOW_SYNC: describe_sync(p, thread, s, l); break;
	case FOLLOW_BRANCH:
		strbuf_addf(&l->value, "%s",
			ir->funcs.at[e->func].insns.at[e->insn].op == IR_CBR
				? e->taken ? "false" : "true"
				: "");
		if (!l->value.n)
			strbuf_addf(&l->value, "%" PRIu64, e->value.lo);
		break;
	case FOLLOW_BLOCKED:
	case FOLLOW_CALL:
	case FOLLOW_RETURN:
	case FOLLOW_ENTER:
	case FOLLOW_LEAVE:
		strbuf_adds(l->var,
			e->callee < ir->funcs.n ? ir_func_name(ir, e->callee) : "(a pointer)");
		if (e->kind == FOLLOW_RETURN && type_of(p->v, e) != IR_VOID)
			names_value(&l->value, ir, 0, type_of(p->v, e),
				ir_type_bytes(type_of(p->v, e)), e->value);
		break;
	case FOLLOW_LOCAL:
		strbuf_adds(l->var, ir_str(ir, ir->funcs.at[e->func].locals.at[e->local].name));
		strbuf_addf(&l->value, "%" PRIu64 " bytes at 0x%" PRIx64, e->size, e->addr);
		break;
	case FOLLOW_BEGIN: view_thread_name(l->var, p->v, thread); break;
	case FOLLOW_END:
	case FOLLOW_FENCE: break;
	default: describe_data(p, thread, s, l);
	}
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void text_line(struct printing *p, uint32_t thread, struct spool *s, const struct line *l)
{
	struct strbuf *b = &s->line;

	strbuf_clear(b);
	strbuf_addf(b, "%12.6f  T%-3u %s", s->time, view_thread_id(p->v, thread), l->kind);
	view_pad_to(b, 34);
	if (l->e->func < p->v->p->funcs.n)
		names_pos(b, p->v->p, l->e->func, l->e->insn);
	view_pad_to(b, 60);
	if (l->var->n)
		strbuf_adds(b, l->var->s);
	view_pad_to(b, 84);
	if (l->value.n)
		strbuf_adds(b, l->value.s);
	while (b->n && b->s[b->n - 1] == ' ')
		b->s[--b->n] = 0;
}

static void json_line(struct printing *p, uint32_t thread, struct spool *s, const struct line *l)
{
	const struct follow_event *e = l->e;
	struct strbuf place = {0};
	struct json *j = &s->json;

	strbuf_clear(&s->line);
	j->out = &s->line;
	json_object(j, NULL);
	json_double(j, "time", s->time);
	json_u64(j, "thread", view_thread_id(p->v, thread));
	json_str(j, "kind", l->kind);
	json_u64(j, "index", e->index);
	if (e->func < p->v->p->funcs.n) {
		names_pos(&place, p->v->p, e->func, e->insn);
		json_str(j, "place", place.s);
		json_str(j, "function", ir_func_name(p->v->p, e->func));
	}
	if (l->var->n)
		json_str(j, "variable", l->var->s);
	if (l->sync && l->sync->object)
		json_addr(j, "address", l->sync->object);
	else if (e->addr)
		json_addr(j, "address", e->addr);
	if (e->size && e->addr)
		json_u64(j, "size", e->size);
	if (l->value.n)
		json_str(j, "value", l->value.s);
	if (l->sync) {
		json_i64(j, "result", l->sync->result);
		json_u64(j, "seq", l->sync->seq);
	}
	json_end(j);
	strbuf_release(&place);
}

/* ---- selection of events -------------------------------------------------------------------- */

static bool at_location(const struct printing *p, const struct line *l)
{
	const char *want = p->v->location;
	size_t n;

	if (!want)
		return true;
	if (p->v->address) {
		uint64_t a = l->sync ? l->sync->object : l->e->addr;

		return a && p->v->address >= a && p->v->address - a < MAX(l->sync ? 1 : l->e->size, 1u);
	}
	n = strlen(want);
	if (l->var->n < n || strncmp(l->var->s, want, n))
		return false;
	/* 'queue' matches 'queue->count', but not 'queues' */
	return l->var->s[n] != '_' && !isalnum((unsigned char)l->var->s[n]);
}

static bool is_wanted(const struct printing *p, uint32_t thread, const struct follow_event *e)
{
	const struct view *v = p->v;

	if (bitset_count(&v->only) && !bitset_has(&v->only, thread))
		return false;
	if (!(v->kinds & FOLLOW_BIT(e->kind)))
		return false;
	return e->kind != FOLLOW_SYNC || !bitset_count(&v->sync_kinds) ||
	       bitset_has(&v->sync_kinds, e->sync->kind);
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct printing *p = ctx;
	struct spool *s = &p->spools[thread];
	const struct sync_thread *h = &p->v->c.h.threads.at[thread];
	struct line l = {.e = e, .var = &s->var};

	(void)f;
	if (e->kind == FOLLOW_SYNC || e->kind == FOLLOW_BEGIN || e->kind == FOLLOW_END) {
		next_block(s);
		if (s->events < h->events.n) {
			s->time = trace_time(p->v->t, sync_order_time(&p->v->c.o, thread, s->events));
			l.sync = &h->events.at[s->events++];
		}
	} else if (e->kind == FOLLOW_LOCAL) {
		live_locals_add(&s->locals, e->addr, e->size, e->func, e->local, s->events);
	}
	if (!is_wanted(p, thread, e))
		return;
	strbuf_clear(&s->var);
	if (e->kind != FOLLOW_SYNC)
		l.sync = NULL;
	describe_line(p, thread, s, &l);
	if (at_location(p, &l)) {
		(p->v->json ? json_line : text_line)(p, thread, s, &l);
		put_line(p, s);
	}
	strbuf_release(&l.value);
}

/* ---- in the observed order ------------------------------------------------------------------ */

static int copy_block(struct spool *s, uint64_t from, uint64_t to)
{
	char buf[65536];

	if (from < s->written && fseeko(s->file, (off_t)from, SEEK_SET))
		return error_("cannot read a temporary file: %s", strerror(errno));
	while (from < MIN(to, s->written)) {
		size_t n = fread(buf, 1, MIN(sizeof buf, MIN(to, s->written) - from), s->file);

		if (!n)
			return error_("cannot read a temporary file: %s", strerror(errno));
		fwrite(buf, 1, n, stdout);
		from += n;
	}
	if (from < to)
		fwrite(s->text.s + (from - s->written), 1, to - from, stdout);
	return 0;
}

static int print_block(struct spool *s, uint32_t block)
{
	uint64_t from = block ? s->begins.at[block - 1] : 0;
	uint64_t to = block < s->begins.n ? s->begins.at[block] : s->written + s->text.n;

	return from < to ? copy_block(s, from, to) : 0;
}

static int print_merged(struct printing *p)
{
	const struct sync_order *o = &p->v->c.o;
	int rc = 0;

	for (uint32_t t = 0; t < trace_nthreads(p->v->t) && !rc; t++)
		rc = print_block(&p->spools[t], 0);
	for (uint32_t r = 0; r < o->n && !rc; r++) {
		const struct order_point *pt = &o->at[r];

		if (!pt->part && pt->event < p->spools[pt->thread].begins.n)
			rc = print_block(&p->spools[pt->thread], pt->event + 1);
	}
	return rc;
}

/* Warns about threads that were not reproduced: their events end too early. */
static void print_fates(struct printing *p)
{
	struct view *v = p->v;

	for (uint32_t t = 0; t < trace_nthreads(v->t); t++) {
		struct strbuf b = {0};

		if ((!bitset_count(&v->only) || bitset_has(&v->only, t)) &&
			!view_thread_fate(&b, v, t))
			warn_("thread %u: %s", view_thread_id(v, t), b.s);
		strbuf_release(&b);
	}
}

int view_events(struct view *v)
{
	uint32_t n = trace_nthreads(v->t);
	struct printing p = {.v = v, .direct = n == 1 || bitset_count(&v->only) == 1};
	struct trace_observer o = {.event = on_event,
		.ctx = &p,
		.kinds = v->kinds | FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_BEGIN) |
			 FOLLOW_BIT(FOLLOW_END) | FOLLOW_BIT(FOLLOW_LOCAL)};
	int status = 0;

	p.spools = xcalloc((size_t)n + 1, sizeof *p.spools);
	if (trace_follow(v->t, &o, bitset_count(&v->only) ? &v->only : NULL, v->jobs))
		status = -1;
	for (uint32_t t = 0; t < n; t++) {
		if (p.direct || p.spools[t].file)
			spill_lines(&p, &p.spools[t]);
		if (p.spools[t].failed)
			status = -1;
	}
	if (!status && !p.direct && print_merged(&p))
		status = -1;
	if (fflush(stdout) || ferror(stdout))
		status = -1;
	print_fates(&p);
	for (uint32_t t = 0; t < n; t++) {
		struct spool *s = &p.spools[t];

		if (s->file)
			fclose(s->file);
		strbuf_release(&s->text);
		strbuf_release(&s->line);
		strbuf_release(&s->var);
		vec_release(&s->begins);
		live_locals_release(&s->locals);
	}
	free(p.spools);
	return status;
}
