/*
 * Standard input of a program that is run many times: kept in `.heddle/inputs`, by its contents, so
 * that every run reads the same, today's and those of a finding that is replayed next week.
 */
#ifndef HEDDLE_CLI_INPUT_H
#define HEDDLE_CLI_INPUT_H

/* A larger input of a pipe is an error; a larger file is used where it lies, not copied. */
#define INPUT_MAX (64ull << 20)

/*
 * Keeps what is on our standard input, from where it stands to its end, under `dir`/.heddle (made if
 * need be), and makes that copy our standard input. *path: the copy's absolute name (free it), NULL
 * if there is no input: then standard input is /dev/null, with a note if it was a terminal. A child
 * that inherits standard input thus reads the same as one that gets the file.
 * 0, or -1 after error_().
 */
int input_keep(const char *dir, char **path);

/* Makes standard input read that file from its beginning; NULL: /dev/null. -1 after error_(). */
int input_rewind(const char *path);

#endif
