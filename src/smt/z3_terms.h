/*
 * Private to the Z3 files: the translation of terms to Z3, each once, and the values of symbols in
 * a model of Z3. A term of one bit is a Bool in Z3.
 *
 * The context has no reference counts for terms (Z3_mk_context): each lives as long as the context.
 */
#ifndef HEDDLE_SMT_Z3_TERMS_H
#define HEDDLE_SMT_Z3_TERMS_H

#include "base/vec.h"
#include "term/term.h"

#include <z3.h>

struct z3_terms {
	Z3_context c;
	struct terms *ts;
	VEC(Z3_ast) ast;    /* by term; NULL until used */
	uint32_t made;      /* number of translated terms */
	VEC(Z3_ast) number; /* by term: its bits as a floating-point number; NULL until used */
	bool no_value;      /* a model had a value that is not a number or an array of numbers */
};

Z3_ast z3_term(struct z3_terms *z, term_t t);
/* Sets in *as the value of a translated symbol; for an array symbol its bytes and the rest. Sets
 * z->no_value if the model has none. */
void z3_read_symbol(struct z3_terms *z, Z3_model m, term_t sym, struct term_assign *as);

#endif
