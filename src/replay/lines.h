/*
 * Lines of the program's source files, read on demand and cached. A relative file name is searched
 * in the directory of the run, the current directory, the directory of the executable, and its
 * parent. A zeroed struct with `cwd` and `exe` set is empty. Lifetime: lines_release().
 */
#ifndef HEDDLE_REPLAY_LINES_H
#define HEDDLE_REPLAY_LINES_H

#include "base/strbuf.h"
#include "base/vec.h"

struct lines {
	const char *cwd, *exe; /* directory of the run, path of the executable; may be NULL */
	VEC(struct lines_file {
		char *name;
		struct strbuf text;
		VEC(char *) lines; /* without surrounding blanks; they point into text */
	})
	files;
};

/* The line (from 1) without surrounding blanks; NULL if it cannot be read. Valid until the
 * release. */
const char *lines_get(struct lines *s, const char *file, uint32_t line);
void lines_release(struct lines *s);

#endif
