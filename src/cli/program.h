/* The program that a command line names. */
#ifndef HEDDLE_CLI_PROGRAM_H
#define HEDDLE_CLI_PROGRAM_H

/* Its file as the shell would find it, but here first; free it. */
char *program_find(const char *word);

#endif
