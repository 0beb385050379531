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
#include "trace/file_names.h"
#include "log/hidden.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* The earlier part of the run, which a chunk lacks, may have redirected a standard stream. */
static void guess_redirected(struct extractor *x)
{
	static const char *const names[] = {"dup2", "dup3", "freopen", "freopen64"};

	vec_each (&x->p->funcs, i)
		for (uint32_t k = 0; x->chunk && x->hidden[i] && k < ARRAY_SIZE(names); k++)
			x->redirected |= !strcmp(x->hidden[i]->name, names[k]);
}

void hidden_find(struct extractor *x)
{
	mark_versions(x);
	file_names_init(&x->file_names, x->p, x->t ? trace_meta(x->t)->cwd : NULL);
	x->hidden = xcalloc(x->p->funcs.n + 1, sizeof *x->hidden);
	vec_each (&x->p->funcs, i)
		if (x->p->funcs.at[i].flags & IR_FN_EXTERN)
			x->hidden[i] = hidden_next(NULL, ir_func_name(x->p, i));
	guess_redirected(x);
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

/* The directory that the path of the call is relative to is an open one. */
static bool is_relative(const struct extractor *x, const struct hidden_fn *fn, const char *path)
{
	return fn->arg == 1 && path[0] != '/' && (int32_t)argument(x, 0) != AT_FDCWD;
}

/* A number for the file that the call names; 0: it may be any. */
static uint64_t get_path_key(
	const struct extractor *x, const struct follow *f, const struct hidden_fn *fn)
{
	uint64_t at = argument(x, fn->arg);
	char path[PATH] = "";
	uint32_t n = 0;

	while (at && n < PATH - 1 && follow_memory(f, at + n, &path[n], 1) && path[n])
		n++;
	path[n] = 0;
	return is_relative(x, fn, path) ? 0 : file_names_key(&x->file_names, path);
}

/* A number for a new object of the current thread, the same in each run. */
static uint64_t new_object(const struct extractor *x)
{
	return hash_mix(hash_mix(x->tr->thread + 1, 3), ++x->tr->opened) | 1;
}

static struct hidden_object *find_object(const struct extractor *x, uint64_t key)
{
	uint64_t *own = map_get(&x->tr->handles, key);

	return own && *own ? &x->tr->hidden_objects.at[*own - 1] : NULL;
}

/* The thread has made or opened the object and knows it by the handle. Before there are other
 * threads, the last object of a handle is the one that they find. */
static void note_handle(struct extractor *x, uint64_t key, struct hidden_object o)
{
	uint64_t *all = map_put(&x->handles, key);

	o.handle = key;
	if (!x->tr->on && !x->tr->thread && !x->chunk)
		*all = 0;
	vec_push(&x->tr->hidden_objects, o);
	*map_put(&x->tr->handles, key) = x->tr->hidden_objects.n;
	vec_push(&x->hidden_objects, o);
	if (!*all)
		*all = x->hidden_objects.n;
	else if (x->hidden_objects.at[*all - 1].object != o.object)
		x->hidden_objects.at[*all - 1].several = true;
}

/* ---- standard streams ----------------------------------------------------------------------- */

/*
 * What a thread writes to the standard output is seen outside only, until the program closes or
 * replaces one of the standard streams. From then on they count as any file. A program that does so
 * while threads exist gets a limit: threads that were extracted before would lack events.
 */

static bool is_reopening(const struct hidden_fn *fn)
{
	return !strncmp(fn->name, "freopen", 7);
}

static bool is_standard(const struct extractor *x, const struct hidden_fn *fn)
{
	uint64_t handle = argument(x, fn->arg);

	if (fn->state == HIDDEN_DESCRIPTOR)
		return (uint32_t)handle <= STDERR_FILENO;
	return !find_object(x, handle_key(fn->state, handle)) &&
	       !map_get(&x->handles, handle_key(fn->state, handle));
}

/* The call closes or replaces the object of its handle, which may be a standard stream. */
static void note_closed(struct extractor *x, const struct hidden_fn *fn)
{
	if (!is_standard(x, fn) && !is_reopening(fn))
		return;
	if (!x->tr->on)
		x->redirected = true;
	else if (fn->state == HIDDEN_STREAM && !is_reopening(fn))
		vec_push(&x->closed_streams, handle_key(fn->state, argument(x, fn->arg)));
	else
		x->closed_late = true;
}

/* The result of the call is a new handle: maybe that of a standard stream that was closed. */
static void note_opened(struct extractor *x, const struct hidden_fn *fn)
{
	if (!(fn->row == HIDDEN_ALIASES && fn->of == HIDDEN_STREAM)) /* fileno() */
		x->opened_late |= x->tr->on;
}

/* When the objects of all threads are known. */
static void settle_redirected(struct extractor *x)
{
	vec_each (&x->closed_streams, i)
		x->closed_late |= !map_get(&x->handles, x->closed_streams.at[i]);
	if (!x->closed_late || !x->opened_late)
		return;
	x->redirected = true;
	extract_limit(x, "a standard stream may be redirected while threads exist");
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The mode of fopen() neither creates nor truncates the file. */
static bool begins_with_r(const struct follow *f, uint64_t mode)
{
	char c[2] = {0};

	return mode && follow_memory(f, mode, c, 2) && c[0] == 'r';
}

/* The mode of fopen() does not allow writing. */
static bool is_read_mode(const struct follow *f, uint64_t mode)
{
	char c[8] = "";
	uint32_t n = 0;

	while (n < sizeof c - 1 && follow_memory(f, mode + n, &c[n], 1) && c[n])
		n++;
	return c[0] == 'r' && n < sizeof c - 1 && !strchr(c, '+');
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
static bool never_waits(
	const struct extractor *x, const struct hidden_fn *fn, const struct hidden_object *o)
{
	return !o || !o->waits ||
	       (!strncmp(fn->name, "recv", 4) && (argument(x, 3) & MSG_DONTWAIT));
}

/* The call ends the use of a handle, which may be used for another object then. */
static bool ends_handle(const struct hidden_fn *fn)
{
	static const char *const names[] = {"close", "fclose", "dup2", "dup3", "pclose"};

	for (uint32_t i = 0; fn->row == HIDDEN_ACCESS && i < sizeof names / sizeof *names; i++)
		if (!strcmp(fn->name, names[i]))
			return true;
	return false;
}

/* The close of a descriptor leaves the contents as they are; of a pipe, too, where it only ends them.
 * That of a stream writes what is in its buffer. */
static uint64_t get_contents(const struct hidden_fn *fn, const struct hidden_object *o)
{
	return ends_handle(fn) && (fn->state != HIDDEN_STREAM || o->only_read) ? 0 : o->contents;
}

/* Closing, seeking and reading may write the buffer of a stream first. o NULL: not known. */
static bool may_flush(const struct hidden_fn *fn, const struct hidden_object *o)
{
	return fn->state == HIDDEN_STREAM && (fn->access & HIDDEN_WRITES) && !(o && o->only_read);
}

/* The call may be about any object of its state. */
static void forget_object(struct ctp_hidden *h)
{
	h->object = 0;
	h->contents = CTP_ANY_FILE;
	h->waits = false;
	h->end = 0;
}

static void name_object(struct extractor *x, const struct follow *f, const struct hidden_fn *fn,
	struct ctp_event *e)
{
	struct ctp_hidden *h = &e->of.hidden;
	struct hidden_object *o;

	if (fn->arg < 0)
		return;
	if (fn->state == HIDDEN_FILES) {
		h->object = get_path_key(x, f, fn);
		h->contents = h->object ? 0 : CTP_ANY_FILE;
		h->versioned &= h->object != 0;
		return;
	}
	h->flushes = may_flush(fn, NULL);
	if (fn->state == HIDDEN_STREAM && !argument(x, fn->arg)) { /* fflush(NULL): all of them */
		forget_object(h);
		return;
	}
	h->object = handle_key(fn->state, argument(x, fn->arg));
	o = find_object(x, h->object);
	if (o) {
		h->object = o->object;
		h->contents = get_contents(fn, o);
		h->flushes = may_flush(fn, o);
	}
	h->waits = !never_waits(x, fn, o);
	if (ends_handle(fn) && !(o && o->only_written))
		e->flags |= CTP_HAD_READ; /* a read would fail */
}

/* Calls between two other events of the thread are alike for the order of threads: one event for
 * all of them is enough, unless the number of bytes matters. */
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
	const struct hidden_fn *fn, uint8_t access)
{
	struct tracer *tr = x->tr;
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

/* ---- buffers that results point to ----------------------------------------------------------- */

void hidden_read(struct extractor *x, struct follow *f, const struct follow_event *e)
{
	const struct hidden_fn *fn = cells_buffer(&x->cells, e->addr);

	if (fn)
		put_access(x, f, e->func, e->insn, fn, HIDDEN_READS);
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
		if (fn->row == HIDDEN_ACCESS && comes_last(fn) == last &&
			(fn->state != HIDDEN_OUTPUT || x->redirected))
			put_access(x, f, func, insn, fn, get_access(x, f, fn));
}

bool hidden_sends(const struct extractor *x)
{
	const struct hidden_fn *fn =
		x->tr->callee < x->p->funcs.n ? x->hidden[x->tr->callee] : NULL;

	if (!fn || !comes_last(fn))
		return false;
	return x->redirected ||
	       ((fn->state == HIDDEN_DESCRIPTOR || fn->state == HIDDEN_STREAM) &&
		       !is_standard(x, fn));
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

	if (fn->arg >= 0) {
		o.contents = get_path_key(x, f, fn);
		o.contents = o.contents ? o.contents : CTP_ANY_FILE;
		o.only_read = fn->state == HIDDEN_STREAM &&
			      is_read_mode(f, argument(x, (int8_t)(fn->arg + 1)));
	}
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
	for (uint32_t i = 0; i < 2; i++) {
		o.only_written = i && strcmp(fn->name, "socketpair");
		note_handle(x, handle_key(fn->state, (uint32_t)fds[i]), o);
	}
}

static void note_alias(struct extractor *x, const struct hidden_fn *fn, uint64_t result)
{
	uint64_t of = handle_key(fn->of, argument(x, fn->arg));
	struct hidden_object *o = find_object(x, of);

	note_handle(
		x, handle_key(fn->state, result), o ? *o : (struct hidden_object){.object = of});
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

/* The result is the number of bytes that the third argument asked for. */
static bool is_full(const struct extractor *x, const struct hidden_fn *fn, int64_t n)
{
	return (uint64_t)n == argument(x, 2) && !strstr(fn->name, "readv") &&
	       !strstr(fn->name, "recvmsg");
}

/* The bytes stay in the pipe, or go elsewhere than the counts say. */
static bool is_uncounted(const struct extractor *x, const struct hidden_fn *fn)
{
	return (!strncmp(fn->name, "recv", 4) || !strcmp(fn->name, "__recv_chk")) &&
	       (argument(x, !strcmp(fn->name, "recvmsg")      ? 2
			    : !strcmp(fn->name, "__recv_chk") ? 4
							      : 3) &
		       MSG_PEEK);
}

/* A hash of the n bytes that the call wrote, never 0; 0: not known. */
static uint32_t hash_data(
	const struct extractor *x, const struct follow *f, const struct hidden_fn *fn, uint32_t n)
{
	unsigned char bytes[PIPE_BUF];

	if ((strcmp(fn->name, "write") && strcmp(fn->name, "send")) || n > sizeof bytes ||
		!follow_memory(f, argument(x, 1), bytes, n))
		return 0;
	return (uint32_t)hash_bytes(bytes, n) | 1;
}

static void note_transfer(struct extractor *x, const struct follow *f, const struct hidden_fn *fn,
	uint64_t sum, int64_t n)
{
	struct ctp_hidden *h = &x->c->events.at[x->tr->hidden_event].of.hidden;

	h->end = sum;
	h->bytes = (uint32_t)MIN(n, UINT32_MAX);
	h->full = is_full(x, fn, n);
	h->data = comes_last(fn) ? hash_data(x, f, fn, h->bytes) : 0;
}

/* Counts the bytes that the thread has transferred, if each of its calls was seen. */
static void note_bytes(
	struct extractor *x, const struct follow *f, const struct hidden_fn *fn, int64_t n)
{
	struct tracer *tr = x->tr;
	uint64_t object = handle_key(fn->state, argument(x, fn->arg));
	struct hidden_object *o = find_object(x, object);
	uint64_t *sum =
		map_put(&tr->transferred, hash_mix(o ? o->object : object, comes_last(fn) ? 1 : 2));

	*sum += n > 0 ? (uint64_t)n : 0;
	if (n > 0 && ((tr->hidden_event == CTP_NONE && !tr->on) || is_uncounted(x, fn)))
		*map_put(&x->early_bytes, o ? o->object : object) = 1;
	else if (n > 0 && tr->hidden_event != CTP_NONE && !x->chunk)
		note_transfer(x, f, fn, *sum, n);
}

/* The thread does not know the object of the handle any more. */
static void note_end(struct extractor *x, const struct hidden_fn *fn)
{
	uint64_t key = handle_key(fn->state, argument(x, fn->arg));

	if (find_object(x, key))
		*map_put(&x->tr->handles, key) = 0;
	else
		*map_put(&x->closed, key) = 1;
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
		if (fn->row == HIDDEN_ACCESS && (ends_handle(fn) || is_reopening(fn)))
			note_closed(x, fn);
		if (fn->row != HIDDEN_ACCESS || is_reopening(fn))
			note_opened(x, fn);
		if (ends_handle(fn))
			note_end(x, fn);
		else if (fn->row == HIDDEN_OPENS)
			note_open(x, f, fn, e->value.lo);
		else if (fn->row == HIDDEN_PAIRS)
			note_pair(x, f, fn);
		else if (fn->row == HIDDEN_ALIASES)
			note_alias(x, fn, e->value.lo);
		else if (transfers_bytes(fn))
			note_bytes(x, f, fn, result);
	}
}

void hidden_synchronized(struct extractor *x)
{
	if (x->tr->hidden_seen.n)
		map_clear(&x->tr->hidden_seen);
}

/* ---- when all threads were extracted -------------------------------------------------------- */

/* The objects of a handle that another thread closed, if the handle was used again. */
static void find_unsure(struct extractor *x, struct map *out)
{
	vec_each (&x->hidden_objects, i) {
		const struct hidden_object *o = &x->hidden_objects.at[i];
		uint64_t first = map_get_or(&x->handles, o->handle, 0);

		if (first && x->hidden_objects.at[first - 1].several &&
			map_get(&x->closed, o->handle))
			*map_put(out, o->object) = 1;
	}
}

/* The call is on the standard streams, or on a handle that may be one of them. */
static bool may_be_standard(const struct hidden_fn *fn)
{
	return fn->state == HIDDEN_INPUT || fn->state == HIDDEN_OUTPUT ||
	       ((fn->state == HIDDEN_STREAM || fn->state == HIDDEN_DESCRIPTOR) &&
		       !(ends_handle(fn) && fn->state == HIDDEN_DESCRIPTOR));
}

static void settle_event(struct extractor *x, const struct map *unsure, struct ctp_hidden *h)
{
	uint64_t all = map_get_or(&x->handles, h->object, 0);
	const struct hidden_object *o = all ? &x->hidden_objects.at[all - 1] : NULL;

	if (o && !o->several) {
		h->object = o->object;
		h->contents = get_contents(h->fn, o);
		h->flushes = may_flush(h->fn, o);
		h->waits |= o->waits && strncmp(h->fn->name, "recv", 4);
	}
	if (x->redirected && !o && !h->contents && may_be_standard(h->fn))
		h->contents = CTP_ANY_FILE;
	h->waits &= !x->mode_changes;
	if (map_get(&x->early_bytes, h->object))
		h->end = 0;
	if ((o && o->several) || map_get(unsure, h->object))
		forget_object(h);
}

void hidden_settle(struct extractor *x)
{
	struct map unsure = {0};

	settle_redirected(x);
	find_unsure(x, &unsure);
	vec_each (&x->c->events, i)
		if (x->c->events.at[i].kind == CTP_HIDDEN)
			settle_event(x, &unsure, &x->c->events.at[i].of.hidden);
	map_release(&unsure);
}
