/*
 * Extraction of calls that access state of the library or the system (log/hidden.h): makes HIDDEN
 * events, and finds out which calls are about the same object. The calls of the main thread before
 * the first thread make no events, but their handles are noted.
 *
 * A thread that opened an object itself knows it. For other threads the handle alone says which
 * object it is; hidden_settle() looks it up when all threads were extracted.
 */
#include "extract/extract_internal.h"

#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/hidden.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { PATH = 4096 };

/* Marks the cells that are versions of state. */
static void mark_versions(struct extractor *x)
{
	static const char prefix[] = "__heddle_version_";

	vec_each (&x->p->globals, g) {
		uint64_t at;

		if (strncmp(ir_str(x->p, x->p->globals.at[g].name), prefix, sizeof prefix - 1))
			continue;
		at = follow_global_addr(trace_snapshot(x->t), g);
		vec_each (&x->c->cells, i)
			x->c->cells.at[i].version |=
				x->c->cells.at[i].addr - at < x->p->globals.at[g].size;
	}
}

void hidden_find(struct extractor *x)
{
	mark_versions(x);
	x->hidden = xcalloc(x->p->funcs.n + 1, sizeof *x->hidden);
	vec_each (&x->p->funcs, i)
		if (x->p->funcs.at[i].flags & IR_FN_EXTERN)
			x->hidden[i] = hidden_next(NULL, ir_func_name(x->p, i));
}

/* ---- objects -------------------------------------------------------------------------------- */

static uint64_t argument(const struct extractor *x, int8_t i)
{
	return i >= 0 && (uint32_t)i < x->tr->arg_vals.n ? (uint64_t)x->tr->arg_vals.at[i] : 0;
}

/* A number for a handle, never 0. */
static uint64_t handle_key(uint8_t state, uint64_t handle)
{
	uint64_t value = state == HIDDEN_DESCRIPTOR ? (uint32_t)handle : handle;

	return hash_mix(hash_mix(state + 1, 1), value) | 1;
}

/* A number for the file of that name, never 0; 0 if the name is not known. */
static uint64_t path_key(const struct follow *f, uint64_t at)
{
	char path[PATH];
	uint32_t n = 0;

	char dot[2];

	while (at && follow_memory(f, at, dot, 2) && dot[0] == '.' && dot[1] == '/')
		at += 2;
	while (at && n < PATH && follow_memory(f, at + n, &path[n], 1) && path[n])
		n++;
	return n ? hash_mix(hash_bytes(path, n), 2) | 1 : 0;
}

/* A number for a new object of the current thread, the same in each run. */
static uint64_t new_object(const struct extractor *x)
{
	return hash_mix(hash_mix(x->tr->thread + 1, 3), ++x->tr->opened) | 1;
}

static struct hidden_object *find_object(const struct extractor *x, uint64_t key)
{
	uint64_t *own = map_get(&x->tr->handles, key);

	return own ? &x->tr->hidden_objects.at[*own - 1] : NULL;
}

