/*
 * The outside of a program whose paths are explored: files, standard streams, the results of system
 * calls, all inside the machine, so that paths do not see or disturb one another and nothing of the
 * host is changed. the machine calls it through struct world_ops (extension.h) after world_attach(); machine.sym may be NULL,
 * then everything is known (a test case runs again).
 *
 *  - input: the standard input, files and so on have contents that are bytes or symbols (--sym). A file
 *    that is not given is read from the host when it is first opened, and kept as it was then. The
 *    standard streams are pipes to the program: it cannot seek in them
 *  - output: what is written to descriptors is kept as bytes and terms, for reports and tests; files
 *    that the program writes are its own copies
 *  - pipes, dup, lseek, stat, unlink and the like work on these; a call that has no model here stops
 *    the path by its name, or gives a symbolic result if options ask for it (--sym syscall). Calls may
 *    be made to fail (--sym syscall:NAME)
 *  - objects that the program itself calls an input (heddle_input) are known here by name and number
 *
 * Arguments are numbers (builtin_known_args); the bytes written may be terms.
 * Belongs to the state: world_copy() takes constant time, what changes later is copied then.
 * Lifetime: heap, world_free().
 */
#ifndef HEDDLE_WORLD_WORLD_H
#define HEDDLE_WORLD_WORLD_H

#include "base/vec.h"
#include "machine/machine.h"

struct world;

struct world_options {
	bool host_files;     /* files that are not given come from the host; else they do not exist */
	bool sym_results;    /* a call without a model gives a fresh symbol instead of stopping */
	const long *fail;    /* numbers of calls that may also fail, with any error; lives longer */
	uint32_t nfail;
};

struct world *world_new(const struct world_options *opt);
struct world *world_copy(const struct world *w);
void world_free(struct world *w);
/* Makes it the world of the machine, which does not free it; NULL: system calls go to the host. */
void world_attach(struct machine *m, struct world *w);
/* One is a copy of the other and nothing has happened to either since, as far as can be told at once. */
bool world_same(const struct world *a, const struct world *b);

/* Contents before the program starts: n bytes, each a constant or a term of 8 bits (ids; 0 = take the
 * byte from `known`; terms may be NULL). */
void world_stdin(struct world *w, const uint8_t *known, const uint32_t *terms, uint64_t n);
void world_file(struct world *w, const char *path, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
/* Only the first `size` of these bytes are there, a term whose range the path limits. path NULL: the
 * standard input. The state forks when a read could pass the end. */
void world_size(struct world *w, const char *path, term_t size);

/* What was written so far to descriptors 1 and 2 (as they were at the start): terms of 8 bits, ids.
 * Needs machine.sym; the caller releases it. */
struct vec_u32 world_output(struct machine *m, int fd);
/* The same as it lies, and for 0 what the standard input holds, without terms where there are none:
 * *known and *terms (may be NULL) belong to the world. Returns the number of bytes. */
uint64_t world_stream(const struct machine *m, int fd, const uint8_t **known,
	const uint32_t **terms);
/* How often the program has changed something outside so far: written, read on, opened, named an input.
 * Two steps that both do so have an order that can be seen. */
uint64_t world_changes(const struct world *w);
/* Contents of a file of the program's; -1 if it has none of that name. */
int64_t world_contents(const struct machine *m, const char *path, const uint8_t **known,
	const uint32_t **terms);

/* ---- heddle_input() -------------------------------------------------------------------------- */

struct world_object {
	const char *name;  /* as the program calls it; lives with the world and its copies */
	uint32_t number;   /* 1: the first of that name on the path */
	uint64_t size;
};

/* The bytes of an object become symbols "NAME[i]" (from the second object of a name on "NAME#2[i]"), or
 * what world_give() has for it; without either they stay as they are. */

/* The objects of the path so far, in order. */
const struct world_object *world_objects(const struct world *w, uint32_t *n);
/* Symbol of byte i of an object. */
term_t world_object_byte(struct terms *ts, const struct world_object *o, uint64_t i);
/* The value that the object of that name and number will get; or the result (8 bytes) of that call, with
 * the name "syscall:NAME". */
void world_give(struct world *w, const char *name, uint32_t number, const uint8_t *bytes, uint64_t n);

/* ---- symbolic results of system calls -------------------------------------------------------- */

/* Number and name of a system call that is modelled here; -1, NULL: none. */
long world_call_number(const char *name);
const char *world_call_name(long nr);

/* The symbol, "syscall:NAME#2" or "syscall:NUMBER#1", is the result of a call that has no model; of one
 * that may fail, its error, or, where it is not negative, nothing: the call was performed. */
struct world_result {
	long nr;         /* of the call */
	uint32_t number; /* 1: the first such call on the path */
};
const struct world_result *world_results(const struct world *w, uint32_t *n);
/* its symbol, of 64 bits */
term_t world_result_term(struct terms *ts, const struct world_result *r);

#endif
