/* The file that the program gets for a name: inputs.c decides, files.c asks. */
#ifndef HEDDLE_RUNTIME_ENFORCE_INPUTS_H
#define HEDDLE_RUNTIME_ENFORCE_INPUTS_H

#include "runtime/enforce/control.h"

struct path {
	size_t n;
	char s[4096];
};

enum { /* what the program is about to do with the file; 0: only look */
	CHANGE_CONTENTS = 1,
	CHANGE_CREATE = 2, /* it need not be there */
	CHANGE_ENTRY = 4,  /* of its directory: it goes, or gets another name */
};
/* The path as it is, or the one to use in its place. Valid until the process ends. dir: AT_FDCWD,
 * or a descriptor. */
const char *file_for(int dir, const char *path, uint32_t change);
/* The program has made that directory: files in it are its own, and not copied. */
void directory_made(const char *path);

#endif
