/*
 * Inside the Z3 files only: terms in a context of Z3, each translated once, and values of symbols
 * out of its models. A term of one bit is a Bool there.
 *
 * The context is one without reference counts: what is made in it lives as long as it.
 */
#ifndef HEDDLE_SMT_Z3_TERMS_H
#define HEDDLE_SMT_Z3_TERMS_H

#include "base/vec.h"
#include "smt/term.h"

#include <z3.h>

struct z3_terms {
	Z3_context c;
	struct terms *ts;
	VEC(Z3_ast) ast;    /* by term; NULL until used */
	uint32_t made;      /* of them */
	VEC(Z3_ast) number; /* by term: as a float; NULL until used */
};

Z3_ast z3_term(struct z3_terms *z, term_t t);
/* the symbol was translated; *as gets its value, for an array its cells and the rest */
void z3_read_symbol(struct z3_terms *z, Z3_model m, term_t sym, struct term_assign *as);

#endif
