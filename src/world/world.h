/*
 * The world of a program whose paths are explored: files, standard streams and results of system
 * calls inside the machine, so that paths do not affect each other and the host is not changed. The
 * machine calls it through struct world_ops (extension.h) after world_attach(). If machine.sym is
 * NULL, all values are known (a test case is executed again).
 *
 *  - input: the contents of the standard input and of files are bytes or symbols (--sym). A file
 *    that is not given is read from the host when it is first opened; all copies keep these
 *    contents. The standard streams are pipes for the program: it cannot seek in them
 *  - output: bytes written to descriptors are kept as bytes and terms, for reports and tests; files
 *    that the program writes are copies that belong to the state
 *  - pipes, dup, lseek, stat, unlink and the like work on these. A call without a model stops the
 *    path and is named in the reason, or gives a symbolic result if options ask for it (--sym
 *    syscall). Calls can be made to fail (--sym syscall:NAME)
 *  - objects that the program declares as inputs (heddle_input) are listed by name and number
 *
 * Arguments are numbers (builtin_known_args), but for calls with arguments that the initial state
 * of --from does not know (world_unknown.c); the bytes written may be terms. The world belongs to
 * the state. world_copy() shares files and contents until one side changes them; it takes time
 * linear in the inputs and symbolic results of the path. Lifetime: heap, world_free().
 */
#ifndef HEDDLE_WORLD_WORLD_H
#define HEDDLE_WORLD_WORLD_H

#include "base/vec.h"
#include "machine/machine.h"

struct world;

struct world_options {
	bool host_files;     /* files that are not given come from the host; else none exist */
	bool sym_results;    /* a call without a model gives a fresh symbol instead of stopping */
	const long *fail;    /* numbers of calls that may also fail, with any error; outlives it */
	uint32_t nfail;
};

struct world *world_new(const struct world_options *opt);
struct world *world_copy(const struct world *w);
void world_free(struct world *w);
/* Attaches the world to the machine, which does not free it. NULL: system calls go to the host. */
void world_attach(struct machine *m, struct world *w);

/* Set contents before the program starts: n bytes, each known or a term of 8 bits. terms[i] is the
 * id of the term, 0 = the byte is known[i]; terms NULL: all bytes are known; known NULL: zeros. */
void world_stdin(struct world *w, const uint8_t *known, const uint32_t *terms, uint64_t n);
void world_file(struct world *w, const char *path, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
/* Makes the length of an input symbolic: only its first `size` bytes exist, a term of 32 bits whose
 * range the path limits. path NULL: the standard input. The state forks when a read may pass the
 * end. */
void world_size(struct world *w, const char *path, term_t size);

/* The output so far on descriptor 1 or 2 (as at the start): ids of terms of 8 bits. Needs
 * machine.sym; the caller releases the vector. */
struct vec_u32 world_output(struct machine *m, int fd);
/* The output on 1 or 2, or the contents of the standard input for 0, in the form of world_stdin().
 * *known and *terms (may be NULL) belong to the world. Returns the number of bytes. */
uint64_t world_stream(const struct machine *m, int fd, const uint8_t **known,
	const uint32_t **terms);
/* A number of the file, pipe or device that the descriptor refers to; UINT32_MAX if it is not open. */
uint32_t world_file_of(const struct world *w, int fd);
/* The number of changes of the world so far: writes, reads that advance a position, opens, inputs.
 * The order of two steps that both change it is observable. */
uint64_t world_changes(const struct world *w);

/* ---- heddle_input() -------------------------------------------------------------------------- */

struct world_object {
	const char *name;  /* given by the program; lives as long as the world and its copies */
	uint32_t number;   /* 1: the first object of that name on the path */
	uint64_t size;     /* bytes */
};

/* The bytes of an object become the bytes of world_give(), else symbols "NAME[i]" (for the second
 * object of a name "NAME#2[i]"), else (machine.sym is NULL) they are not changed. */

/* The objects of the path so far, in order. */
const struct world_object *world_objects(const struct world *w, uint32_t *n);
/* Symbol of byte i of an object. */
term_t world_object_byte(struct terms *ts, const struct world_object *o, uint64_t i);
/* Sets the value of the object of that name and number before the program creates it. With the name
 * "syscall:NAME": the result (8 bytes) of that call. */
void world_give(struct world *w, const char *name, uint32_t number, const uint8_t *bytes, uint64_t n);

/* ---- symbolic results of system calls -------------------------------------------------------- */

/* Number and name of a system call with a model; -1 or NULL if there is none. */
long world_call_number(const char *name);
const char *world_call_name(long nr);

/* A symbol "syscall:NAME#2" or "syscall:NUMBER#1". For a call without a model it is the result. For
 * a call that may fail it is the error if it is negative; else the call was performed. A read or write
 * then transfers that many bytes if it could transfer more, and else the symbol has no further
 * meaning. */
struct world_result {
	long nr;         /* number of the system call */
	uint32_t number; /* 1: the first such call on the path */
};
const struct world_result *world_results(const struct world *w, uint32_t *n);
/* The symbol of a result, of 64 bits. */
term_t world_result_term(struct terms *ts, const struct world_result *r);

/* Adds all that the program can observe of the files, and the inputs so far. */
struct hash128; /* machine/state_hash.h */
void world_hash(const struct world *w, struct hash128 *h);

#endif
