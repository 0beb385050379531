/* The execution of a system call inside the machine: shared by the files of this room. */
#ifndef HEDDLE_WORLD_WORLD_INTERNAL_H
#define HEDDLE_WORLD_WORLD_INTERNAL_H

#include "base/vec.h"
#include "world/files.h"
#include "symbolic/sym.h"
#include "world/world.h"

struct world_given {
	uint32_t name, number; /* name: in host.paths */
	struct bytes *bytes;   /* the value (world_give) */
};

struct world {
	struct world_options opt;
	struct files *files;
	VEC(struct world_object) objects;
	VEC(struct world_given) given;
	VEC(struct world_result) results;
	uint64_t changes; /* see world_changes() */
};

struct wcall {
	struct machine *m;
	struct thread *t;
	struct world *w;
	uint64_t a[6];  /* arguments */
	bool resumed;   /* executed again after it blocked */
	long nr;
	bool asked;     /* --sym: the result is a symbol, world_result_term() */
	bool given;     /* a test case has the value of that symbol */
	int64_t value;
	int64_t result; /* negative: -errno */
};
typedef enum step (*wcall_fn)(struct wcall *c);

struct wbuf { /* a buffer between the program's memory and a file */
	uint8_t *known;
	uint32_t *terms; /* by byte: id of its term, 0 = known; NULL: all are known */
	uint64_t n;
};
void wbuf_release(struct wbuf *b);
enum { GUEST_MAX = 1 << 30 }; /* bytes of one system call */

/* Reads n bytes of the program's memory. The caller releases b, also after STEP_STOP. */
enum step guest_get(struct wcall *c, uint64_t addr, uint64_t n, struct wbuf *b);
/* Checks that n bytes of the program's memory can be written. Called before the world changes. */
enum step guest_may_put(struct wcall *c, uint64_t addr, uint64_t n);
enum step guest_put(struct wcall *c, uint64_t addr, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
/* Reads n bytes and concretizes terms among them. */
enum step guest_known(struct wcall *c, uint64_t addr, void *to, uint64_t n, const char *what);
/* Reads a string into *s, which the caller frees. Concretizes terms, to existing files first. */
enum step guest_string(struct wcall *c, uint64_t addr, char **s);
/* The files for a change: counts a change and makes them unshared. */
struct files *world_files(struct wcall *c);
/* Concretizes the length of a node: the state forks for each possible length. */
enum step world_settle(struct wcall *c, uint32_t node);
/* STEP_STOP after the report that a file of that many bytes is too large for the world. */
enum step world_allows_size(struct wcall *c, uint64_t end);
#define WORLD_FILE_MAX (256ull << 20)

/* ---- entries of struct world_ops (extension.h) ----------------------------------------------- */

enum step world_input(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	const char *name);

static inline enum step wcall_fail(struct wcall *c, int error)
{
	c->result = -error;
	return STEP_NEXT;
}
static inline enum step wcall_give(struct wcall *c, int64_t result)
{
	c->result = result;
	return STEP_NEXT;
}

/* ---- results that are inputs (world_named.c) ------------------------------------------------- */

/* An unconstrained result of a call: a fresh symbol, added to world.results. */
struct opnd result_any(struct wcall *c, long nr);
/* Whether options let the call fail. */
bool result_may_fail(const struct wcall *c, long nr);
/* Decides whether this call fails: forks, and changes nothing. */
enum step result_decide(struct wcall *c, long nr, bool *fails);
/* Decides how many of n bytes this call transfers, if options let it be short: forks, and changes
 * nothing. */
enum step result_shorten(struct wcall *c, uint64_t *n);
/* Adds a result to world.results and gives its symbol. */
term_t result_add(struct wcall *c, long nr);
/* Without symbols: the value that world_give() has for the call, added to world.results. */
bool result_given(struct wcall *c, long nr, int64_t *value);

/* ---- arguments of the initial state (world_unknown.c) ----------------------------------------- */

/* Whether the call has an argument, or a name, that the initial state of --from does not know, and
 * any result describes it. */
bool world_unknown(struct machine *m, const struct opnd *args);
enum step world_unknown_call(struct wcall *c, const struct opnd *args, struct opnd *ret);

/* ---- tables of system calls ------------------------------------------------------------------ */

struct wcall_entry {
	long nr;
	const char *name;
	wcall_fn fn;
};
#define WCALL(name, fn) {SYS_##name, #name, fn}
/* both end in an entry without a function */
extern const struct wcall_entry world_io_calls[], world_path_calls[];

#endif
