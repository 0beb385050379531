/* The inside of a context, for its twin, which knows the machine's frames by the same names. */
#ifndef HEDDLE_TESTS_CONTEXT_PEEK_H
#define HEDDLE_TESTS_CONTEXT_PEEK_H

#include "context/context.h"

struct context_peek { /* the register that a symbol stands for */
	uint32_t func, reg;
	uint32_t thread; /* of the context; IR_NONE: of no thread in it */
	int32_t below;   /* so many frames below the outermost that was given (0: that one) */
};

/* False if the symbol is no register, or one of a call that is over. */
bool context_peek(const struct context *c, term_t sym, struct context_peek *out);

#endif
