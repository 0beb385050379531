/* The world's interface, its access to the program's memory, and the dispatch of system calls. */
#include "world/world_internal.h"

#include "base/base.h"
#include "machine/state_hash.h"
#include "base/vec.h"
#include "symbolic/lazy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 16, PATH_LIMIT = 4096, BYTE_TYPE = 8 /* i8 */ };

/* ---- the world ------------------------------------------------------------------------------- */

struct world *world_new(const struct world_options *opt)
{
	struct world *w = xcalloc(1, sizeof *w);

	w->opt = *opt;
	w->files = files_new(opt->host_files);
	return w;
}

struct world *world_copy(const struct world *w)
{
	struct world *c = xcalloc(1, sizeof *c);

	c->opt = w->opt;
	c->changes = w->changes;
	c->files = files_copy(w->files);
	vec_each (&w->objects, i)
		vec_push(&c->objects, w->objects.at[i]);
	vec_each (&w->results, i)
		vec_push(&c->results, w->results.at[i]);
	vec_each (&w->given, i) {
		vec_push(&c->given, w->given.at[i]);
		bytes_share(w->given.at[i].bytes);
	}
	return c;
}

/* Whether one is a copy of the other and neither has changed since. Conservative: false is always
 * possible. Constant time. */
static bool world_same(const struct world *a, const struct world *b)
{
	return a->files == b->files && a->changes == b->changes &&
	       a->objects.n == b->objects.n && a->results.n == b->results.n;
}

void world_hash(const struct world *w, struct hash128 *h)
{
	files_hash(w->files, h);
	hash128_add(h, w->objects.n);
	vec_each (&w->results, i)
		hash128_add(h, (uint64_t)w->results.at[i].nr << 32 | w->results.at[i].number);
}

void world_free(struct world *w)
{
	if (!w)
		return;
	vec_each (&w->given, i)
		bytes_drop(w->given.at[i].bytes);
	vec_release(&w->given);
	vec_release(&w->objects);
	vec_release(&w->results);
	files_drop(w->files);
	free(w);
}

static void set_contents(struct world *w, uint32_t node, const uint8_t *known,
	const uint32_t *terms, uint64_t n)
{
	struct node *at = &w->files->nodes.at[node];
	static const uint8_t nothing;
	uint8_t *zeros = known ? NULL : xcalloc(1, n + 1);

	bytes_drop(at->bytes);
	at->bytes = bytes_new(known ? known : zeros ? zeros : &nothing, terms, n);
	at->size = 0;
	free(zeros);
}

void world_stdin(struct world *w, const uint8_t *known, const uint32_t *terms, uint64_t n)
{
	w->files = files_own(w->files);
	set_contents(w, FILES_STDIN, known, terms, n);
}

void world_file(struct world *w, const char *path, const uint8_t *known, const uint32_t *terms,
	uint64_t n)
{
	uint32_t node;

	w->files = files_own(w->files);
	node = files_node(w->files, NODE_FILE, 0644);
	files_name(w->files, files_path(w->files, path), node);
	set_contents(w, node, known, terms, n);
}

void world_size(struct world *w, const char *path, term_t size)
{
	uint32_t node = FILES_STDIN;
	bool known;

	w->files = files_own(w->files);
	if (path)
		node = files_named(w->files, files_path(w->files, path), &known);
	BUG_ON(node == FILES_NONE);
	w->files->nodes.at[node].size = size.id;
}

uint64_t world_stream(const struct machine *m, int fd, const uint8_t **known,
	const uint32_t **terms)
{
	const struct bytes *b;

	BUG_ON(fd < FILES_STDIN || fd > FILES_STDERR);
	b = m->world->files->nodes.at[fd].bytes;
	*known = b ? b->known : NULL;
	*terms = b ? b->terms : NULL;
	return b ? b->n : 0;
}

uint64_t world_changes(const struct world *w)
{
	return w->changes;
}

struct vec_u32 world_output(struct machine *m, int fd)
{
	struct vec_u32 out = {0};
	const uint32_t *terms;
	const uint8_t *known;
	uint64_t n = world_stream(m, fd, &known, &terms);

