/*
 * What of a program's input is symbolic: the --sym options and heddle_input() in the source.
 *
 *   argv[K]:N      argument K is any string of up to N bytes; K may be one past the last: it is added
 *   stdin:N        the standard input has any N bytes (shorter ones by option size: stdin:0-64)
 *   file:PATH:N    the file PATH has any N bytes
 *   env:NAME:N     the variable NAME is any string of up to N bytes
 *   syscall        system calls without a model give any result
 *
 * Every symbolic byte is a symbol of 8 bits, "argv1[3]", "stdin[0]", "x[2]" (x the name given to
 * heddle_input, "x#2" the second object of that name on a path), so that a model of a path is an input.
 */
#ifndef HEDDLE_EXPLORE_INPUTS_H
#define HEDDLE_EXPLORE_INPUTS_H

#include "exec/sym.h"
#include "exec/world.h"

enum input_kind { INPUT_ARGV, INPUT_STDIN, INPUT_FILE, INPUT_ENV, INPUT_OBJECT, INPUT_SYSCALL };

struct input_spec {
	enum input_kind kind;
	uint32_t index;     /* ARGV */
	const char *name;   /* FILE: the path; ENV: the variable; arena */
	uint64_t min, max;  /* bytes */
};

struct inputs {
	VEC(struct input_spec) specs;
	struct arena arena;
};

void inputs_init(struct inputs *in);
void inputs_release(struct inputs *in);
/* One --sym option; -1 after an error that says what is understood. */
int inputs_add(struct inputs *in, const char *text);

/* Makes argv and envp as they are given to the program (NULL-terminated, in the arena), with room for
 * what is symbolic; then, in the new machine, turns the bytes into symbols and fills the world. */
void inputs_arguments(struct inputs *in, int argc, char *const *argv, char *const *envp,
	int *new_argc, char ***new_argv, char ***new_envp);
void inputs_install(const struct inputs *in, struct machine *m);
/* heddle_input() on the path at hand: the bytes become symbols; the name is unique on the path. */
enum step inputs_object(struct machine *m, struct thread *t, uint64_t addr, uint64_t size,
	const char *name);

#endif
