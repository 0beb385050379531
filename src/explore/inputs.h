/*
 * What of a program's input is symbolic: the --sym options and heddle_input() in the source.
 *
 *   argv[K]:SIZE     argument K is any string of up to that many bytes; K may be one past the last: it
 *                    is added
 *   stdin:SIZE       the standard input has any bytes
 *   file:PATH:SIZE   the file PATH has any bytes
 *   env:NAME:SIZE    the variable NAME is any string of up to that many bytes
 *   syscall          system calls without a model give any result
 *   syscall:NAME     calls of that name (read, openat, ...) may also fail, with any error
 *
 * SIZE is a number of bytes, or a range: "stdin:0-64" ends after any number of bytes from 0 to 64,
 * "argv[1]:2-8" has at least 2.
 *
 * Every symbolic byte is a symbol of 8 bits, "argv1[3]", "stdin[0]", "file:PATH[7]", "env:NAME[1]",
 * "x[2]" (x the name given to heddle_input, "x#2" the second object of that name on a path, world.h), a
 * length that is not fixed one of 32 bits, "stdin.size", so that a model of a path is an input. A string
 * has its whole room: one that is shorter has a NUL earlier, and what follows that is of no interest.
 */
#ifndef HEDDLE_EXPLORE_INPUTS_H
#define HEDDLE_EXPLORE_INPUTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "symbolic/sym.h"
#include "world/world.h"
#include "finding/testcase.h"

enum input_kind { INPUT_ARGV, INPUT_STDIN, INPUT_FILE, INPUT_ENV, INPUT_SYSCALL };

struct input_spec {
	enum input_kind kind;
	uint32_t index;     /* ARGV */
	const char *name;   /* FILE: the path; ENV: the variable; arena */
	uint64_t min, max;  /* bytes */
	long call;          /* SYSCALL: the number of one that may fail, or -1 */
};

struct inputs {
	VEC(struct input_spec) specs;
	struct arena arena;
	VEC(long) fail; /* calls that may */
	char **argv; /* as given to the program; what is symbolic in it holds its place */
	int argc;
};

void inputs_init(struct inputs *in);
void inputs_release(struct inputs *in);
/* One --sym option; -1 after an error that says what is understood. */
int inputs_add(struct inputs *in, const char *text);

/* Makes argv and envp as they are given to the program (NULL-terminated, in the arena), with room for
 * what is symbolic. -1 after an error: an argument that the program does not have. */
int inputs_arguments(struct inputs *in, int argc, char *const *argv, char *const *envp,
	int *new_argc, char ***new_argv, char ***new_envp);
/* How the world of a new machine is made. */
struct world_options inputs_world(const struct inputs *in);
/* In a new machine with a world (and sym): the bytes become symbols, the world gets its contents. A
 * standard input that is not symbolic is the host's if that is a file, else empty. */
void inputs_install(const struct inputs *in, struct machine *m);
/* The inputs that an assignment, a model of the path of the machine's state, stands for: argv and inputs
 * of the test. */
void inputs_take(const struct inputs *in, struct machine *m, struct term_assign *as,
	struct testcase *tc);

#endif
