/* The executable of a command line. */
#ifndef HEDDLE_CLI_FIND_PROGRAM_H
#define HEDDLE_CLI_FIND_PROGRAM_H

/* The path of the program `word`, as a shell finds it: `word` itself if it has a slash, else a file
 * of that name in a directory of PATH, never in the current directory alone. Free it; NULL after
 * error_(). */
char *find_program(const char *word);

#endif
