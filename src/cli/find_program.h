/* The executable of a command line. */
#ifndef HEDDLE_CLI_FIND_PROGRAM_H
#define HEDDLE_CLI_FIND_PROGRAM_H

/* The path of the program `word`: the current directory first, then PATH; `word` itself if it has a
 * slash or is not found. Free it. */
char *find_program(const char *word);

#endif
