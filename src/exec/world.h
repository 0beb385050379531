/*
 * The outside of a program whose paths are explored: files, standard streams, the results of system
 * calls, all inside the machine, so that paths do not see or disturb one another and nothing of the
 * host is changed. builtin_syscall() comes here when machine.world is set.
 *
 *  - input: the standard input, files and so on have contents that are bytes or symbols (--sym). A file
 *    that is not given is read from the host when it is first opened, and kept as it was then
 *  - output: what is written to descriptors is kept as bytes and terms, for reports and tests; files
 *    that the program writes are its own copies
 *  - pipes, dup, lseek, stat, unlink and the like work on these; a call that has no model here stops
 *    the path by its name, or gives a symbolic result if options ask for it (--sym syscall:NAME)
 *
 * Belongs to the state: world_copy() shares what it can. Lifetime: heap, world_free().
 */
#ifndef HEDDLE_EXEC_WORLD_H
#define HEDDLE_EXEC_WORLD_H

#include "exec/machine.h"

struct world;

struct world_options {
	bool host_files;     /* files that are not given come from the host; else they do not exist */
	bool sym_results;    /* a call without a model gives a fresh symbol instead of stopping */
};

struct world *world_new(const struct world_options *opt);
struct world *world_copy(const struct world *w);
void world_free(struct world *w);

/* Contents before the program starts: n bytes, each a constant or a term of 8 bits (ids; 0 = take the
 * byte from `known`). */
void world_stdin(struct world *w, const uint8_t *known, const uint32_t *terms, uint64_t n);
void world_file(struct world *w, const char *path, const uint8_t *known, const uint32_t *terms,
	uint64_t n);

/* What was written so far to descriptors 1 and 2, or to a file: terms of 8 bits, ids. */
struct vec_u32 world_output(struct machine *m, int fd);

/* The system call; numbers and results as the kernel's. Never the host's, but for reading files. */
enum step world_syscall(struct machine *m, struct thread *t, const struct opnd *args, uint32_t nargs,
	struct opnd *ret);

#endif
