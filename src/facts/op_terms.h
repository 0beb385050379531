/* The operations of the IR as terms (docs/ir.md, smt/term.h): one place, for prediction and for
 * symbolic execution. */
#ifndef HEDDLE_FACTS_OP_TERMS_H
#define HEDDLE_FACTS_OP_TERMS_H

#include "ir/ir.h"
#include "smt/term.h"

/* The results of a pure operation (shapes BIN, CMP, UN, TERN, CONV, SELECT, OVF), operands a[] as the
 * shape has them; false if it has no terms here. */
bool ops_term(struct terms *ts, const struct ir_insn *in, const term_t *a, term_t *out);
/* The same for operations on floats (f32 and f64, their conversions and comparisons), which
 * ops_term() does not know: prediction takes their values as they were observed. TERM_NONE: no
 * term. */
term_t ops_float(struct terms *ts, const struct ir_insn *in, const term_t *a);
/* The value that an RMW operation leaves in memory, TERM_NONE if it has no terms. */
term_t ops_rmw(struct terms *ts, const struct ir_insn *in, term_t old, term_t arg);

#endif
