/*
 * The symbolic inputs of a program: the --sym options and heddle_input() in the source.
 *
 *   argv[K]:SIZE     argument K is any string of up to that many bytes; if K is one past the last
 *                    argument, it is added
 *   stdin:SIZE       the standard input has any bytes
 *   file:PATH:SIZE   the file PATH has any bytes
 *   env:NAME:SIZE    the variable NAME is any string of up to that many bytes
 *   syscall          system calls without a model return any result
 *   syscall:NAME     calls of that name (read, openat, ...) may also fail, with any error; a read or
 *                    write may also transfer fewer bytes, except for writes to standard streams
 *
 * SIZE is a number of bytes, or a range: "stdin:0-64" ends after any number of bytes from 0 to 64,
 * "argv[1]:2-8" has at least 2.
 *
 * Every symbolic byte is a symbol of 8 bits: "argv1[3]", "stdin[0]", "file:PATH[7]", "env:NAME[1]",
 * "x[2]" (x is the name given to heddle_input, "x#2" the second object of that name on a path,
 * world.h). A length that is a range is a symbol of 32 bits, "stdin.size". So a model of a path
 * condition is an input. A string always has the memory of its maximum size; a shorter string has
 * an earlier NUL, and the bytes after the NUL do not matter.
 */
#ifndef HEDDLE_EXPLORE_INPUTS_H
#define HEDDLE_EXPLORE_INPUTS_H

#include "base/arena.h"
#include "base/strbuf.h"
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
	VEC(long) fail; /* system calls that may fail */
	char **argv; /* for the program; symbolic arguments are filled with '?' */
	int argc;
};

void inputs_init(struct inputs *in);
void inputs_release(struct inputs *in);
/* Adds one --sym option; -1 after error_(). */
int inputs_add(struct inputs *in, const char *text);

/* Appends the name that the symbols of the input begin with: "argv1", "file:PATH". */
void input_print_name(const struct input_spec *spec, struct strbuf *out);
/* The symbol of byte i, of 8 bits; that of the length, of 32 bits, if it is a range. */
term_t input_byte(struct terms *ts, const struct input_spec *spec, uint64_t i);
term_t input_size(struct terms *ts, const struct input_spec *spec);

/* Makes argv and envp of the program (NULL-terminated, in the arena), with memory for symbolic
 * strings. -1 after error_(), if an option names an argument that the program does not have. */
int inputs_arguments(struct inputs *in, int argc, char *const *argv, char *const *envp,
	int *new_argc, char ***new_argv, char ***new_envp);
/* Whether the program may read the clock, whose values no symbol stands for. With a machine: whether
 * an execution on it has called a function that does. */
bool inputs_have_clock(const struct ir_program *p, const struct machine *m);
/* Sets the symbolic bytes in a new machine that has its world and sym, and the contents of files. A
 * standard input that is not symbolic is that of the host if it is a file, else empty. */
void inputs_install(const struct inputs *in, struct machine *m);
/* A new symbolic machine of the program, with its world and the symbolic inputs; NULL after error_(). `sym`
 * and `ts` are for sym_attach(); eo->envp is set here. */
struct machine *inputs_machine(struct inputs *in, const struct ir_program *p, int argc,
	char *const *argv, char *const *envp, struct exec_options *eo, struct exec_result *res,
	struct sym *sym, struct terms *ts);
/* Fills argv and inputs of the test case from `as`, a model of the machine's path condition. */
void inputs_take(const struct inputs *in, struct machine *m, struct term_assign *as,
	struct testcase *tc);

#endif
