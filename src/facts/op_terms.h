/* The operations of the IR as terms (docs/ir.md, term/term.h), for prediction and for symbolic
 * execution. */
#ifndef HEDDLE_FACTS_OP_TERMS_H
#define HEDDLE_FACTS_OP_TERMS_H

#include "ir/ir.h"
#include "term/term.h"

/* The results of a pure operation (shapes BIN, CMP, UN, TERN, CONV, SELECT, OVF) in out[0] and, for
 * OVF, out[1]; a[] are the operands in the order of the shape. False if there is no term for it. */
bool ops_term(struct terms *ts, const struct ir_insn *in, const term_t *a, term_t *out);
/* The result of an operation on floats (f32 and f64, their conversions and comparisons), for which
 * ops_term() has no term because prediction uses their observed values. TERM_NONE: no term. */
term_t ops_float(struct terms *ts, const struct ir_insn *in, const term_t *a);
/* The value that an RMW operation stores; TERM_NONE if there is no term for it. */
term_t ops_rmw(struct terms *ts, const struct ir_insn *in, term_t old, term_t arg);

#endif
