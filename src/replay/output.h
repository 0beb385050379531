/* Comparison of what two runs of a program printed. */
#ifndef HEDDLE_REPLAY_OUTPUT_H
#define HEDDLE_REPLAY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

enum output_match {
	OUTPUT_SAME,
	OUTPUT_ORDER, /* the same lines in another order, as threads may print them */
	OUTPUT_MIXED, /* other lines of the same bytes, as threads may print parts of lines */
	OUTPUT_OTHER,
};
/* The outputs may contain any bytes; an output of length 0 may be NULL. whole: both are complete; else
 * OUTPUT_SAME also if one is a prefix of the other. */
enum output_match output_compare(const char *a, size_t na, const char *b, size_t nb, bool whole);

#endif
