/*
 * Which file a name means: two names of one file get the same number. A name is made absolute and
 * without links, as the file system is now. Where that is not possible, the number is one that
 * stands for more files than one:
 *  - a program that changes its working directory: all files with the same last component
 *  - a program that makes links, renames files or reopens streams, a name relative to an open
 *    directory, or a name of an open descriptor (/proc/self/fd/3): every file
 *
 * Not noticed: links that another process made and removed again while the program ran.
 */
#ifndef HEDDLE_TRACE_FILE_NAMES_H
#define HEDDLE_TRACE_FILE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct ir_program;

struct file_names {
	const char *cwd; /* of the recorded run; NULL: not known */
	bool moves;      /* the program may change its working directory */
	bool links;      /* the program may give files other names */
};

/* cwd is kept. */
void file_names_init(struct file_names *n, const struct ir_program *p, const char *cwd);
/* A number for the file of that name, never 0 and always odd; 0: any file. */
uint64_t file_names_key(const struct file_names *n, const char *path);

#endif
