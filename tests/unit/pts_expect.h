/* Programs that say what their pointers point to (tests/points_to/expect.h), checked. */
#ifndef HEDDLE_TESTS_PTS_EXPECT_H
#define HEDDLE_TESTS_PTS_EXPECT_H

#include "base/strbuf.h"
#include "facts/points_to.h"

/* The set in the words of expect.h, sorted. */
void pts_words(const struct ir_program *p, const struct points_to *pt, uint32_t func, ir_ref ref,
	struct strbuf *out);
/* Checks every expect() and expect_calls() of the program; each that fails is printed. Without
 * `exactly` there may be more than is expected. Gives how many there were, and in *failed how many
 * did not hold. */
uint32_t pts_check_expectations(const struct ir_program *p, const struct points_to *pt,
	bool exactly, uint32_t *failed);

#endif
