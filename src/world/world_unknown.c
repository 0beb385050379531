/*
 * System calls whose arguments the initial state of --from does not know: a name that is any
 * string, a descriptor that is any number. The result is any number that the call may return, what
 * it writes to the program's memory is fresh, and the name is not read. The files do not change.
 */
#include "world/world_internal.h"

#include "base/base.h"
#include "symbolic/lazy.h"

#include <sys/stat.h>
#include <sys/syscall.h>

enum { NONE = -1, LARGEST = 1 << 12 }; /* bytes that a call may write */

struct unknown_call {
	long nr;
	int path;      /* the argument that is a name; NONE */
	int out;       /* the argument that is written to; NONE */
	int length;    /* the argument with the size of `out`, which also limits the result; NONE */
	uint64_t size; /* of `out` if there is no such argument */
};

static const struct unknown_call calls[] = {
	{SYS_open, 0, NONE, NONE, 0},
	{SYS_openat, 1, NONE, NONE, 0},
	{SYS_close, NONE, NONE, NONE, 0},
	{SYS_access, 0, NONE, NONE, 0},
	{SYS_unlink, 0, NONE, NONE, 0},
	{SYS_mkdir, 0, NONE, NONE, 0},
	{SYS_rmdir, 0, NONE, NONE, 0},
	{SYS_lseek, NONE, NONE, NONE, 0},
	{SYS_write, NONE, NONE, 2, 0},
	{SYS_read, NONE, 1, 2, 0},
	{SYS_pread64, NONE, 1, 2, 0},
	{SYS_stat, 0, 1, NONE, sizeof(struct stat)},
	{SYS_lstat, 0, 1, NONE, sizeof(struct stat)},
	{SYS_fstat, NONE, 1, NONE, sizeof(struct stat)},
	{SYS_newfstatat, 1, 2, NONE, sizeof(struct stat)},
};

static const struct unknown_call *find_unknown(const struct machine *m, const struct opnd *args)
{
	if (!m->sym || !lazy_is_initial(m->sym->lazy) || args[0].t.id)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == (long)args[0].v.lo)
			return &calls[i];
	return NULL;
}

/* Is the name at the known address in memory of the initial state? */
static bool is_name_unknown(
	struct machine *m, const struct unknown_call *u, const struct opnd *args)
{
	struct mem_sym cell;
	uint8_t known, mask;
	uint64_t at, bad;

	if (u->path == NONE)
		return false;
	at = args[1 + u->path].v.lo;
	return lazy_find(m->sym->lazy, at) != IR_NONE ||
	       (!mem_get_sym(&m->mem, at, &cell, &known, &mask, 1, &bad) && cell.term);
}

bool world_unknown(struct machine *m, const struct opnd *args)
{
	const struct unknown_call *u = find_unknown(m, args);

	for (int i = 1; u && i <= 6; i++)
		if (args[i].t.id)
			return true;
	return u && is_name_unknown(m, u, args);
}

static enum step write_anything(struct wcall *c, struct opnd to, uint64_t n)
{
	struct terms *ts = c->m->ts;
	term_t at = opnd_term(c->m, to, 64);

	for (uint64_t i = 0; i < n; i++)
		if (sym_store(c->m, c->t,
			    opnd_of_term(c->m, term_add(ts, at, term_const(ts, 64, i))), 8,
			    opnd_of_term(c->m, term_fresh(ts, "output", 8))))
			return STEP_STOP;
	return STEP_NEXT;
}

enum step world_unknown_call(struct wcall *c, const struct opnd *args, struct opnd *ret)
{
	const struct unknown_call *u = find_unknown(c->m, args);
	struct terms *ts = c->m->ts;
	uint64_t size = u->size;

	if (u->out != NONE && u->length != NONE) {
		struct opnd n = args[1 + u->length];

		if (n.t.id || n.v.lo > LARGEST)
			return stop_unknown(c->m, c->t, STOP_SYMBOLIC_POINTER,
				"a system call with unknown arguments writes too many bytes");
		size = n.v.lo;
	}
	if (u->out != NONE && write_anything(c, args[1 + u->out], size))
		return STEP_STOP;
	ret[0] = result_any(c, u->nr);
	if (u->length != NONE)
		sym_assume(c->m, term_sle(ts, ret[0].t, opnd_term(c->m, args[1 + u->length], 64)));
	c->t->resumed = false;
	return STEP_NEXT;
}