/* The thread has made or opened the object and knows it by the handle. */
static void note_handle(struct extractor *x, uint64_t key, struct hidden_object o)
{
	uint64_t *all = map_put(&x->handles, key);

	vec_push(&x->tr->hidden_objects, o);
	*map_put(&x->tr->handles, key) = x->tr->hidden_objects.n;
	vec_push(&x->hidden_objects, o);
	if (!*all)
		*all = x->hidden_objects.n;
	else if (x->hidden_objects.at[*all - 1].object != o.object)
		x->hidden_objects.at[*all - 1].several = true;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static bool begins_with_r(const struct follow *f, uint64_t mode)
{
	char c[2] = {0};

	return mode && follow_memory(f, mode, c, 2) && c[0] == 'r';
}

/* What the call does: an open that does not create or truncate only reads the file system. */
static uint8_t get_access(
	const struct extractor *x, const struct follow *f, const struct hidden_fn *fn)
{
	uint64_t flags = argument(x, (int8_t)(fn->arg + 1));

	if (fn->state != HIDDEN_FILES)
		return fn->access;
	if (!strncmp(fn->name, "fopen", 5) || !strncmp(fn->name, "freopen", 7))
		return begins_with_r(f, flags) ? HIDDEN_READS : fn->access;
	if ((!strncmp(fn->name, "open", 4) || !strncmp(fn->name, "__open", 6)) &&
		!(flags & (O_CREAT | O_TRUNC)))
		return HIDDEN_READS;
	return fn->access;
}

/* The call may return without data: its descriptor is open in that mode, or it asks for it. */
static bool never_waits(const struct extractor *x, const struct hidden_fn *fn,
	const struct hidden_object *o)
{
	return !o || !o->waits ||
	       (!strncmp(fn->name, "recv", 4) && (argument(x, 3) & MSG_DONTWAIT));
}

static void name_object(struct extractor *x, const struct follow *f, const struct hidden_fn *fn,
	struct ctp_event *e)
{
	struct ctp_hidden *h = &e->of.hidden;
	struct hidden_object *o;

	if (fn->arg < 0)
		return;
	if (fn->state == HIDDEN_FILES) {
		h->object = path_key(f, argument(x, fn->arg));
		return;
	}
	h->object = handle_key(fn->state, argument(x, fn->arg));
	o = find_object(x, h->object);
	if (o) {
		h->object = o->object;
		h->contents = o->contents;
	}
	h->waits = !never_waits(x, fn, o);
}

/* Calls between two synchronization events are alike for the order of threads: one event for all of
 * them is enough, unless the number of bytes matters. */
static bool is_repeated(struct extractor *x, const struct ctp_event *e)
{
	const struct ctp_hidden *h = &e->of.hidden;
	uint64_t key = hash_mix(hash_mix(hash_mix(h->fn->state + 1, h->object), h->contents),
		(e->flags & (CTP_WROTE | CTP_HAD_READ)) << 1 | h->versioned);
	uint64_t *seen = map_put(&x->tr->hidden_seen, key);
	bool repeated = *seen;

	*seen = 1;
	return repeated && h->fn->state != HIDDEN_DESCRIPTOR;
}

static void put_access(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn,
	const struct hidden_fn *fn)
{
	struct tracer *tr = x->tr;
	uint8_t access = get_access(x, f, fn);
	struct ctp_event *e = extract_event(x, CTP_HIDDEN, f, func, insn);

	e->of.hidden = (struct ctp_hidden){.fn = fn};
	e->flags |= (uint16_t)((access & HIDDEN_READS ? CTP_HAD_READ : 0) |
			       (access & HIDDEN_WRITES ? CTP_WROTE : 0));
	e->of.hidden.versioned = tr->versioned && (fn->access & HIDDEN_VERSIONED);
	name_object(x, f, fn, e);
	if (!tr->on || tr->cut || is_repeated(x, e)) {
		x->c->events.n--;
		x->rank.n--;
	} else if (fn->state == HIDDEN_DESCRIPTOR) {
		tr->hidden_event = x->c->events.n - 1;
	}
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Whether the call makes its event when it returns: then what it read of the program's memory comes
 * before, as it does for output that another thread receives. */
static bool comes_last(const struct hidden_fn *fn)
{
	return fn->access == HIDDEN_WRITES;
}

static void put_accesses(
	struct extractor *x, struct follow *f, uint32_t func, uint32_t insn, bool last)
{
	const struct hidden_fn *fn = x->hidden[x->tr->callee];

	for (; fn; fn = hidden_next(fn, fn->name))
		if (fn->row == HIDDEN_ACCESS && comes_last(fn) == last)
			put_access(x, f, func, insn, fn);
}

void hidden_call(struct extractor *x, struct follow *f, uint32_t func, uint32_t insn)
{
	x->tr->hidden_event = CTP_NONE;
	if (x->tr->callee < x->p->funcs.n && x->hidden[x->tr->callee])
		put_accesses(x, f, func, insn, false);
}

static void note_open(
	struct extractor *x, const struct follow *f, const struct hidden_fn *fn, uint64_t result)
{
	struct hidden_object o = {.object = new_object(x)};

	if (fn->arg >= 0)
		o.contents = path_key(f, argument(x, fn->arg));
	note_handle(x, handle_key(fn->state, result), o);
}

/* A pipe or a pair of sockets: a read waits for data, unless the pair is made otherwise. */
static void note_pair(struct extractor *x, const struct follow *f, const struct hidden_fn *fn)
{
	struct hidden_object o = {.object = new_object(x), .waits = true};
	int32_t fds[2];

	if (!follow_memory(f, argument(x, fn->arg), fds, sizeof fds))
		return;
	if (!strcmp(fn->name, "pipe2"))
		o.waits = !(argument(x, 1) & O_NONBLOCK);
	if (!strcmp(fn->name, "socketpair"))
		o.waits = !(argument(x, 1) & SOCK_NONBLOCK);
	o.contents = o.object;
	for (uint32_t i = 0; i < 2; i++)
		note_handle(x, handle_key(fn->state, (uint32_t)fds[i]), o);
}

static void note_alias(struct extractor *x, const struct hidden_fn *fn, uint64_t result)
{
	uint64_t of = handle_key(fn->of, argument(x, fn->arg));
	struct hidden_object *o = find_object(x, of);

	note_handle(x, handle_key(fn->state, result), o ? *o : (struct hidden_object){.object = of});
}

/* The mode of a descriptor may have changed. */
static void note_mode(struct extractor *x)
{
	uint64_t *own = map_get(&x->handles, handle_key(HIDDEN_DESCRIPTOR, argument(x, 0)));

	x->mode_changes |= !own || argument(x, 1) == F_SETFL;
}

/* Whether the result of the call is the number of bytes that it transferred. */
static bool transfers_bytes(const struct hidden_fn *fn)
{
	return fn->state == HIDDEN_DESCRIPTOR && fn->arg >= 0 &&
	       (comes_last(fn) || strstr(fn->name, "read") || strstr(fn->name, "recv"));
}

/* Counts the bytes that the thread has transferred, if each of its calls was seen. */
static void note_bytes(struct extractor *x, const struct hidden_fn *fn, int64_t n)
{
	struct tracer *tr = x->tr;
	uint64_t object = handle_key(fn->state, argument(x, fn->arg));
	struct hidden_object *o = find_object(x, object);
	uint64_t *sum = map_put(&tr->transferred,
		hash_mix(o ? o->object : object, comes_last(fn) ? 1 : 2));

	*sum += n > 0 ? (uint64_t)n : 0;
	if (tr->hidden_event == CTP_NONE) {
		if (n > 0 && !tr->on)
			*map_put(&x->early_bytes, o ? o->object : object) = 1;
	} else if (n > 0 && !x->chunk) {
		x->c->events.at[tr->hidden_event].of.hidden.end = *sum;
		x->c->events.at[tr->hidden_event].of.hidden.full = (uint64_t)n == argument(x, 2);
	}
}

void hidden_return(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	const struct hidden_fn *fn = e->callee < x->p->funcs.n ? x->hidden[e->callee] : NULL;
	int64_t result = (int64_t)e->value.lo;

	if (!fn || e->callee != x->tr->callee)
		return;
	put_accesses(x, f, e->func, e->insn, true);
	if (!strncmp(fn->name, "fcntl", 5) || !strcmp(fn->name, "ioctl"))
		note_mode(x);
	for (; fn; fn = hidden_next(fn, fn->name)) {
		if (fn->row == HIDDEN_OPENS)
			note_open(x, f, fn, e->value.lo);
		else if (fn->row == HIDDEN_PAIRS)
			note_pair(x, f, fn);
		else if (fn->row == HIDDEN_ALIASES)
			note_alias(x, fn, e->value.lo);
		else if (transfers_bytes(fn))
			note_bytes(x, fn, result);
	}
}

void hidden_synchronized(struct extractor *x)
{
	map_clear(&x->tr->hidden_seen);
}

/* ---- when all threads were extracted -------------------------------------------------------- */

void hidden_settle(struct extractor *x)
{
	vec_each (&x->c->events, i) {
		struct ctp_event *e = &x->c->events.at[i];
		const struct hidden_object *o;
		uint64_t *all;

		if (e->kind != CTP_HIDDEN)
			continue;
		all = map_get(&x->handles, e->of.hidden.object);
		o = all ? &x->hidden_objects.at[*all - 1] : NULL;
		if (o && !o->several) {
			e->of.hidden.object = o->object;
			e->of.hidden.contents = o->contents;
			e->of.hidden.waits |= o->waits && strncmp(e->of.hidden.fn->name, "recv", 4);
		}
		e->of.hidden.waits &= !x->mode_changes;
		if (map_get(&x->early_bytes, e->of.hidden.object))
			e->of.hidden.end = 0;
	}
}
