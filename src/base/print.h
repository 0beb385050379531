/*
 * Output for people. Names, values and messages come from programs and files of others: a control
 * character in them could make a terminal show other text than there is, or obey a command. So what
 * heddle prints goes through here, through diag.h, or through a writer of a format that quotes
 * (JSON, XML). Not the output of a program, which is the program's own.
 */
#ifndef HEDDLE_BASE_PRINT_H
#define HEDDLE_BASE_PRINT_H

#include "base/base.h"

#include <stdio.h>

/* Writes the text as utf8_add_clean() makes it, except that newlines and tabs stay. */
void print_text(FILE *to, const char *s, size_t n);
/* The same for a formatted text. */
void print_clean(FILE *to, const char *fmt, ...) PRINTF(2, 3);

#endif