	for (uint64_t i = 0; i < n; i++)
		vec_push(&out, terms && terms[i] ? terms[i]
						 : term_const(m->ts, 8, known[i]).id);
	return out;
}

static bool end_is_open(const struct machine *m, int64_t fd)
{
	const struct files *f = m->world->files;
	const struct open *o = files_get(f, fd);

	return o && f->nodes.at[o->node].size;
}

static bool is_outside(const struct machine *m, int64_t fd)
{
	uint32_t node = world_file_of(m->world, (int)fd);

	return node == FILES_STDOUT || node == FILES_STDERR;
}

struct files *world_files(struct wcall *c)
{
	c->w->changes++;
	return c->w->files = files_own(c->w->files);
}

enum step world_settle(struct wcall *c, uint32_t node)
{
	struct node *n = &c->w->files->nodes.at[node];
	struct val v;

	if (!n->size)
		return STEP_NEXT;
	if (sym_value(c->m, c->t, (struct opnd){.t = {n->size}}, 32, "the length of an input",
		    UINT32_MAX, &v))
		return STEP_STOP;
	n = &world_files(c)->nodes.at[node];
	bytes_truncate(&n->bytes, v.lo);
	n->size = 0;
	return STEP_NEXT;
}

/* ---- the program's memory -------------------------------------------------------------------- */

void wbuf_release(struct wbuf *b)
{
	free(b->known);
	free(b->terms);
	*b = (struct wbuf){0};
}

/* byte `cell.byte` of the term, zero-extended to 8 bits */
static term_t cell_term(struct terms *ts, struct mem_sym cell)
{
	term_t t = {cell.term};
	unsigned low = 8u * cell.byte, width = term_width(ts, t), n = MIN(8u, width - low);

	return term_zext(ts, term_extract(ts, t, low, n), 8);
}

/* Reads lazy memory, byte by byte. */
static enum step get_lazily(struct wcall *c, uint64_t addr, struct wbuf *b)
{
	for (uint64_t i = 0; i < b->n; i++) {
		struct opnd at = {.v = {addr + i, 0}}, o;

		if (sym_load(c->m, c->t, at, BYTE_TYPE, &o) == STEP_STOP)
			return STEP_STOP;
		b->terms[i] = o.t.id;
		b->known[i] = (uint8_t)o.v.lo;
	}
	return STEP_NEXT;
}

static bool is_lazy(const struct machine *m, uint64_t addr)
{
	return m->sym && m->sym->lazy && lazy_find(m->sym->lazy, addr) != IR_NONE;
}

static enum step get_symbolic(struct wcall *c, uint64_t addr, struct wbuf *b)
{
	struct mem_sym *cells = xcalloc(b->n + 1, sizeof *cells);
	uint8_t *mask = xmalloc(b->n + 1);
	uint64_t bad;
	enum mem_status st = mem_get_sym(&c->m->mem, addr, cells, b->known, mask, (unsigned)b->n,
		&bad);

	for (uint64_t i = 0; st == MEM_OK && i < b->n; i++)
		b->terms[i] = cells[i].term ? cell_term(c->m->ts, cells[i]).id : 0;
	free(cells);
	free(mask);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, addr, b->n, false, st, bad);
}

enum step guest_get(struct wcall *c, uint64_t addr, uint64_t n, struct wbuf *b)
{
	uint64_t bad;
	enum mem_status st;

	*b = (struct wbuf){0};
	if (n > GUEST_MAX)
		return stop_unknown(c->m, c->t, STOP_UNMODELLED,
			"a system call with a buffer of %llu bytes", (unsigned long long)n);
	b->n = n;
	b->known = xcalloc(1, n + 1);
	if (!n)
		return STEP_NEXT;
	if (c->m->sym) {
		b->terms = xcalloc(n, sizeof *b->terms);
		return is_lazy(c->m, addr) ? get_lazily(c, addr, b) : get_symbolic(c, addr, b);
	}
	st = mem_out(&c->m->mem, addr, b->known, n, &bad);
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, addr, n, false, st, bad);
}

enum step guest_may_put(struct wcall *c, uint64_t addr, uint64_t n)
{
	struct wbuf b;
	uint64_t bad;
	enum step st;

