/*
 * Output to the standard streams, which only an observer outside sees: it affects no schedule, and
 * synchronization inside the library is left out (paper 000, 4.1.2). Calls that print to stdout or stderr
 * do nothing, so that states do not differ by what was printed. Their results are symbols with the name OUTPUT_RESULT.
 */
#ifndef HEDDLE_COVER_OUTPUT_H
#define HEDDLE_COVER_OUTPUT_H

#include "symbolic/summary.h"

#define OUTPUT_RESULT "result of output"

/* Adds the summaries; after summaries_install(). */
void output_install(struct machine *m);

#endif
