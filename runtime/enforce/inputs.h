/* The file that the program gets for a name (inputs.c), for the functions of files.c. */
#ifndef HEDDLE_RUNTIME_ENFORCE_INPUTS_H
#define HEDDLE_RUNTIME_ENFORCE_INPUTS_H

#include "runtime/enforce/control.h"

struct path {
	size_t n;
	char s[4096];
};

enum { /* what the program is about to do with the file; 0: only read */
	CHANGE_CONTENTS = 1,
	CHANGE_CREATE = 2, /* it need not exist */
	CHANGE_ENTRY = 4,  /* it is removed or renamed */
};
/* The same path, or the path to use instead, which is valid until the process ends. dir: AT_FDCWD,
 * or a descriptor. */
const char *file_for(int dir, const char *path, uint32_t change);
/* The program has made that directory: files in it are not copied. */
void directory_made(const char *path);

#endif