	if (!n || mem_valid(&c->m->mem, addr, n, &bad))
		return STEP_NEXT;
	if (!is_lazy(c->m, addr))
		return fault_memory(c->m, c->t, addr, n, true, MEM_INVALID, bad);
	st = guest_get(c, addr, n, &b);
	wbuf_release(&b);
	return st;
}

static enum step put_lazily(struct wcall *c, uint64_t addr, const uint8_t *known,
	const uint32_t *terms, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct opnd at = {.v = {addr + i, 0}}, o = {.v = {known[i], 0}};

		if (terms)
			o.t.id = terms[i];
		if (sym_store(c->m, c->t, at, BYTE_TYPE, o) == STEP_STOP)
			return STEP_STOP;
	}
	return STEP_NEXT;
}

enum step guest_put(struct wcall *c, uint64_t addr, const uint8_t *known, const uint32_t *terms,
	uint64_t n)
{
	enum mem_status st;
	uint64_t bad;

	if (!n)
		return STEP_NEXT;
	if (is_lazy(c->m, addr))
		return put_lazily(c, addr, known, terms, n);
	st = mem_in(&c->m->mem, addr, known, n, &bad);
	if (st == MEM_OK && terms) {
		struct mem_sym *cells = xcalloc(n, sizeof *cells);

		for (uint64_t i = 0; i < n; i++)
			cells[i].term = terms[i];
		st = mem_put_sym(&c->m->mem, addr, cells, (unsigned)n, &bad);
		free(cells);
	}
	return st == MEM_OK ? STEP_NEXT : fault_memory(c->m, c->t, addr, n, true, st, bad);
}

/* Concretizes the terms of a buffer. */
static enum step concretize_buffer(
	struct wcall *c, struct wbuf *b, const char *what, uint32_t limit)
{
	for (uint64_t i = 0; b->terms && i < b->n; i++) {
		struct val v;

		if (!b->terms[i])
			continue;
		if (sym_value(c->m, c->t, (struct opnd){.t = {b->terms[i]}}, 8, what, limit, &v))
			return STEP_STOP;
		b->known[i] = (uint8_t)v.lo;
	}
	return STEP_NEXT;
}

enum step guest_known(struct wcall *c, uint64_t addr, void *to, uint64_t n, const char *what)
{
	struct wbuf b;
	enum step st = guest_get(c, addr, n, &b);

	if (st == STEP_NEXT)
		st = concretize_buffer(c, &b, what, FEW);
	if (st == STEP_NEXT)
		memcpy(to, b.known, n);
	wbuf_release(&b);
	return st;
}

/* Decides whether the string at addr equals the path, as one condition. So the state forks over
 * existing files before a name is concretized. */
static enum step is_path(struct wcall *c, uint64_t addr, const char *path, bool *truth)
{
	struct terms *ts = c->m->ts;
	term_t all = term_bool(ts, true);
	struct wbuf b;

	for (size_t i = 0; i <= strlen(path); i++) {
		term_t byte;

		if (guest_get(c, addr + i, 1, &b) == STEP_STOP)
			return STEP_STOP;
		byte = b.terms[0] ? (term_t){b.terms[0]} : term_const(ts, 8, b.known[0]);
		wbuf_release(&b);
		all = term_and(ts, all, term_eq(ts, byte, term_const(ts, 8, (uint8_t)path[i])));
		if (term_same(all, term_bool(ts, false)))
			break;
	}
	return sym_decide(c->m, c->t, all, truth);
}

/* the path as a program in the working directory would write it */
static const char *from_cwd(const struct files *f, const char *path)
{
	const char *cwd = files_path_text(f, f->cwd);
	size_t n = strlen(cwd);

	return !strncmp(path, cwd, n) && path[n] == '/' ? path + n + 1 : path;
}

static enum step string_has_terms(struct wcall *c, uint64_t addr, bool *has)
{
	struct wbuf b = {0};
	enum step st;
	bool end;

	*has = false;
	do {
		wbuf_release(&b);
		st = guest_get(c, addr++, 1, &b);
		*has = st == STEP_NEXT && b.terms && b.terms[0];
		end = st != STEP_NEXT || *has || !b.known[0];
	} while (!end);
	wbuf_release(&b);
	return st;
}

