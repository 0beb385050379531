/* Files that a command writes for the user. */
#ifndef HEDDLE_CLI_WRITE_OUTPUT_H
#define HEDDLE_CLI_WRITE_OUTPUT_H

#include "base/strbuf.h"

/* Writes the whole file; -1 after error_(), and the file is then removed. */
int write_output(const char *path, const struct strbuf *b);

#endif
