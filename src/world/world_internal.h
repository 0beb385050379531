/* A system call under way inside the machine: shared by world.c, world_io.c and world_path.c. */
#ifndef HEDDLE_WORLD_WORLD_INTERNAL_H
#define HEDDLE_WORLD_WORLD_INTERNAL_H

#include "base/vec.h"
#include "world/files.h"
#include "symbolic/sym.h"
#include "world/world.h"

struct world_given {
	uint32_t name, number;
	struct bytes *bytes;
};

struct world {
	struct world_options opt;
	struct files *files;
	VEC(struct world_object) objects;
	VEC(struct world_given) given;
	VEC(struct world_result) results;
	uint64_t changes;
};

struct wcall {
	struct machine *m;
	struct thread *t;
	struct world *w;
	uint64_t a[6];
	bool resumed;  /* it blocked, and now runs again */
	int64_t result;
};
typedef enum step (*wcall_fn)(struct wcall *c);

struct wbuf { /* bytes on their way between the program's memory and a file */
	uint8_t *known;
	uint32_t *terms; /* NULL: all known */
	uint64_t n;
};
void wbuf_release(struct wbuf *b);
enum { GUEST_MAX = 1 << 30 }; /* bytes at once */

/* n bytes of the program's memory. */
enum step guest_get(struct wcall *c, uint64_t addr, uint64_t n, struct wbuf *b);
/* They may be written: to be asked before anything changes. */
enum step guest_may_put(struct wcall *c, uint64_t addr, uint64_t n);
enum step guest_put(struct wcall *c, uint64_t addr, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
/* Known bytes; terms among them are fixed. */
enum step guest_known(struct wcall *c, uint64_t addr, void *to, uint64_t n, const char *what);
/* A string, on the heap; terms in it are fixed. */
enum step guest_string(struct wcall *c, uint64_t addr, char **s);
/* The files, to be changed. */
struct files *world_files(struct wcall *c);
/* How many bytes a node has: the state forks until that is known. */
enum step world_settle(struct wcall *c, uint32_t node);

/* ---- entries of struct world_ops (extension.h) -------------------------------------------------- */

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

/* ---- results that are inputs (world_named.c) ---------------------------------------------------- */

/* A result that is any, counted. */
struct opnd result_any(struct wcall *c, long nr);
/* Whether options make it fail sometimes; whether this one does (forks, and changes nothing); to be
 * counted when the call is performed. */
bool result_may_fail(const struct wcall *c, long nr);
enum step result_decide(struct wcall *c, long nr, bool *fails);
term_t result_add(struct wcall *c, long nr);
/* Without symbols: what world_give() has for the call, counted. */
bool result_given(struct wcall *c, long nr, int64_t *value);

/* ---- which calls there are ------------------------------------------------------------------------ */

struct wcall_entry {
	long nr;
	const char *name;
	wcall_fn fn;
};
#define WCALL(name, fn) {SYS_##name, #name, fn}
/* both end in an entry without a function */
extern const struct wcall_entry world_io_calls[], world_path_calls[];

#endif