enum step guest_string(struct wcall *c, uint64_t addr, char **s)
{
	const struct files *f = c->w->files;
	char text[PATH_LIMIT];
	bool has, truth;

	*s = NULL;
	if (string_has_terms(c, addr, &has) == STEP_STOP)
		return STEP_STOP;
	for (uint32_t i = 0; has && i < f->names.n; i++) {
		const char *path = files_path_text(f, f->names.at[i].path);

		if (f->names.at[i].node == FILES_NONE)
			continue;
		if (is_path(c, addr, path, &truth) == STEP_STOP)
			return STEP_STOP;
		if (!truth && is_path(c, addr, from_cwd(f, path), &truth) == STEP_STOP)
			return STEP_STOP;
		if (truth) {
			*s = xstrdup(path);
			return STEP_NEXT;
		}
	}
	for (size_t i = 0; i < sizeof text; i++) {
		struct wbuf b;
		enum step st = guest_get(c, addr + i, 1, &b);

		if (st == STEP_NEXT)
			st = concretize_buffer(c, &b, "a byte of a file's name", 0);
		text[i] = st == STEP_NEXT ? (char)b.known[0] : 0;
		wbuf_release(&b);
		if (st != STEP_NEXT)
			return st;
		if (!text[i]) {
			*s = xstrdup(text);
			return STEP_NEXT;
		}
	}
	*s = xstrdup(""); /* the name is too long: callers fail with ENOENT */
	return STEP_NEXT;
}

/* ---- tables of system calls ------------------------------------------------------------------ */

/* by name, or by number if that is NULL */
static const struct wcall_entry *find_call(long nr, const char *name)
{
	static const struct wcall_entry *const tables[] = {world_io_calls, world_path_calls};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct wcall_entry *e = tables[i]; e->fn; e++)
			if (name ? !strcmp(e->name, name) : e->nr == nr)
				return e;
	return NULL;
}

long world_call_number(const char *name)
{
	const struct wcall_entry *e = find_call(0, name);

	return e ? e->nr : -1;
}

