/*
 * Lines of the program's source, as far as the files can be found: under the name that the compiler
 * was given, from the directory of the run or that of the executable, or one above.
 * A zeroed struct with its directories set is an empty one; lines_release().
 */
#ifndef HEDDLE_REPLAY_LINES_H
#define HEDDLE_REPLAY_LINES_H

#include "base/strbuf.h"
#include "base/vec.h"

struct lines {
	const char *cwd, *exe; /* may be NULL */
	VEC(struct lines_file {
		char *name;
		struct strbuf text;
		VEC(char *) lines; /* trimmed, in text */
	})
	files;
};

/* Without the blanks around it; NULL if it cannot be read. Valid until the release. */
const char *lines_get(struct lines *s, const char *file, uint32_t line);
void lines_release(struct lines *s);

#endif
