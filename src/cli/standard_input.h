/*
 * Standard input of a program that is run many times: a copy in `.heddle/inputs`, named by the hash
 * of its contents, so that every run and every later replay of a finding reads the same bytes.
 */
#ifndef HEDDLE_CLI_STANDARD_INPUT_H
#define HEDDLE_CLI_STANDARD_INPUT_H

/* A larger input from a pipe is an error; a larger file is used in place, without a copy. */
#define INPUT_MAX (64ull << 20)

/*
 * Copies heddle's standard input, from its current position to its end, to `dir`/.heddle (created
 * if missing), and makes the copy standard input. *path: absolute path of the copy (free it); NULL:
 * there was no input, and standard input is /dev/null, with a note if it was a terminal. A child
 * that inherits standard input reads the same bytes as one that opens the file. until: the input
 * must have ended then, in clock_seconds(); 0: no limit. 0, or -1 after error_().
 */
int standard_input_keep(const char *dir, double until, char **path);

/* Opens the file from its beginning as standard input; NULL: /dev/null. -1 after error_(). */
int standard_input_rewind(const char *path);

#endif