const char *world_call_name(long nr)
{
	const struct wcall_entry *e = find_call(nr, NULL);

	return e ? e->name : NULL;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* Numbers of heddle's own process, the same on every path. */
static bool host_number(struct wcall *c, long nr)
{
	switch (nr) {
	case SYS_getpid: c->result = getpid(); return true;
	case SYS_gettid: c->result = getpid() + (int64_t)c->t->id; return true;
	case SYS_getppid: c->result = getppid(); return true;
	case SYS_getuid: c->result = getuid(); return true;
	case SYS_geteuid: c->result = geteuid(); return true;
	case SYS_getgid: c->result = getgid(); return true;
	case SYS_getegid: c->result = getegid(); return true;
	case SYS_getpgrp: c->result = getpgrp(); return true;
	case SYS_getpgid: c->result = getpgid((pid_t)c->a[0]); return true;
	case SYS_getsid: c->result = getsid((pid_t)c->a[0]); return true;
	default: return false;
	}
}

static enum step put_struct(struct wcall *c, uint64_t addr, const void *p, size_t n)
{
	if (!addr)
		return wcall_fail(c, EFAULT);
	return guest_put(c, addr, p, NULL, n);
}

static enum step handle_limits(struct wcall *c, uint64_t resource, uint64_t set, uint64_t get)
{
	struct rlimit l;

	if (getrlimit((__rlimit_resource_t)resource, &l))
		return wcall_fail(c, errno);
	if (set) /* the new limit is ignored */
		c->result = 0;
	return get ? put_struct(c, get, &l, sizeof l) : STEP_NEXT;
}

/* Information about the host and CPU time: constant, or from the virtual clock. */
static enum step host_struct(struct wcall *c, long nr, bool *done)
{
	uint64_t ns = sched_now(c->m, CLOCK_MONOTONIC) - c->m->start_monotonic;
	struct rusage ru = {.ru_utime = {(time_t)(ns / 1000000000), (suseconds_t)(ns / 1000 % 1000000)}};
	struct tms tms = {.tms_utime = (clock_t)(ns / 10000000)};
	struct sysinfo si = {0};
	struct utsname un;

	*done = true;
	switch (nr) {
	case SYS_uname: uname(&un); return put_struct(c, c->a[0], &un, sizeof un);
	case SYS_getrusage: return put_struct(c, c->a[1], &ru, sizeof ru);
	case SYS_times:
		c->result = (int64_t)(sched_now(c->m, CLOCK_MONOTONIC) / 10000000);
		return c->a[0] ? put_struct(c, c->a[0], &tms, sizeof tms) : STEP_NEXT;
	case SYS_sysinfo:
		sysinfo(&si);
		si.uptime = 1;
		si.freeram = si.totalram / 2;
		si.sharedram = si.bufferram = 0;
		si.freeswap = si.totalswap;
		si.procs = 1;
		memset(si.loads, 0, sizeof si.loads);
		return put_struct(c, c->a[0], &si, sizeof si);
	case SYS_getrlimit: return handle_limits(c, c->a[0], 0, c->a[1]);
	case SYS_setrlimit: return handle_limits(c, c->a[0], c->a[1], 0);
	case SYS_prlimit64: return handle_limits(c, c->a[1], c->a[2], c->a[3]);
	default: *done = false; return STEP_NEXT;
	}
}

static enum step perform_call(struct wcall *c, long nr, struct opnd *ret)
{
	const struct wcall_entry *e = find_call(nr, NULL);
	enum step st;
	bool done = true;

	if (e)
		st = e->fn(c);
	else if (host_number(c, nr))
		st = STEP_NEXT;
	else
		st = host_struct(c, nr, &done);
	if (!done && (!c->w->opt.sym_results || !c->m->sym))
		return stop_unknown(c->m, c->t, STOP_UNMODELLED, "system call %ld is not modelled",
			nr);
	ret[0] = done ? (struct opnd){.v = {(uint64_t)c->result, 0}} : result_any(c, nr);
	return st;
}

uint32_t world_file_of(const struct world *w, int fd)
{
	const struct open *o = files_get(w->files, fd);

	return o ? o->node : UINT32_MAX;
}

/* The call, with the result that --sym or a test case asks for. */
static enum step perform_with_result(struct wcall *c, long nr, struct opnd *ret)
{
	bool asked = result_may_fail(c, nr), fails = false;
	int64_t given = 0;
	enum step st;

	c->nr = nr;
	c->asked = asked;
	if (asked && result_decide(c, nr, &fails) == STEP_STOP)
		return STEP_STOP;
	if (fails) {
		ret[0] = result_any(c, nr);
		return STEP_NEXT;
	}
	c->given = result_given(c, nr, &given);
	c->value = given;
	if (c->given && (given < 0 || !find_call(nr, NULL))) {
		ret[0] = (struct opnd){.v = {(uint64_t)given, 0}};
		return STEP_NEXT;
	}
	st = perform_call(c, nr, ret);
	if (asked && st != STEP_STOP) /* after the call: a fork executes it again from the start */
		result_add(c, nr);
	return st;
}

static enum step perform_syscall(struct machine *m, struct thread *t, const struct opnd *args, uint32_t nargs,
	struct opnd *ret)
{
	struct wcall c = {.m = m, .t = t, .w = m->world, .resumed = t->resumed && !t->gave_way};
	enum step st;

	BUG_ON(nargs != 7);
	if (world_unknown(m, args))
		return world_unknown_call(&c, args, ret);
	for (int i = 0; i < 6; i++)
		c.a[i] = args[1 + i].v.lo;
	st = perform_with_result(&c, (long)args[0].v.lo, ret);
	/* not before: a state that was forked in the call gave way, too */
	t->resumed = t->gave_way = false;
	return st;
}

void world_attach(struct machine *m, struct world *w)
{
	static const struct world_ops ops = {
		.syscall = perform_syscall,
		.takes_terms = world_unknown,
		.input = world_input,
		.end_is_open = end_is_open,
		.is_outside = is_outside,
		.copy = world_copy,
		.same = world_same,
		.free = world_free,
	};

	m->world = w;
	m->world_ops = w ? &ops : NULL;
}
